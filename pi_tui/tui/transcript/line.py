"""One rendered line of the transcript, and what a block needs to know to render it."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.wrap import Row

INDENT = 2
"""Cells at the left of every block's text, for its sign."""
MIN_INDENTED_WIDTH = 12
"""Cells below which nothing is indented."""


class KeyHints(NamedTuple):
    """The keys that hints in the transcript name, for people; empty where an action has none."""

    expand: str = ""
    thinking: str = ""


NO_KEYS = KeyHints()


@dataclass(frozen=True)
class Look:
    """Everything that decides how a block renders beside its content."""

    width: int
    """Cells."""
    palette: Palette
    show_thinking: bool = True
    expanded: bool = False
    """What blocks show that the user has not opened or closed one by one."""
    keys: KeyHints = NO_KEYS

    @property
    def expand_hint(self) -> str:
        """What stands behind the number of hidden lines."""
        return f" ({self.keys.expand})" if self.keys.expand else ""

    @property
    def indent(self) -> int:
        return INDENT if self.width >= MIN_INDENTED_WIDTH else 0

    @property
    def text_width(self) -> int:
        return max(1, self.width - self.indent)


class Line(Strip):
    """A strip that knows how to be copied.

    Args:
        gutter: How many leading characters are decoration and stay out of copied text.
        joint: What stands between the line before and this one when a long line was wrapped; None where the
            text itself has a line break.
    """

    __slots__ = ("gutter", "joint", "paint_key", "painted")

    def __init__(
        self,
        segments: Iterable[Segment],
        cell_length: int | None = None,
        *,
        gutter: int = 0,
        joint: str | None = None,
    ) -> None:
        super().__init__(segments, cell_length)
        self.gutter = gutter
        self.joint = joint
        self.painted: Strip | None = None
        self.paint_key: object = None

    def within(self, width: int) -> "Line":
        """The line itself if it fits, else what of it fits."""
        if self.cell_length <= width:
            return self
        return Line(self.crop(0, width), gutter=self.gutter, joint=self.joint)


BLANK = Line([], 0)


def line_of(row: Row, prefix: Segment | None = None, fill: tuple[int, Style] | None = None) -> Line:
    """A row as a line.

    Args:
        prefix: Decoration at its left.
        fill: The width to pad it to, in cells, and the style under all of it.
    """
    segments, gutter, joint = row
    if prefix is not None and prefix.text and (segments or fill is not None or not prefix.text.isspace()):
        segments = [prefix, *segments]
        gutter += len(prefix.text)
    if fill is None:
        return Line(segments, gutter=gutter, joint=joint)
    width, under = fill
    segments = [Segment(text, under + style if style else under) for text, style, _ in segments]
    length = sum(segment.cell_length for segment in segments)
    if length < width:
        segments.append(Segment(" " * (width - length), under))
        length = width
    return Line(segments, length, gutter=gutter, joint=joint)
