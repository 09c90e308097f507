"""What one command printed: its cleaned end in memory, all of its bytes in a file once it is long."""

from collections import deque
from pathlib import Path

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.output_files import OutputFile
from pi_tui.agent.tools.terminal_text import TerminalText, without_colours

_JOINED_CHARS = 8 * limits.KIB
"""Smaller pieces are joined, so that a program that prints byte by byte costs no more."""


class CommandOutput:
    """Takes bytes as they come, in bounded memory. Made for one thread.

    Args:
        folder: Where the full output goes once it is longer than what a result shows.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._terminal = TerminalText()
        self._settled: deque[str] = deque()
        self._settled_chars = 0
        self._beginning = bytearray()
        self._newlines = 0
        self._file: OutputFile | None = None
        self.total_bytes = 0

    def feed(self, data: bytes) -> None:
        self.total_bytes += len(data)
        self._newlines += data.count(b"\n")
        self._keep_raw(data)
        self._settle(self._terminal.feed(data))

    def close(self) -> None:
        """No more will come: what was held back for its second half is settled."""
        self._settle(self._terminal.feed(b"", final=True))
        if self._file is not None:
            self._file.close()

    @property
    def total_lines(self) -> int:
        open_line = without_colours(self._terminal.open_line).rstrip("\r")
        return self._newlines + bool(open_line or self._ends_inside_a_line())

    @property
    def file(self) -> OutputFile | None:
        return self._file

    def forget_file(self) -> None:
        """The result shows all there is, so the file is not needed."""
        if self._file is not None:
            self._file.remove()
            self._file = None

    def end(self, chars: int = limits.TAIL_CHARS) -> str:
        """The last `chars` or so of the text, with colours."""
        pieces = [self._terminal.open_line.rstrip("\r")]
        size = len(pieces[0])
        for piece in reversed(self._settled):
            if size >= chars:
                break
            pieces.append(piece)
            size += len(piece)
        return "".join(reversed(pieces))

    def text(self) -> str:
        """The end without colours."""
        return without_colours(self.end())

    def _ends_inside_a_line(self) -> bool:
        return bool(self._settled) and not self._settled[-1].endswith("\n")

    def _settle(self, text: str) -> None:
        if not text:
            return
        if self._settled and len(self._settled[-1]) < _JOINED_CHARS:
            self._settled[-1] += text
        else:
            self._settled.append(text)
        self._settled_chars += len(text)
        while self._settled_chars - len(self._settled[0]) >= limits.TAIL_CHARS:
            self._settled_chars -= len(self._settled.popleft())

    def _keep_raw(self, data: bytes) -> None:
        if self._file is not None:
            self._file.write(data)
            return
        self._beginning += data
        if self.total_bytes > limits.MAX_BYTES or self._newlines >= limits.MAX_LINES:
            self._file = OutputFile(self._folder)
            self._file.write(bytes(self._beginning))
            self._beginning.clear()
