"""A scrollbar as thin as a terminal allows."""

from math import ceil

from rich.color import Color as RichColor
from rich.segment import Segment, Segments
from rich.style import Style
from textual.scrollbar import ScrollBarRender

_THUMB = "▐"
_DEFAULT = RichColor.default()


class ThinScrollBar(ScrollBarRender):
    """A half-cell thumb, and nothing where there is nothing to scroll."""

    @classmethod
    def render_bar(  # noqa: PLR0917
        cls,
        size: int = 25,
        virtual_size: float = 50,
        window_size: float = 20,
        position: float = 0,
        thickness: int = 1,
        vertical: bool = True,
        back_color: RichColor = _DEFAULT,
        bar_color: RichColor = _DEFAULT,
    ) -> Segments:
        blank = " " * thickness
        if not window_size or not size or virtual_size <= window_size:
            return Segments([Segment(blank, Style(bgcolor=back_color))] * size, new_lines=True)
        length = max(1, ceil(size * window_size / virtual_size))
        start = round((size - length) * min(1.0, position / (virtual_size - window_size)))
        above = Segment(blank, Style(bgcolor=back_color, meta={"@mouse.down": "scroll_up"}))
        below = Segment(blank, Style(bgcolor=back_color, meta={"@mouse.down": "scroll_down"}))
        thumb = Style(color=bar_color, bgcolor=back_color, meta={"@mouse.down": "grab"})
        segments = [above] * start + [Segment(_THUMB * thickness, thumb)] * length
        return Segments(segments + [below] * (size - len(segments)), new_lines=True)
