"""`!command` and `!!command` in the editor."""

from typing import TYPE_CHECKING

from pi_tui.runtime.user_command import CommandRunning
from pi_tui.session.errors import SessionReadOnly

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

SIGN = "!"


def is_user_command(text: str) -> bool:
    return text.startswith(SIGN)


async def run_user_command(app: "PiApp", text: str) -> None:
    """Runs what stands after `!`; after `!!` without telling the model."""
    in_context = not text.startswith(SIGN * 2)
    command = text[1 if in_context else 2 :].strip()
    if not command:
        app.conversation.note("Not run: there is no command after the sign.", "error")
        return
    app.transcript.end()
    try:
        await app.session.user_command.run(command, in_context=in_context)
    except (CommandRunning, SessionReadOnly) as error:
        if app.editor.is_empty:
            app.editor.set_prompt(text)
        app.conversation.note(f"Not run: {error}.", "error")
