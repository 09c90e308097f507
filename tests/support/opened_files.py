"""Which files and folders anyone opens, as the Linux kernel tells."""

from __future__ import annotations

import ctypes
import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

IN_ACCESS, IN_OPEN, IN_NONBLOCK = 0x1, 0x20, 0x800
EVENT = struct.Struct("iIII")


class OpenedFiles:
    """What was opened below a folder since this was made; what is made in it later is not watched."""

    def __init__(self, folder: Path) -> None:
        libc = ctypes.CDLL(None, use_errno=True)
        self._descriptor = libc.inotify_init1(IN_NONBLOCK)
        if self._descriptor < 0:
            raise OSError(ctypes.get_errno(), "inotify_init1")
        self._folders: dict[int, Path] = {}
        for path in (folder, *(one for one in folder.rglob("*") if one.is_dir())):
            watch = libc.inotify_add_watch(self._descriptor, os.fsencode(path), IN_ACCESS | IN_OPEN)
            if watch < 0:
                raise OSError(ctypes.get_errno(), "inotify_add_watch", str(path))
            self._folders[watch] = path

    def paths(self) -> set[Path]:
        """Those that were opened since the last call."""
        try:
            data = os.read(self._descriptor, 1 << 20)
        except BlockingIOError:
            return set()
        found: set[Path] = set()
        while data:
            watch, _, _, length = EVENT.unpack_from(data)
            name = data[EVENT.size : EVENT.size + length].rstrip(b"\0")
            found.add(self._folders[watch] / os.fsdecode(name))
            data = data[EVENT.size + length :]
        return found

    def close(self) -> None:
        os.close(self._descriptor)


@contextmanager
def opened_below(folder: Path) -> Iterator[OpenedFiles]:
    opened = OpenedFiles(folder)
    try:
        yield opened
    finally:
        opened.close()
