"""Lines as they go to the screen: over the background, as wide as the view, with marks."""

from collections.abc import Sequence
from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pi_tui.tui.transcript.line import Line


class Highlight(NamedTuple):
    """Characters of a line in another style; `end` may lie past the line."""

    start: int
    end: int
    style: Style


def painted(line: Line, width: int, base: Style, highlights: Sequence[Highlight] = ()) -> Strip:
    """A line over `base`, exactly `width` cells wide."""
    key = (width, base)
    if highlights:
        return Strip(marked(line, highlights)).apply_style(base).adjust_cell_length(width, base)
    if line.painted is None or line.paint_key != key:
        line.painted = line.apply_style(base).adjust_cell_length(width, base)
        line.paint_key = key
    return line.painted


def marked(segments: Sequence[Segment] | Line, highlights: Sequence[Highlight]) -> list[Segment]:
    """Segments with the styles of highlights over their own; later highlights win."""
    marked = list(segments)
    for start, end, style in highlights:
        found: list[Segment] = []
        position = 0
        for text, own, control in marked:
            after = position + len(text)
            first, last = max(start, position) - position, min(end, after) - position
            if first >= last:
                found.append(Segment(text, own, control))
            else:
                inner = own + style if own is not None else style
                parts = ((text[:first], own), (text[first:last], inner), (text[last:], own))
                found += [Segment(part, part_style) for part, part_style in parts if part]
            position = after
        marked = found
    return marked
