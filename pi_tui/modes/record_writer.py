"""Writes records for a reader that may be slow, may stop, or may be gone."""

import asyncio
import contextlib
import os
import threading
from collections import deque

EVENTS_WAIT_AT = 1024 * 1024
"""Bytes nobody has read yet at which events are held back, and with them the run."""
COMMANDS_WAIT_AT = 64 * 1024 * 1024
"""Bytes nobody has read yet at which no further command is taken; enough for a client that writes thousands of
commands before it reads the first answer."""
WRITE_BYTES = 256 * 1024


class RecordWriter:
    """One thread that writes to a descriptor, and a queue in front of it.

    A thread, because a descriptor of ours may be a file, a pipe or a terminal, and none of them may be switched to
    non-blocking: other processes share it. It is a daemon: a reader that never reads again keeps nobody from leaving.

    Args:
        descriptor: Where the records go; it is not closed.
    """

    def __init__(self, descriptor: int) -> None:
        self.gone = False
        """The reader has closed its end, or the disk is full: what is written goes nowhere."""
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._waiting: deque[bytes] = deque()
        self._size = 0
        self._changed = threading.Condition()
        self._closed = False
        self._progress = asyncio.Event()
        self._thread = threading.Thread(target=self._write_all, name="records", daemon=True)
        self._thread.start()

    @property
    def unread(self) -> int:
        """Bytes that are not written yet."""
        return self._size

    def put(self, record: bytes) -> None:
        """Takes a record; it never waits. Whoever makes many looks at `room` in between."""
        if self.gone or not record:
            return
        with self._changed:
            self._waiting.append(record)
            self._size += len(record)
            self._changed.notify()

    async def room(self, limit: int = EVENTS_WAIT_AT) -> None:
        """Returns when fewer than `limit` bytes wait, or nobody reads any more."""
        while self._size >= limit and not self.gone:
            self._progress.clear()
            if self._size >= limit and not self.gone:
                await self._progress.wait()

    async def close(self, patience: float) -> None:
        """Writes what waits, as long as something is read every `patience` seconds."""
        with contextlib.suppress(TimeoutError):
            while self._size and not self.gone:
                self._progress.clear()
                if self._size:
                    await asyncio.wait_for(self._progress.wait(), patience)
        with self._changed:
            self._closed = True
            self._changed.notify()

    def _write_all(self) -> None:
        while piece := self._next():
            try:
                os_write_all(self._descriptor, piece)
            except OSError:
                self.gone = True
                with self._changed:
                    self._waiting.clear()
                    self._size = 0
            else:
                with self._changed:
                    self._size -= len(piece)
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._progress.set)
            if self.gone:
                return

    def _next(self) -> bytes:
        """What is written next: small records together, a large one by itself; nothing at the end."""
        with self._changed:
            while not self._waiting:
                if self._closed:
                    return b""
                self._changed.wait()
            parts, size = [self._waiting.popleft()], 0
            while self._waiting and size + len(parts[-1]) + len(self._waiting[0]) <= WRITE_BYTES:
                size += len(parts[-1])
                parts.append(self._waiting.popleft())
        return parts[0] if len(parts) == 1 else b"".join(parts)


def os_write_all(descriptor: int, data: bytes) -> None:
    """Writes all of it, however little the descriptor takes at a time."""
    view = memoryview(data)
    while view:
        view = view[os.write(descriptor, view) :]
