"""Writing a file whole or not at all."""

import os
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

PRIVATE = 0o600


def replace_file(path: Path, content: bytes) -> None:
    """Puts `content` in the place of `path` in one step. A new file is private, an old one keeps its mode.

    Raises:
        OSError: It cannot be written; the old content is untouched.
    """
    try:
        mode = stat.S_IMODE(path.stat().st_mode)
    except FileNotFoundError:
        mode = PRIVATE
    descriptor, temporary = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(temporary).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
