"""What one command printed: its end in memory, all of its bytes in a file once it is long."""

from collections import deque
from collections.abc import Callable
from pathlib import Path

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.output_files import OutputFile
from pi_tui.agent.tools.terminal_text import terminal_text, without_colours

_JOINED_BYTES = 8 * limits.KIB
"""Smaller pieces are joined, so that a program that prints byte by byte costs no more."""

_CONTINUATION_BYTES = bytes(range(0x80, 0xC0))


class CommandOutput:
    """Takes bytes as they come, in bounded memory. Made for one thread.

    Nothing is cleaned before someone looks, so that what rushes by costs next to nothing.

    Args:
        folder: Where the full output goes once it is longer than what a result shows.
        tap: Gets every piece too.
    """

    def __init__(self, folder: Path, tap: Callable[[bytes], None] | None = None) -> None:
        self._tap = tap
        self.total_bytes = 0
        self.file: OutputFile | None = None
        self._folder = folder
        self._pieces: deque[bytes] = deque()
        self._kept_bytes = 0
        self.newlines = 0

    def feed(self, data: bytes) -> None:
        if self._tap is not None:
            self._tap(data)
        self.total_bytes += len(data)
        self.newlines += data.count(b"\n")
        if self._pieces and len(self._pieces[-1]) + len(data) <= _JOINED_BYTES:
            self._pieces[-1] += data
        else:
            self._pieces.append(data)
        self._kept_bytes += len(data)
        self._keep_in_file(data)
        while self._kept_bytes - len(self._pieces[0]) >= limits.TAIL_BYTES:
            self._kept_bytes -= len(self._pieces.popleft())

    def latest(self) -> str:
        """The end of the output so far, with colours, for a live view."""
        text = ""
        for size in limits.UPDATE_RAW_BYTES:
            text = terminal_text(self._end(size), final=False)
            if text.count("\n") >= limits.UPDATE_FEW_LINES or size >= self._kept_bytes:
                break
        return text[-limits.UPDATE_BYTES :]

    def text(self) -> str:
        """The end of the output, with colours: at least what a result shows, as far as it is kept."""
        text = ""
        for size in limits.RESULT_RAW_BYTES:
            text = terminal_text(self._end(size))
            plain = without_colours(text)
            if (
                size >= self._kept_bytes
                or plain.count("\n") > limits.MAX_LINES
                or len(plain) > limits.MAX_BYTES
            ):
                break
        return text

    def close_file(self) -> None:
        if self.file is not None:
            self.file.close()

    def forget_file(self) -> None:
        """A result shows all there is, so the file is not needed."""
        if self.file is not None:
            self.file.remove()
            self.file = None

    def _end(self, size: int) -> bytes:
        """The last `size` bytes, from the first whole line or at least character on."""
        pieces: list[bytes] = []
        found = 0
        for piece in reversed(self._pieces):
            if found >= size:
                break
            pieces.append(piece)
            found += len(piece)
        end = b"".join(reversed(pieces))[-size:]
        if len(end) == self.total_bytes:
            return end
        return end.partition(b"\n")[2] or end.lstrip(_CONTINUATION_BYTES)

    def _keep_in_file(self, data: bytes) -> None:
        if self.file is not None:
            self.file.write(data)
        elif self.total_bytes > limits.MAX_BYTES or self.newlines >= limits.MAX_LINES:
            self.file = OutputFile(self._folder)
            self.file.write(b"".join(self._pieces))
