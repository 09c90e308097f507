"""Writing a file whole or not at all."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o600


def replace_file(path: Path, content: bytes, *, durable: bool = True, mode: int | None = None) -> None:
    """Puts `content` in the place of `path` in one step. Of a link, the file it leads to is replaced.

    Args:
        path: Its folder exists.
        content: All of it.
        durable: Whether it is on the disk before this returns; not needed for what can be made again.
        mode: Of the file; None keeps that of an old one, and makes a new one private.

    Raises:
        OSError: It cannot be written; the old content is untouched.
    """
    path = path.resolve()
    if mode is None:
        mode = _mode_of(path)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            if durable:
                os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise


def _mode_of(path: Path) -> int:
    try:
        return stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        return PRIVATE
