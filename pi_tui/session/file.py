"""A session's file on disk: opened, locked, read, and appended to as a whole or not at all.

The lock is an advisory one on the file itself, so it leaves nothing beside the file and ends with the
process, however that ends. The reference takes none; what it appends is seen by the file's size.
"""

import errno
import os
import stat
import sys
from pathlib import Path

from pi_tui.session.errors import NotASession, SessionBusy

if sys.platform != "win32":
    import fcntl

FILE_MODE = 0o600
FOLDER_MODE = 0o700
MAX_LOCK_TRIES = 5
"""How often a file may be replaced under us while we open it."""
MAX_READ = 1024**3
"""Bytes asked for at once; systems give no more than about 2 GiB."""
BINARY = getattr(os, "OBINARY", 0)


class SessionFile:
    """An open session file.

    `seen` is how many of its bytes have been read or written here; what lies beyond came from someone else.
    """

    def __init__(self, path: Path, descriptor: int, *, read_only: bool) -> None:
        self.path = path
        self.read_only = read_only
        self.seen = 0
        self.fresh_line = True
        """The bytes seen end with a newline, so that the next append begins on a line of its own."""
        self._descriptor = descriptor

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False) -> "SessionFile":
        """Opens an existing file, locked unless it is only read.

        Raises:
            SessionBusy: Another process writes to it.
            NotASession: It is no regular file.
            OSError: It cannot be opened.
        """
        if not stat.S_ISREG(path.stat().st_mode):
            raise NotASession(path, "it is not a regular file")
        if read_only:
            return cls(path, os.open(path, os.O_RDONLY | BINARY), read_only=True)
        for _ in range(MAX_LOCK_TRIES):
            descriptor = os.open(path, os.O_RDWR | os.O_APPEND | BINARY)
            try:
                _lock(descriptor, path)
                if os.path.samestat(os.fstat(descriptor), path.stat()):
                    return cls(path, descriptor, read_only=False)
            except BaseException:
                os.close(descriptor)
                raise
            os.close(descriptor)
        raise SessionBusy(path)

    @classmethod
    def create(cls, path: Path) -> "SessionFile":
        """Makes a new, empty, locked file, and its folder where that is missing.

        Raises:
            OSError: It cannot be made, or is there already.
        """
        make_folder(path.parent)
        descriptor = os.open(path, os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_EXCL | BINARY, FILE_MODE)
        _lock(descriptor, path)
        return cls(path, descriptor, read_only=False)

    @property
    def gone(self) -> bool:
        """The file was deleted or replaced while it was open here."""
        try:
            return not os.path.samestat(os.fstat(self._descriptor), self.path.stat())
        except FileNotFoundError:
            return True

    def news(self) -> bytes | None:
        """What others wrote since our last look; at first, the whole file. None if the file was cut."""
        size = os.fstat(self._descriptor).st_size
        if size < self.seen:
            return None
        data = self._read(self.seen, size - self.seen)
        self.seen += len(data)
        if data:
            self.fresh_line = data.endswith(b"\n")
        return data

    def append(self, lines: bytes) -> bytes:
        """Writes whole lines at the end with one write, on a fresh line.

        Returns:
            What others managed to append between our last look and this write.

        Raises:
            OSError: Nothing of it is in the file, or what is could not be taken back and the next append will
                begin on a fresh line.
        """
        data = lines if self.fresh_line else b"\n" + lines
        written = os.write(self._descriptor, data)
        end = os.lseek(self._descriptor, 0, os.SEEK_CUR)
        start = end - written
        if written < len(data):
            self._take_back(start, written)
            raise OSError(errno.ENOSPC, f"{written} of {len(data)} bytes could be written", str(self.path))
        between = self._read(self.seen, start - self.seen) if start > self.seen else b""
        self.seen = end
        self.fresh_line = True
        return between

    def fill(self, data: bytes) -> None:
        """Writes everything, however many writes it takes, and waits until it is on the disk."""
        rest = memoryview(data)
        while rest:
            rest = rest[os.write(self._descriptor, rest) :]
        os.fsync(self._descriptor)
        self.seen = len(data)
        self.fresh_line = data.endswith(b"\n")

    def close(self) -> None:
        os.close(self._descriptor)

    def _read(self, start: int, count: int) -> bytes:
        os.lseek(self._descriptor, start, os.SEEK_SET)
        pieces: list[bytes] = []
        while count > 0:
            piece = os.read(self._descriptor, min(count, MAX_READ))
            if not piece:
                break
            pieces.append(piece)
            count -= len(piece)
        return pieces[0] if len(pieces) == 1 else b"".join(pieces)

    def _take_back(self, start: int, written: int) -> None:
        """Cuts half a line off again, unless someone has written behind it."""
        self.fresh_line = False
        if os.fstat(self._descriptor).st_size != start + written:
            return
        try:
            os.ftruncate(self._descriptor, start)
        except OSError:
            return
        self.fresh_line = start == 0 or self._read(start - 1, 1) == b"\n"


def make_folder(folder: Path) -> None:
    """Makes a folder that only its owner may enter, with the parents it lacks."""
    missing = [folder, *folder.parents]
    missing = missing[: next((i for i, one in enumerate(missing) if one.exists()), len(missing))]
    for one in reversed(missing):
        one.mkdir(mode=FOLDER_MODE, exist_ok=True)


def write_whole(path: Path, data: bytes, *, keep_old_as: Path | None = None) -> SessionFile:
    """Puts a whole file in place, by a temporary one beside it, fsync and rename; returns it open and locked.

    Args:
        keep_old_as: Where the file that is replaced stays.

    Raises:
        OSError: It could not be written; what was there is as it was.
    """
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    made = SessionFile.create(temporary)
    try:
        made.fill(data)
        if keep_old_as is not None:
            _keep(path, keep_old_as)
        temporary.replace(path)
    except BaseException:
        made.close()
        temporary.unlink(missing_ok=True)
        raise
    made.path = path
    _sync_folder(path.parent)
    return made


def _keep(path: Path, name: Path) -> None:
    try:
        os.link(path, name)
    except FileExistsError:
        raise
    except OSError:
        # A file system without hard links.
        import shutil

        shutil.copy2(path, name)


def _sync_folder(folder: Path) -> None:
    if sys.platform == "win32":
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _lock(descriptor: int, path: Path) -> None:
    if sys.platform == "win32":
        # Windows has only mandatory locks, which would keep readers out.
        return
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise SessionBusy(path) from None
    except OSError as error:
        # Some network file systems have no locks; the session is usable all the same.
        if error.errno not in (errno.ENOLCK, errno.ENOTSUP, errno.EINVAL):
            raise
