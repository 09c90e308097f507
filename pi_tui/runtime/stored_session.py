"""Opens a stored session, also when its folder is gone or another process has it open."""

import os
from pathlib import Path

from pi_tui.runtime.launch import Answer, ChoiceNeeded, Launch, WhenBusy, WhenGone
from pi_tui.session.errors import NotASession, SessionBusy
from pi_tui.session.listing import SessionInfo, read_info
from pi_tui.session.log import SessionLog

FORK = Answer("fork", "fork it into this folder: the original stays as it is")


def open_stored(
    path: Path,
    cwd: Path,
    folder: Path | None,
    *,
    when_gone: WhenGone | None = None,
    when_busy: WhenBusy | None = None,
) -> SessionLog:
    """The session in a file, or a fork of it if that was decided.

    Args:
        cwd: The working directory; that of a fork, and of an empty file that becomes a session.
        folder: Where forks are stored; None keeps them in memory.
        when_gone: What is done if the session's own folder is no longer there.
        when_busy: What is done if another process has it open.

    Raises:
        ChoiceNeeded: One of the two is the case, and nothing was decided.
        NotASession: The file is something else.
        OSError: It cannot be read.
    """
    if path.exists() and not path.is_file():
        # Of a pipe, even a look at its head would wait for somebody to write.
        raise NotASession(path, "it is not a regular file")
    info = read_info(path)
    if info is not None and folder_is_gone(info):
        if when_gone is None:
            raise _gone(info, path, cwd)
        if when_gone == "fork":
            return copy_of(path, folder, cwd)
    try:
        return SessionLog.open(path, cwd=cwd)
    except SessionBusy:
        if when_busy is None:
            raise _busy(info, path) from None
    if when_busy == "fork":
        return copy_of(path, folder, cwd)
    return SessionLog.open(path, read_only=True)


def copy_of(path: Path, folder: Path | None, cwd: Path, session_id: str | None = None) -> SessionLog:
    """A new session of `cwd` with everything that is in a file, whoever has it open.

    Raises:
        NotASession: The file is something else.
        OSError: It cannot be read.
    """
    original = SessionLog.open(path, read_only=True)
    try:
        from pi_tui.session.copying import copy_all

        return copy_all(original, folder, cwd=cwd, session_id=session_id)
    finally:
        original.close()


def is_forked_here(path: Path, launch: Launch) -> bool:
    """Whether a session that was given by its id is to be forked, because it belongs to another folder.

    Raises:
        ChoiceNeeded: It does, and nothing was decided.
    """
    info = read_info(path)
    if info is None or folder_is_gone(info) or is_of(info, launch.cwd):
        return False
    if launch.when_elsewhere is not None:
        return launch.when_elsewhere == "fork"
    raise ChoiceNeeded(
        f"session {info.id} belongs to another folder, {info.cwd}: fork it into this one with "
        f"--fork {info.id}, or run pi there",
        f"This session belongs to another folder: {info.cwd}",
        "when_elsewhere",
        (FORK, Answer("there", "go on with it in its own folder")),
    )


def folder_is_gone(info: SessionInfo) -> bool:
    """Whether the session has a working directory that is no longer there."""
    return bool(info.cwd) and not Path(info.cwd).is_dir()


def is_of(info: SessionInfo, cwd: Path) -> bool:
    """Whether a session belongs to a working directory."""
    return not info.cwd or os.path.realpath(info.cwd) == os.path.realpath(cwd)


def working_directory(log: SessionLog, here: Path) -> Path:
    """Where a session runs: in its own folder while there is one."""
    own = log.header.cwd
    if not own or not Path(own).is_dir() or os.path.realpath(own) == os.path.realpath(here):
        return here
    return Path(own)


def _gone(info: SessionInfo, path: Path, cwd: Path) -> ChoiceNeeded:
    return ChoiceNeeded(
        f"the folder of session {info.id} is gone ({info.cwd}): fork the session into {cwd} with "
        f"--fork {path}, or make the folder again",
        f"The folder of this session is gone: {info.cwd}",
        "when_gone",
        (Answer("here", f"go on with it in {cwd}"), FORK),
    )


def _busy(info: SessionInfo | None, path: Path) -> ChoiceNeeded:
    session_id = info.id if info is not None else path.name
    return ChoiceNeeded(
        f"session {session_id} is open in another pi: leave it there first, or fork it with --fork {path}",
        "This session is open in another pi.",
        "when_busy",
        (FORK, Answer("read_only", "open it read-only: look, but add nothing")),
    )
