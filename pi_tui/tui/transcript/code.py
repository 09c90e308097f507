"""A code block: its lines are coloured once, when they come, and wrapped once per width."""

from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.ansi import TAB_SIZE, clean, without_mark_floods
from pi_tui.tui.transcript.highlight import Highlighter, Piece
from pi_tui.tui.transcript.wrap import Row, fold

BAR = "│ "


class Code:
    """Code in a language named as in a fence's info string; lines may be added for as long as it is open."""

    def __init__(self, info: str) -> None:
        words = clean(info).split()
        self.language = words[0].strip("{}.").partition(":")[0][:40] if words else ""
        self.source: list[str] = []
        self._pieces: list[list[Piece]] = []
        self._highlighter: Highlighter | None = None
        self._partial = ""
        self._rows: list[Row] = []
        self._wrapped = 0
        self._key: tuple[int, Palette, Style] | None = None

    @classmethod
    def finished(cls, content: str, info: str) -> "Code":
        code = cls(info)
        for line in content.removesuffix("\n").split("\n"):
            code.add(line)
        return code

    def add(self, line: str) -> None:
        """Takes the next whole line, without its line break."""
        self._partial = ""
        self.source.append(line)

    def preview(self, partial: str) -> None:
        """Shows the beginning of a line of which more may come."""
        self._partial = partial

    @property
    def text(self) -> str:
        return "\n".join(self.source)

    def rows(self, width: int, palette: Palette, base: Style) -> list[Row]:
        """Rows of at most `width` cells, the bar at their left included."""
        key = (width, palette, base)
        if key != self._key:
            self._key = key
            self._rows = self._label(width, palette, base)
            self._wrapped = 0
        self._colour()
        for pieces in self._pieces[self._wrapped :]:
            self._rows += _code_rows(pieces, width, palette, base)
        self._wrapped = len(self._pieces)
        if not self._partial:
            return self._rows
        assert self._highlighter is not None
        partial = self._highlighter.fork().line(_flat(self._partial))
        return self._rows + _code_rows(partial, width, palette, base)

    def settled_rows(self) -> int:
        """How many of the rows last asked for will never change at that width."""
        return len(self._rows)

    def _colour(self) -> None:
        if self._highlighter is None:
            self._highlighter = Highlighter(self.language)
        for line in self.source[len(self._pieces) :]:
            self._pieces.append(self._highlighter.line(_flat(line)))

    def _label(self, width: int, palette: Palette, base: Style) -> list[Row]:
        if not self.language or width < 12:
            return []
        label = Segment(self.language[: width - 2], base + palette.style("dim"))
        return [Row([label], len(label.text))]


def _code_rows(pieces: list[Piece], width: int, palette: Palette, base: Style) -> list[Row]:
    runs = [Segment(text, base + palette.style(token or "mdCodeBlock")) for text, token in pieces]
    bar = BAR if width >= 12 else ""
    border = Segment(bar, base + palette.style("mdCodeBlockBorder"))
    rows = fold(runs or [Segment("", base)], width - len(bar))
    return [Row([border, *segments] if bar else segments, len(bar), joint) for segments, _, joint in rows]


def _flat(line: str) -> str:
    if line.isascii() and line.isprintable():
        return line
    return without_mark_floods(clean(line.expandtabs(TAB_SIZE)))
