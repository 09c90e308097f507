"""Opening files that are safe to read, and telling whether one has changed."""

import hashlib
import os
import stat as stat_module
from dataclasses import dataclass
from pathlib import Path

from pi_tui.agent.tools import limits

Signature = tuple[int, int, int, int, int]

_KINDS = {
    stat_module.S_IFDIR: "a directory",
    stat_module.S_IFIFO: "a named pipe (FIFO)",
    stat_module.S_IFSOCK: "a socket",
    stat_module.S_IFCHR: "a character device",
    stat_module.S_IFBLK: "a block device",
}


class NotRegularError(Exception):
    """Not a file with content of its own; `kind` says what it is."""

    def __init__(self, kind: str) -> None:
        super().__init__(kind)
        self.kind = kind


@dataclass(frozen=True)
class FileState:
    """A state of a file: its stat, and the hash of its content if that was read whole."""

    signature: Signature
    hash: bytes | None = None

    @staticmethod
    def signature_of(stat: os.stat_result) -> Signature:
        return (stat.st_dev, stat.st_ino, stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns)

    @classmethod
    def of(cls, stat: os.stat_result, content: bytes | None = None) -> "FileState":
        return cls(cls.signature_of(stat), None if content is None else content_hash(content))

    def differs_from(self, stat: os.stat_result, content: bytes | None = None) -> bool:
        """True if the file is another one now.

        Args:
            content: What it holds now, if that is at hand; tells a mere touch from a change.
        """
        if self.signature == self.signature_of(stat):
            return False
        return self.hash is None or content is None or self.hash != content_hash(content)


def content_hash(content: bytes) -> bytes | None:
    """A hash to tell contents apart; None for what is too large to hash by the way."""
    if len(content) > limits.HASH_FILE_BYTES:
        return None
    return hashlib.blake2b(content, digest_size=16).digest()


def kind_of(mode: int) -> str | None:
    """What a file that is not a regular one is; None for a regular one."""
    kind = stat_module.S_IFMT(mode)
    return None if kind == stat_module.S_IFREG else _KINDS.get(kind, "a special file")


def open_regular(path: Path) -> int:
    """Open a regular file for reading and return its descriptor. Never waits and never opens anything else.

    Raises:
        NotRegularError: It is a directory, device, FIFO or socket.
        OSError: It is missing or may not be read.
    """
    if kind := kind_of(path.stat().st_mode):
        raise NotRegularError(kind)
    descriptor = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC | os.O_NOCTTY)
    if kind := kind_of(os.fstat(descriptor).st_mode):  # it was exchanged meanwhile
        os.close(descriptor)
        raise NotRegularError(kind)
    return descriptor


def read_regular(path: Path, max_bytes: int) -> tuple[bytes | None, os.stat_result]:
    """The content of a regular file and its stat from before; None for the content if it is larger.

    Raises:
        NotRegularError, OSError: As `open_regular`.
    """
    descriptor = open_regular(path)
    with os.fdopen(descriptor, "rb", buffering=0) as file:
        stat = os.fstat(descriptor)
        if stat.st_size > max_bytes:
            return None, stat
        content = bytearray()
        while piece := file.read(min(limits.MIB, max_bytes + 1 - len(content))):
            content += piece
            if len(content) > max_bytes:
                return None, stat
    return bytes(content), stat
