"""One rendered line of the transcript, and what a block needs to know to render it."""

from collections.abc import Iterable
from dataclasses import dataclass

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pi_tui.tui.theme.palette import Palette


@dataclass(frozen=True)
class Look:
    """Everything that decides how a block renders beside its content."""

    width: int
    """Cells."""
    palette: Palette
    show_thinking: bool = True
    expanded: bool = False
    """What blocks show that the user has not opened or closed one by one."""


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


def copied_text(lines: Iterable[Line]) -> str:
    """The text of lines as it was before it was indented and wrapped."""
    parts: list[str] = []
    for number, line in enumerate(lines):
        if number:
            parts.append("\n" if line.joint is None else line.joint)
        parts.append(line.text[line.gutter :].rstrip())
    return "".join(parts)


def filled(
    segments: list[Segment], width: int, style: Style, *, gutter: int = 0, joint: str | None = None
) -> Line:
    """A line padded with `style` to the full width."""
    length = sum(segment.cell_length for segment in segments)
    if length < width:
        segments = [*segments, Segment(" " * (width - length), style)]
        length = width
    return Line(segments, length, gutter=gutter, joint=joint)
