"""Reads a descriptor of any kind without keeping the event loop waiting."""

import asyncio
import contextlib
import os
import threading
from collections.abc import AsyncIterator

READ_BYTES = 1024 * 1024


class DescriptorReader:
    """Pieces of bytes as they come. The next one is read when the one before has been taken.

    A thread, because a descriptor may be a file, a pipe or a terminal; a daemon, because nothing ends its waiting.

    Args:
        descriptor: What is read; it is not closed.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._loop = asyncio.get_running_loop()
        self._pieces: asyncio.Queue[bytes] = asyncio.Queue(1)
        self._wanted = threading.Semaphore(0)
        threading.Thread(target=self._read, name="commands", daemon=True).start()

    async def pieces(self) -> AsyncIterator[bytes]:
        """Everything until the end."""
        while True:
            self._wanted.release()
            piece = await self._pieces.get()
            if not piece:
                return
            yield piece

    def _read(self) -> None:
        piece = b"?"
        while piece:
            self._wanted.acquire()
            try:
                piece = os.read(self._descriptor, READ_BYTES)
            except OSError:
                piece = b""
            with contextlib.suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(self._pieces.put_nowait, piece)
