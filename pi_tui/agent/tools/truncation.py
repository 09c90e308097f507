"""Keeping the first or the last lines of a text within a number of lines and of UTF-8 bytes."""

from dataclasses import dataclass
from typing import Literal

from pi_tui.agent.tools import limits


@dataclass(frozen=True)
class Tail:
    """The end of a text.

    `first_line` to `last_line` are counted from 1; `cut_by` is None if nothing was left out. If the last line
    alone is too long, only its end is kept and `partial_line` is true.
    """

    text: str
    first_line: int
    last_line: int
    cut_by: Literal["lines", "bytes"] | None
    partial_line: bool = False


def tail(
    text: str, total_lines: int, max_lines: int = limits.MAX_LINES, max_bytes: int = limits.MAX_BYTES
) -> Tail:
    """The last whole lines of `text`, which ends a text of `total_lines` lines (some may be gone already)."""
    had_newline = text.endswith("\n")
    lines = text[:-1].split("\n") if had_newline else text.split("\n")
    if not text:
        return Tail("", 1, total_lines, None if total_lines == 0 else "bytes")
    size = 0
    kept = 0
    cut_by: Literal["lines", "bytes"] | None = None
    for line in reversed(lines):
        if kept == max_lines:
            cut_by = "lines"
            break
        size += len(line.encode("utf-8", "replace")) + (1 if kept or had_newline else 0)
        if size > max_bytes:
            cut_by = "bytes"
            break
        kept += 1
    if cut_by is None and len(lines) < total_lines:
        cut_by = "bytes"
    if kept == 0:
        return Tail(last_bytes(lines[-1], max_bytes), total_lines, total_lines, "bytes", partial_line=True)
    shown = text if cut_by is None or kept == len(lines) else "\n".join(lines[-kept:]) + ("\n" * had_newline)
    return Tail(shown, total_lines - kept + 1, total_lines, cut_by)


def last_bytes(text: str, max_bytes: int) -> str:
    """The end of `text` that fits into `max_bytes` of UTF-8, whole characters only."""
    encoded = text[-max_bytes:].encode("utf-8", "replace")
    return encoded[-max_bytes:].decode("utf-8", "ignore") if len(encoded) > max_bytes else text[-max_bytes:]


class Head:
    """Takes the bytes of a file piece by piece and keeps the first whole lines from `first_line` on.

    All lines are counted, kept or not. `line_bytes` is the size of the line that did not fit, when it is the
    first one. Memory: at most `max_bytes` and one piece.
    """

    def __init__(
        self, first_line: int = 1, max_lines: int = limits.MAX_LINES, max_bytes: int = limits.MAX_BYTES
    ) -> None:
        self._first_line = first_line
        self._max_lines = max_lines
        self._max_bytes = max_bytes
        self._kept: list[bytes] = []
        self._size = 0
        self._open = bytearray()
        self._open_bytes = 0
        self._newlines = 0
        self._ended_with_newline = True
        self.full_by: Literal["lines", "bytes"] | None = None
        """Which limit ended the keeping."""

    @property
    def total_lines(self) -> int:
        return self._newlines + (0 if self._ended_with_newline else 1)

    @property
    def kept_lines(self) -> int:
        return len(self._kept)

    @property
    def content(self) -> bytes:
        return b"".join(self._kept)

    @property
    def first_line_bytes(self) -> int:
        """Bytes of line `first_line`, without its end, if it was too long to keep."""
        return self._open_bytes if not self._kept else 0

    def feed(self, piece: bytes) -> None:
        if not piece:
            return
        start = 0
        while self.full_by is None and start < len(piece):
            skip = self._first_line - 1 - self._newlines
            start = self._skip(piece, start, skip) if skip > 0 else self._keep(piece, start)
        if start < len(piece):
            self._measure_first_line(piece, start)
            self._newlines += piece.count(b"\n", start)
        self._ended_with_newline = piece.endswith(b"\n")

    def close(self) -> None:
        """The file is at its end: an open last line is a line."""
        if self.full_by is None and self._open:
            self._add(bytes(self._open))

    def _skip(self, piece: bytes, start: int, lines: int) -> int:
        if piece.count(b"\n", start) < lines:
            self._newlines += piece.count(b"\n", start)
            return len(piece)
        for _ in range(lines):
            start = piece.index(b"\n", start) + 1
        self._newlines += lines
        return start

    def _keep(self, piece: bytes, start: int) -> int:
        if len(self._kept) == self._max_lines:
            self.full_by = "lines"
            return start
        end = piece.find(b"\n", start) + 1
        part = piece[start : end or len(piece)]
        if self._size + len(self._open) + len(part) > self._max_bytes + (1 if end else 0):
            self.full_by = "bytes"
            self._open_bytes = len(self._open)
            return start
        self._open += part
        if end:
            self._add(bytes(self._open))
            self._open.clear()
            self._newlines += 1
        return end or len(piece)

    def _add(self, line: bytes) -> None:
        self._kept.append(line)
        self._size += len(line)

    def _measure_first_line(self, piece: bytes, start: int) -> None:
        if self._kept or self._newlines != self._first_line - 1:
            return
        end = piece.find(b"\n", start)
        self._open_bytes += (end if end >= 0 else len(piece)) - start
