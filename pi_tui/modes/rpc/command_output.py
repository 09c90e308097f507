"""A command's output on its way from the command's thread to a client, none of it lost."""

import asyncio
import codecs
import contextlib
import re
import threading

HELD_BYTES = 1024 * 1024
"""Output nobody has taken yet at which the command has to wait, as it would at a full pipe."""

_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[PX^_][^\x1b]*\x1b\\|[ -/]+[0-~]|[0-OQ-WYZ\\`-~])"
)
_UNFINISHED = re.compile(r"\x1b(?:\[[0-?]*[ -/]*|[\]PX^_][^\x07\x1b]*\x1b?|[ -/]*)\Z")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
UNFINISHED_CHARACTERS = 4096
"""An escape sequence that has not ended by then is none."""


class CommandPipe:
    """Bytes from one thread to the event loop; whoever feeds waits while too much is held."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self._pieces: list[bytes] = []
        self._size = 0
        self._changed = threading.Condition()
        self._news = asyncio.Event()
        self._open = True
        self._let_go = False

    def feed(self, piece: bytes) -> None:
        """Called in the command's thread."""
        with self._changed:
            while self._size >= HELD_BYTES and not self._let_go:
                self._changed.wait()
            if self._let_go:
                return
            self._pieces.append(piece)
            self._size += len(piece)
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._news.set)

    async def read(self) -> bytes:
        """What came meanwhile; nothing when all of it has been read and the command has ended."""
        while True:
            with self._changed:
                pieces, self._pieces, self._size = self._pieces, [], 0
                self._changed.notify_all()
            if pieces or not self._open:
                return b"".join(pieces)
            self._news.clear()
            if not self._pieces:
                await self._news.wait()

    def close(self) -> None:
        """Nothing more will come."""
        self._open = False
        self._news.set()

    def let_go(self) -> None:
        """The command is being stopped: it must not be kept waiting, and what it still says is not held."""
        with self._changed:
            self._let_go = True
            self._changed.notify_all()


class PlainText:
    """Text without colours and control characters from bytes that may be cut anywhere."""

    def __init__(self) -> None:
        self._decode = codecs.getincrementaldecoder("utf-8")("replace").decode
        self._begun = ""

    def feed(self, piece: bytes) -> str:
        """The text that is certain now."""
        return self._cleaned(self._begun + self._decode(piece), final=False)

    def end(self) -> str:
        """What was left of it."""
        return self._cleaned(self._begun + self._decode(b"", True), final=True)

    def _cleaned(self, text: str, *, final: bool) -> str:
        self._begun = ""
        if "\x1b" in text:
            text = _ESCAPE.sub("", text)
            begun = None if final else _UNFINISHED.search(text)
            if begun is not None and len(begun[0]) <= UNFINISHED_CHARACTERS:
                text, self._begun = text[: begun.start()], begun[0]
        return _CONTROL.sub("", text)
