"""From one session to another: resume, fork, clone, import."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec import Struct

from pi_tui.llm.messages import UserMessage, text_of
from pi_tui.runtime.launch import Launch, WhenBusy, WhenGone
from pi_tui.runtime.stored_session import copy_of, folder_is_gone, open_stored, working_directory
from pi_tui.session import copying
from pi_tui.session.entries import MessageEntry
from pi_tui.session.errors import NotASession
from pi_tui.session.folder import all_folders, find, session_folder
from pi_tui.session.identity import new_session_id
from pi_tui.session.listing import read_info
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session


class EarlierPrompt(Struct, frozen=True):
    """A user message that a fork can begin before."""

    entry_id: str
    text: str
    timestamp: str


class NothingToCopy(ValueError):
    """The session has no entries yet."""


def earlier_prompts(log: SessionLog) -> list[EarlierPrompt]:
    """The user messages of all branches, in the order they were sent."""
    return [
        EarlierPrompt(entry_id, text_of(_user_message(log, entry_id).content), log.head(entry_id).timestamp)
        for entry_id in log.entry_ids
        if log.role(entry_id) == "user"
    ]


def is_current(session: "Session", path: Path) -> bool:
    """Whether the session in `path` is the one that is open here."""
    try:
        return session.log.path is not None and path.samefile(session.log.path)
    except OSError:
        return False


async def resume(
    session: "Session", path: Path, when_gone: WhenGone | None = None, when_busy: WhenBusy | None = None
) -> None:
    """Goes on with a stored session, in its own folder and with its own model."""
    session.refuse_to_leave()
    if is_current(session, path):
        return
    log = await asyncio.to_thread(
        open_stored,
        path,
        session.cwd,
        session.services.sessions,
        when_gone=when_gone,
        when_busy=when_busy,
    )
    _take_over(session, log, "resume")


def fork(session: "Session", entry_id: str) -> UserMessage:
    """Goes on in a new session with the path up to the parent of a user message; returns that message."""
    session.refuse_to_leave()
    prompt = _user_message(session.log, entry_id)
    parent = session.log.parent(entry_id)
    made = copying.fork(session.log, parent, session.services.sessions, cwd=session.cwd)
    session.replace_log(made, "fork")
    return prompt


def clone(session: "Session") -> None:
    """Goes on in a new session that holds the active branch."""
    session.refuse_to_leave()
    log = session.log
    if log.leaf_id is None:
        raise NothingToCopy("there is nothing in this session yet")
    session.replace_log(copying.fork(log, log.leaf_id, session.services.sessions, cwd=session.cwd), "clone")


async def import_file(session: "Session", source: Path, when_gone: WhenGone | None = None) -> None:
    """Copies a session file to where sessions of its folder are, and goes on with the copy."""
    session.refuse_to_leave()
    log, remark = await asyncio.to_thread(_imported, session, source, when_gone)
    _take_over(session, log, "import")
    if remark:
        session.tell("info", remark)


def _imported(session: "Session", source: Path, when_gone: WhenGone | None) -> tuple[SessionLog, str]:
    """The copy of a session file, and what is to be said of it."""
    if source.exists() and not source.is_file():
        raise NotASession(source, "it is not a regular file")
    folder = session.services.sessions
    info = read_info(source)
    gone = info is not None and folder_is_gone(info)
    if folder is None or (gone and when_gone == "fork"):
        return copy_of(source, folder, session.cwd), ""
    if gone and when_gone is None:
        # It raises the question, before there is a copy.
        return open_stored(source, session.cwd, folder), ""
    changes: dict[str, str] = {}
    if gone:
        changes["cwd"] = str(session.cwd)
    elif info is not None and info.cwd:
        folder = _folder_for(session, Path(info.cwd), folder)
    remark = ""
    if info is not None and _is_taken(info.id, [folder, *all_folders(session.services.agent_dir)]):
        changes["id"] = new_session_id()
        remark = "A session with this id is here already: the copy has an id of its own."
    copy = copying.import_session(source, folder, changes)
    return open_stored(copy, session.cwd, folder), remark


def _folder_for(session: "Session", cwd: Path, folder: Path) -> Path:
    """Where sessions of another working directory are: elsewhere, unless all are in one folder."""
    agent_dir = session.services.agent_dir
    apart = folder == session_folder(agent_dir, session.cwd, None)
    return session_folder(agent_dir, cwd, None) if apart else folder


def _is_taken(session_id: str, folders: list[Path]) -> bool:
    found = (read_info(path) for path in find(session_id, folders))
    return any(info is not None and info.id == session_id for info in found)


def _take_over(session: "Session", log: SessionLog, reason: str) -> None:
    """Makes a stored session the current one: with its folder, its model and its level."""
    try:
        session.refuse_to_leave()
    except RuntimeError:
        log.close()
        raise
    cwd = working_directory(log, session.cwd)
    services = session.services if cwd == session.cwd else session.services.at(cwd)
    remark = _choose_model(session, log)
    session.services = services
    session.replace_log(log, reason)
    if remark:
        session.tell("warning", remark)


def _choose_model(session: "Session", log: SessionLog) -> str | None:
    from pi_tui.runtime.model_choice import choose_model

    if log.choices()[0] is None:
        return None
    services = session.services
    choice = choose_model(Launch(cwd=session.cwd), services.settings, services.registry, log)
    session.begin_with(choice)
    return " ".join(choice.remarks) or None


def _user_message(log: SessionLog, entry_id: str) -> UserMessage:
    entry = log.entry(entry_id)
    if not isinstance(entry, MessageEntry) or not isinstance(entry.message, UserMessage):
        raise KeyError(entry_id)
    return entry.message
