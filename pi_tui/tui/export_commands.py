"""`/export` and `/share`."""

from pathlib import Path
from typing import TYPE_CHECKING

from pi_tui.resources.paths import resolve
from pi_tui.tui.questions import confirm

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


async def export_session(app: "PiApp", argument: str) -> None:
    """Writes this session to a file whose name says as what: a page without one."""
    from pi_tui.export.errors import ExportError
    from pi_tui.export.to_file import AlreadyThere, checked_target, default_target, export_beside

    log = app.session.log
    target = written_path(argument, app.session.cwd) if argument else default_target(log, app.session.cwd)
    try:
        try:
            target = checked_target(log, target)
        except AlreadyThere:
            if not await confirm(app, "Replace the file?", f"{target} is there already."):
                app.status.remark("nothing was written")
                return
            target = checked_target(log, target, replace=True)
        app.status.remark(f"writing {target.name} …")
        await export_beside(log, target, theme=app.palette)
    except ExportError as error:
        app.conversation.note(f"/export: {str(error).rstrip('.')}.", "error")
        return
    app.status.remark("")
    app.conversation.note(f"The session is in {target}")


async def share_session(app: "PiApp", argument: str) -> None:
    from pi_tui.tui.share import share_session

    await share_session(app, argument)


def written_path(argument: str, cwd: Path) -> Path:
    """A path as it is written after a command: in quotes perhaps, or with a backslash before its spaces."""
    text = argument.strip()
    in_quotes = len(text) > 1 and text[0] == text[-1] and text[0] in "\"'"
    return resolve(text[1:-1] if in_quotes else text.replace("\\ ", " "), cwd)
