"""Finds or makes the session file that a launch asks for."""

import os
from pathlib import Path

from pi_tui.resources.paths import resolve
from pi_tui.resources.settings import Settings
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.session.errors import SessionError
from pi_tui.session.folder import all_folders, find, latest, session_folder
from pi_tui.session.log import SessionLog

MAX_LISTED = 8
"""Sessions that an error about an ambiguous id names."""


def open_log(launch: Launch, agent_dir: Path, settings: Settings) -> SessionLog:
    """The session to go on with, or a new one.

    Raises:
        LaunchError: There is no such session, or it cannot be opened.
    """
    if launch.in_memory or launch.demo:
        return SessionLog.create(launch.cwd, None, session_id=launch.session_id)
    folder = sessions_of(launch, agent_dir, settings)
    path: Path | None = None
    if launch.session is not None:
        path = find_session(launch.session, launch, agent_dir, folder)
    elif launch.continue_last:
        path = latest(folder, launch.cwd)
    elif launch.session_id is not None:
        path = next(
            (one for one in find(launch.session_id, [folder]) if one.stem.endswith(launch.session_id)), None
        )
    if path is None:
        return SessionLog.create(launch.cwd, folder, session_id=launch.session_id)
    try:
        return SessionLog.open(path)
    except (SessionError, OSError) as error:
        raise LaunchError(str(error)) from error


def sessions_of(launch: Launch, agent_dir: Path, settings: Settings) -> Path:
    """The folder where sessions of the working directory lie: an option, the environment, the settings, the default."""
    named = os.environ.get("PI_CODING_AGENT_SESSION_DIR") or settings.session_dir
    override = launch.session_dir or (resolve(named, launch.cwd) if named else None)
    return session_folder(agent_dir, launch.cwd, override)


def find_session(reference: str, launch: Launch, agent_dir: Path, folder: Path) -> Path:
    """The file of a session given by its path or the beginning of its id.

    Raises:
        LaunchError: None or several fit, or it belongs to another folder.
    """
    as_path = resolve(reference, launch.cwd)
    if "/" in reference or reference.endswith(".jsonl") or as_path.is_file():
        if not as_path.exists():
            raise LaunchError(f"--session {reference}: there is no such file")
        return as_path
    here = find(reference, [folder])
    if len(here) == 1:
        return here[0]
    if here:
        raise LaunchError(f"--session {reference} fits several sessions:\n{_listed(here)}")
    elsewhere = find(reference, all_folders(agent_dir))
    if elsewhere:
        raise LaunchError(
            f"--session {reference} belongs to another folder; open it there, or by its path:\n{_listed(elsewhere)}"
        )
    raise LaunchError(f"--session {reference}: no session has an id that begins like this")


def _listed(paths: list[Path]) -> str:
    lines = [f"  {path}" for path in paths[:MAX_LISTED]]
    if len(paths) > MAX_LISTED:
        lines.append(f"  … and {len(paths) - MAX_LISTED} more")
    return "\n".join(lines)
