"""Renaming and deleting sessions that are not open here."""

import shutil
import subprocess
from pathlib import Path

from pi_tui.session.errors import SessionError
from pi_tui.session.file import SessionFile
from pi_tui.session.log import SessionLog

TRASH_COMMANDS = (("gio", "trash"), ("trash-put",), ("trash",))
"""What puts a file into the desktop's trash, the best known first."""
TRASH_SECONDS = 15.0


class TrashFailed(SessionError):
    """The trash did not take a file; it is still where it was."""

    def __init__(self, path: Path, reason: str) -> None:
        super().__init__(path, f"{path} could not be put into the trash: {reason}")


def rename(path: Path, name: str) -> None:
    """Names a session that nobody has open; an empty name clears it.

    Raises:
        SessionBusy: Another process writes to it.
        NotASession: The file is something else.
        OSError: It could not be written.
    """
    log = SessionLog.open(path)
    try:
        log.append_session_info(name)
        if log.unsaved:
            raise OSError(f"the name could not be written to {path}")
    finally:
        log.close()


def trash_command() -> tuple[str, ...] | None:
    """The command that puts files into the trash here; None where there is none."""
    return next((command for command in TRASH_COMMANDS if shutil.which(command[0])), None)


def delete(path: Path, *, for_good: bool = False) -> None:
    """Puts a session that nobody has open into the trash; unlinks it where there is no trash, or `for_good`.

    Raises:
        SessionBusy: Another process writes to it.
        TrashFailed: The trash did not take it.
        OSError: It could not be deleted.
    """
    file = SessionFile.open(path)  # Nobody may open it meanwhile.
    try:
        command = None if for_good else trash_command()
        if command is None:
            path.unlink()
        else:
            _put_into_trash(path, command)
    finally:
        file.close()


def _put_into_trash(path: Path, command: tuple[str, ...]) -> None:
    try:
        done = subprocess.run(
            [*command, str(path.absolute())],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=TRASH_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired) as error:
        raise TrashFailed(path, str(error)) from error
    if path.exists():
        said = done.stderr.decode("utf-8", "replace").strip().split("\n")[0]
        raise TrashFailed(path, said or f"{command[0]} ended with code {done.returncode}")
