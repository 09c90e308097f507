"""Finds or makes the session that a launch asks for."""

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from pi_tui.resources.paths import resolve
from pi_tui.resources.settings import Settings
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.services import Services
from pi_tui.runtime.stored_session import copy_of, is_forked_here, open_stored
from pi_tui.session.errors import SessionError
from pi_tui.session.folder import all_folders, find, latest, session_folder
from pi_tui.session.listing import SessionInfo, read_info
from pi_tui.session.log import SessionLog

MAX_LISTED = 8
"""Sessions that an error about an ambiguous id names."""
TITLE_CHARACTERS = 50


def open_log(launch: Launch, agent_dir: Path, settings: Settings) -> SessionLog:
    """The session to go on with, or a new one.

    Raises:
        ChoiceNeeded: The user has to say how it is opened.
        LaunchError: There is no such session, or it cannot be opened.
    """
    if launch.in_memory or launch.demo:
        return SessionLog.create(launch.cwd, None, session_id=launch.session_id)
    folder = sessions_of(launch, agent_dir, settings)
    try:
        if launch.fork is not None:
            source, _ = find_session("--fork", launch.fork, launch.cwd, [folder, *all_folders(agent_dir)])
            _refuse_taken_id(launch, folder)
            return copy_of(source, folder, launch.cwd, launch.session_id)
        path: Path | None = None
        if launch.session is not None:
            places = [folder], all_folders(agent_dir)
            path, by_id = find_session("--session", launch.session, launch.cwd, *places)
            if by_id and is_forked_here(path, launch):
                return copy_of(path, folder, launch.cwd)
        elif launch.continue_last:
            path = latest(folder, launch.cwd)
        elif launch.session_id is not None:
            path = _with_id(launch.session_id, folder)
        if path is None:
            return SessionLog.create(launch.cwd, folder, session_id=launch.session_id)
        return open_stored(path, launch.cwd, folder, when_gone=launch.when_gone, when_busy=launch.when_busy)
    except (SessionError, OSError) as error:
        raise LaunchError(str(error)) from error


def sessions_of(launch: Launch, agent_dir: Path, settings: Settings) -> Path:
    """The folder where sessions of the working directory lie: an option, the environment, the settings, the default."""
    named = os.environ.get("PI_CODING_AGENT_SESSION_DIR") or settings.session_dir
    override = launch.session_dir or (resolve(named, launch.cwd) if named else None)
    return session_folder(agent_dir, launch.cwd, override)


class SessionFolders(NamedTuple):
    """Where a list of sessions looks; asked anew for each listing."""

    here: Callable[[], list[Path]]
    everywhere: Callable[[], list[Path]]


def session_folders(services: Services, cwd: Path) -> SessionFolders:
    """The folders with the sessions of a working directory, and of all; also where new ones are not stored."""
    agent_dir = services.agent_dir
    folder = services.sessions or sessions_of(Launch(cwd=cwd), agent_dir, services.settings)
    return SessionFolders(lambda: [folder], lambda: list(dict.fromkeys((folder, *all_folders(agent_dir)))))


def find_session(option: str, reference: str, cwd: Path, *places: Sequence[Path]) -> tuple[Path, bool]:
    """The file of a session given by its path or the beginning of its id, and whether it was given by its id.

    Args:
        option: What the user gave it with, for the error.
        places: Folders to look in; later ones only if nothing was found before.

    Raises:
        LaunchError: None or several fit.
    """
    as_path = resolve(reference, cwd)
    if "/" in reference or reference.endswith(".jsonl") or as_path.is_file():
        if not as_path.exists():
            raise LaunchError(f"{option} {reference}: there is no such file")
        return as_path, False
    for folders in places:
        found = find(reference, set(folders))
        if len(found) == 1:
            return found[0], True
        if found:
            raise LaunchError(f"{option} {reference} fits several sessions:\n{_listed(found)}")
    raise LaunchError(f"{option} {reference}: no session has an id that begins like this")


def _with_id(session_id: str, folder: Path) -> Path | None:
    """The session of exactly this id."""
    for path in find(session_id, [folder]):
        info = read_info(path)
        if info is not None and info.id == session_id:
            return path
    return None


def _refuse_taken_id(launch: Launch, folder: Path) -> None:
    if launch.session_id is not None and _with_id(launch.session_id, folder) is not None:
        raise LaunchError(
            f"--session-id {launch.session_id}: there is such a session already; give the fork another id"
        )


def _listed(paths: list[Path]) -> str:
    lines = [_described(path) for path in paths[:MAX_LISTED]]
    if len(paths) > MAX_LISTED:
        lines.append(f"  … and {len(paths) - MAX_LISTED} more")
    return "\n".join(lines)


def _described(path: Path) -> str:
    info = read_info(path)
    return f"  {info.id}  {title_of(info)}" if info is not None else f"  {path}"


def title_of(info: SessionInfo) -> str:
    """What a session is called where there is one line for it: its name, or its first message."""
    title = " ".join((info.name or info.first_message or "no messages").split())
    shown = "".join(character if character.isprintable() else " " for character in title)
    return shown if len(shown) <= TITLE_CHARACTERS else shown[: TITLE_CHARACTERS - 1] + "…"
