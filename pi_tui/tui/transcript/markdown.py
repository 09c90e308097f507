"""Markdown that grows: what is finished is rendered once, only its open end again and again."""

from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.ansi import clean
from pi_tui.tui.transcript.code import Code
from pi_tui.tui.transcript.line import BLANK, Line, line_of
from pi_tui.tui.transcript.markdown_layout import Layout, needs_gap
from pi_tui.tui.transcript.markdown_mend import mended
from pi_tui.tui.transcript.markdown_nodes import Node, Table
from pi_tui.tui.transcript.markdown_parse import parse
from pi_tui.tui.transcript.markdown_split import (
    WINDOW,
    Fence,
    finished_blocks,
    forced_cut,
    last_blocks,
    opened_fence,
    without_leading_blanks,
)


def warm_up() -> None:
    """Loads the parsers and the commonest languages; takes some 100 ms and belongs in a thread."""
    from pi_tui.tui.transcript.highlight import Highlighter, language_of

    parse("- warm\n\n| a |\n|---|\n| *b* |\n")
    language_of("warm.py")
    for language in ("python", "bash", "json", "javascript", "diff"):
        Highlighter(language).line("x = 1  # warm\n")


class _Piece:
    """A finished part of the text: its nodes, and its lines at the width they were last asked for."""

    def __init__(self, nodes: list[Node], gap: bool) -> None:
        self.nodes = nodes
        self.gap = gap
        self.lines: list[Line] | None = None


