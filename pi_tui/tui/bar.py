"""Fixed rows at the edge of the screen, drawn without any layout."""

from collections.abc import Sequence

from rich.segment import Segment
from rich.style import Style
from rich.text import Text
from textual.strip import Strip
from textual.widget import Widget


class Bar(Widget):
    """Rows of text that change in place. A changed row repaints itself; nothing is laid out again."""

    DEFAULT_CSS = """
    Bar { height: auto; width: 1fr; }
    """

    def __init__(self, rows: int = 1, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._rows = rows
        self._lines: list[Text] = []

    @property
    def rows(self) -> int:
        return self._rows

    def show(self, lines: Sequence[Text]) -> None:
        """Draws these lines; layout happens only when their number changes."""
        lines = list(lines)
        if lines == self._lines:
            return
        resized = len(lines) != self._rows
        self._lines = lines
        self._rows = len(lines)
        self.refresh(layout=resized)

    def get_content_height(self, container: object, viewport: object, width: int) -> int:
        return self._rows

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        background = Style.from_color(bgcolor=self.rich_style.bgcolor)
        if y >= len(self._lines):
            return Strip.blank(width, background)
        line = self._lines[y].copy()
        line.truncate(width, overflow="ellipsis")
        segments = [
            Segment(part.text, background + (part.style or Style())) for part in _segments(line, self)
        ]
        return Strip(segments).adjust_cell_length(width, background)


def _segments(line: Text, widget: Widget) -> list[Segment]:
    line.end = ""
    if not line.spans:
        # A text of one style is rendered by Rich without it.
        line.stylize(line.style)
    return list(line.render(widget.app.console))


def justify(left: Text, right: Text, width: int) -> Text:
    """`left` and `right` on one line of `width` cells; what does not fit is taken from the left part."""
    gap = width - left.cell_len - right.cell_len
    if gap < 1:
        left = left.copy()
        left.truncate(max(0, width - right.cell_len - 1), overflow="ellipsis")
        gap = width - left.cell_len - right.cell_len
    return Text.assemble(left, " " * max(0, gap), right)
