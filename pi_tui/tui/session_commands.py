"""The `/` commands that lead to another session, or name this one."""

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_tui.llm.messages import ImageContent, text_of
from pi_tui.resources.paths import cache_dir
from pi_tui.runtime.launch import ChoiceNeeded
from pi_tui.runtime.session import AlreadyRunning, NoModel, Unsaved
from pi_tui.runtime.switching import NothingToCopy, earlier_prompts, is_current
from pi_tui.session.errors import SessionError
from pi_tui.tui.export_commands import written_path
from pi_tui.tui.model_commands import ask_for_missing_model
from pi_tui.tui.questions import Answer, pick

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

PROMPT_CHARACTERS = 400
"""Characters of an earlier prompt in the list of `/fork`."""

_REFUSALS = (AlreadyRunning, Unsaved, NothingToCopy, SessionError, OSError)
"""Why a session is not left, or another one not opened: each says it in a sentence."""


def new_session(app: "PiApp", argument: str) -> None:
    try:
        app.session.start_new()
    except _REFUSALS as error:
        refuse(app, "/new", error)


async def compact_session(app: "PiApp", argument: str) -> None:
    from pi_tui.runtime.compacting import CompactionFailed, CompactionNotBegun

    if app.session.running:
        app.conversation.note("The conversation will be compacted when this turn has ended.")
    try:
        await app.session.compact(argument)
    except (CompactionNotBegun, NoModel, SessionError) as error:
        refuse(app, "/compact", error)
    except CompactionFailed:
        # The end of the compaction has told why.
        pass


def name_session(app: "PiApp", argument: str) -> None:
    if argument:
        try:
            app.session.set_name(argument)
        except _REFUSALS as error:
            refuse(app, "/name", error)
            return
        app.status.remark(f"this session is called {argument}")
    elif app.session.log.name:
        app.conversation.note(f"This session is called {app.session.log.name}. /name with a text renames it.")
    else:
        app.conversation.note("This session has no name yet: /name with a text gives it one.")


async def resume_session(app: "PiApp", argument: str) -> None:
    if app.session.running:
        refuse(app, "/resume", AlreadyRunning("a run is going: stop it first"))
        return
    path = await choose_session(app)
    if path is not None:
        await open_chosen(app, path)


async def resume_at_start(app: "PiApp") -> None:
    """`pi -r`: the list first; whoever chooses nothing leaves."""
    while True:
        path = await choose_session(app)
        if path is None:
            app.leave()
            return
        if await open_chosen(app, path):
            return


async def choose_session(app: "PiApp") -> Path | None:
    """The file of the session the user chose from the list; None if none."""
    from pi_tui.runtime.locate import session_folders
    from pi_tui.runtime.stored_session import is_of
    from pi_tui.session.session_cache import CACHE_NAME, SessionCache
    from pi_tui.tui.resume.deeds import SessionDeeds
    from pi_tui.tui.resume.screen import ResumeScreen

    session = app.session
    places = session_folders(session.services, session.cwd)
    screen = ResumeScreen(
        here=places.here,
        everywhere=places.everywhere,
        belongs_here=lambda info: is_of(info, session.cwd),
        current=session.log.path,
        cache=SessionCache(cache_dir() / CACHE_NAME),
        deeds=SessionDeeds(app),
        palette=app.palette,
        bindings=app.setup.bindings,
    )
    return await app.push_screen_wait(screen)


async def open_chosen(app: "PiApp", path: Path) -> bool:
    """Goes on with a stored session; whether it is open now."""
    if is_current(app.session, path):
        app.status.remark("this session is open already")
        return True
    opened = await _decided(app, "/resume", lambda **decided: app.session.resume(path, **decided))
    if opened:
        await ask_for_missing_model(app)
    return opened


async def fork_session(app: "PiApp", argument: str) -> None:
    prompts = earlier_prompts(app.session.log)
    if not prompts:
        app.conversation.note("/fork: there is no message to fork from yet.", "warning")
        return
    answers = [
        Answer(one.entry_id, " ".join(one.text.split())[:PROMPT_CHARACTERS] or "(an image)")
        for one in reversed(prompts)
    ]
    entry_id = await pick(app, "Fork before which of your messages?", answers)
    if entry_id is None:
        return
    try:
        message = app.session.fork(entry_id)
    except _REFUSALS as error:
        refuse(app, "/fork", error)
        return
    content = message.content
    images = [block for block in content if isinstance(block, ImageContent)] if content else []
    written = "" if app.editor.is_empty else f"\n\n{app.editor.text}"
    app.editor.restore_prompt(text_of(content) + written, images)
    app.status.remark("this is a new session, forked before that message; the old one stays as it was")


def clone_session(app: "PiApp", argument: str) -> None:
    try:
        app.session.clone()
    except _REFUSALS as error:
        refuse(app, "/clone", error)
        return
    app.status.remark("this is a new session with the same conversation; the old one stays as it was")


async def import_session(app: "PiApp", argument: str) -> None:
    if not argument:
        app.conversation.note("/import needs a session file: /import path/to/session.jsonl", "error")
        return
    source = written_path(argument, app.session.cwd)
    await _decided(app, "/import", lambda **decided: app.session.import_file(source, **decided))


async def _decided(app: "PiApp", command: str, open_it: Callable[..., Awaitable[Any]]) -> bool:
    """Opens a session; where that needs a decision, the user is asked. Whether it is open now."""
    decided: dict[str, str] = {}
    while True:
        try:
            await open_it(**decided)
        except ChoiceNeeded as needed:
            value = await pick(app, needed.question, [Answer(*answer) for answer in needed.answers])
            if value is None:
                return False
            decided[needed.field] = value
        except _REFUSALS as error:
            refuse(app, command, error)
            return False
        else:
            return True


def refuse(app: "PiApp", command: str, error: Exception) -> None:
    """Says why a command did nothing."""
    reason = f"{error.strerror}: {error.filename}" if isinstance(error, OSError) and error.strerror else error
    app.conversation.note(f"{command}: {str(reason).rstrip('.')}.", "error")