class MarkdownText:
    """Markdown text that may grow until it is finished.

    Args:
        text: What is there already.
        muted: True sets everything in the base style alone.
    """

    def __init__(self, text: str = "", *, muted: bool = False) -> None:
        self._muted = muted
        self._sources: list[str] = []
        self._incoming: list[str] = []
        self._tail = ""
        self._examined = 0
        self._pieces: list[_Piece] = []
        self._fence: Fence | None = None
        self._code: Code | None = None
        self._code_lines: list[Line] = []
        self._joined = False
        self._table_continues = False
        self._done = False
        self._key: tuple[int, Palette, Style, int] | None = None
        self._lines: list[Line] = []
        self._settled = 0
        self._layout: Layout | None = None
        self.size = 0
        """Characters so far."""
        if text:
            self.append(text)

    def append(self, delta: str) -> None:
        self._incoming.append(delta)
        self.size += len(delta)

    def finish(self) -> None:
        """Nothing more will come: markup that is open now stays as it was written."""
        self._done = True

    def forget(self) -> None:
        """Gives back what a finished text can be rendered from its source again."""
        if self._done:
            text = self.source
            self.__init__(text, muted=self._muted)  # type: ignore[misc]
            self._done = True

    @property
    def source(self) -> str:
        self._take()
        return "".join(self._sources)

    def lines(self, width: int, palette: Palette, base: Style, indent: int = 0) -> list[Line]:
        """The lines at a width in cells, each `indent` cells in; the list stays the text's own."""
        self._advance()
        key = (width, palette, base, indent)
        if key != self._key or self._layout is None:
            self._key = key
            self._layout = Layout(palette, base, muted=self._muted)
            self._lines = []
            self._settled = 0
            self._code_lines = []
            for piece in self._pieces:
                piece.lines = None
        return self._rendered(max(1, width - indent), Segment(" " * indent, base), self._layout)

    def _take(self) -> bool:
        if not self._incoming:
            return False
        delta = "".join(self._incoming)
        self._incoming.clear()
        self._sources.append(delta)
        self._tail += clean(delta)
        return True

    def _advance(self) -> None:
        """Splits off what is finished."""
        grown = self._take()
        if not grown and not self._done:
            return
        while self._step():
            pass

    def _step(self) -> bool:
        """Takes one piece off the tail; False if nothing more can be taken yet."""
        if self._fence is not None:
            return self._feed_fence()
        self._tail = without_leading_blanks(self._tail)
        opened = opened_fence(self._tail)
        if opened is not None:
            self._open_fence(opened[0])
            self._tail = self._tail[opened[1] :]
            return True
        if len(self._tail) < WINDOW:
            if self._done:
                return self._end()
            # A block can only end where a line does.
            newline = self._tail.rfind("\n") + 1
            if newline == self._examined:
                return False
            self._examined = newline
        blocks = finished_blocks(self._tail)
        if not blocks and len(self._tail) < WINDOW:
            return False
        self._examined = 0
        if blocks:
            for block in blocks:
                self._add(block)
            self._tail = self._tail[sum(map(len, blocks)) :]
        else:
            self._cut()
        return True

    def _end(self) -> bool:
        if not self._tail.strip():
            self._tail = ""
            return False
        blocks = last_blocks(self._tail)
        for block in blocks:
            self._add(block)
        self._tail = self._tail[sum(map(len, blocks)) :]
        return bool(self._tail)

    def _cut(self) -> None:
        cut = forced_cut(self._tail)
        taken = self._tail[: cut.end]
        self._add(taken)
        self._tail = cut.table_head + self._tail[cut.end :]
        self._joined = not taken.endswith("\n\n")
        self._table_continues = bool(cut.table_head)
        if cut.fence is not None:
            self._open_fence(cut.fence)

    def _add(self, source: str) -> None:
        nodes = parse(source)
        if not nodes:
            return
        if self._table_continues and isinstance(nodes[0], Table):
            nodes[0].continued = True
        self._pieces.append(_Piece(nodes, self._gap_before(nodes[0])))
        self._joined = self._table_continues = False

    def _gap_before(self, node: Node) -> bool:
        if self._joined or not self._pieces:
            return False
        return needs_gap(self._pieces[-1].nodes[-1], node)

    def _open_fence(self, fence: Fence) -> None:
        self._fence = fence
        self._code = Code(fence.info)
        self._pieces.append(_Piece([self._code], self._gap_before(self._code)))
        self._joined = False

    def _feed_fence(self) -> bool:
        assert self._fence is not None and self._code is not None
        lines = self._tail.split("\n")
        partial = lines.pop()
        for number, line in enumerate(lines):
            if self._fence.closed_by(line):
                self._tail = "\n".join([*lines[number + 1 :], partial])
                self._close_fence()
                return True
            self._code.add(self._fence.content(line))
        self._tail = partial
        if self._done:
            if partial and not self._fence.closed_by(partial):
                self._code.add(self._fence.content(partial))
            self._tail = ""
            self._close_fence()
            return False
        closing = partial.strip() and not partial.strip().strip(self._fence.mark[0])
        self._code.preview("" if closing else self._fence.content(partial))
        return False

    def _close_fence(self) -> None:
        assert self._code is not None
        self._code.preview("")
        self._fence = self._code = None
        self._code_lines = []

    def _rendered(self, width: int, prefix: Segment, layout: Layout) -> list[Line]:
        del self._lines[self._settled :]
        first = next((n for n, piece in enumerate(self._pieces) if piece.lines is None), len(self._pieces))
        for piece in self._pieces[first:]:
            growing = self._code is not None and piece.nodes[0] is self._code
            if growing:
                break
            piece.lines = self._piece_lines(piece, width, prefix, layout)
            self._lines += piece.lines
        self._settled = len(self._lines)
        if self._code is not None:
            self._lines += self._growing_code(self._pieces[-1], width, prefix, layout)
        elif self._tail.strip() and not self._done:
            self._lines += self._open_lines(width, prefix, layout)
        return self._lines

    def _piece_lines(self, piece: _Piece, width: int, prefix: Segment, layout: Layout) -> list[Line]:
        rows = layout.rows(piece.nodes, width)
        lines = [line_of(row, prefix) for row in rows]
        return [BLANK, *lines] if piece.gap else lines

    def _growing_code(self, piece: _Piece, width: int, prefix: Segment, layout: Layout) -> list[Line]:
        assert self._code is not None
        rows = self._code.rows(width, layout.palette, layout.base)
        settled = self._code.settled_rows()
        for row in rows[len(self._code_lines) : settled]:
            self._code_lines.append(line_of(row, prefix))
        lines = self._code_lines + [line_of(row, prefix) for row in rows[settled:]]
        return [BLANK, *lines] if piece.gap else lines

    def _open_lines(self, width: int, prefix: Segment, layout: Layout) -> list[Line]:
        nodes = parse(mended(self._tail))
        if not nodes:
            return []
        if self._table_continues and isinstance(nodes[0], Table):
            nodes[0].continued = True
        rows = layout.rows(nodes, width)
        lines = [line_of(row, prefix) for row in rows]
        return [BLANK, *lines] if self._gap_before(nodes[0]) else lines
