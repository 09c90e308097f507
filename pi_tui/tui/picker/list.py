"""The rows of a picker: one widget, whatever the number of items."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, TypeVar

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pi_tui.tui.editor.cells import fit, width_of
from pi_tui.tui.theme.palette import Palette

T = TypeVar("T")

LABEL_SHARE: Final = 0.55
"""The part of the width that labels may take when there are descriptions."""

MEASURED_ROWS: Final = 200
"""Rows around the chosen one whose labels decide how wide the column of labels is."""


@dataclass(frozen=True)
class PickerItem(Generic[T]):
    """One thing to choose."""

    value: T
    label: str
    description: str = ""
    marker: str = " "
    """One cell in front of the label, such as `✓` for what is in use."""
    search: str = ""
    """What can be searched for beside label and description."""
    haystack: str = field(init=False, repr=False, compare=False)
    """All that can be searched for, in lower case."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "haystack", f"{self.label} {self.description} {self.search}".lower())


class PickerList(Widget):
    """Shows items and which one is chosen. The screen around it moves the choice."""

    can_focus = False
    DEFAULT_CSS = "PickerList { height: 1; width: 100%; }"

    class Clicked(Message):
        """An item was clicked."""

    def __init__(self, palette: Palette, empty_text: str) -> None:
        super().__init__()
        self._palette = palette
        self._empty_text = empty_text
        self._items: Sequence[PickerItem[Any]] = ()
        self._chosen = 0
        self._top = 0

    @property
    def chosen(self) -> PickerItem[Any] | None:
        return self._items[self._chosen] if self._items else None

    @property
    def items(self) -> Sequence[PickerItem[Any]]:
        return self._items

    def show(self, items: Sequence[PickerItem[Any]], chosen: int = 0) -> None:
        """Show these items, with this one chosen."""
        self._items = items
        self._top = 0
        self.choose(chosen)

    def choose(self, index: int) -> None:
        """Choose by number; what is out of range chooses the first or last."""
        self._chosen = min(max(index, 0), max(0, len(self._items) - 1))
        rows = max(1, self.size.height)
        # Nothing is hidden above while there is room below.
        top = min(self._top, max(0, len(self._items) - rows))
        self._top = min(max(top, self._chosen - rows + 1), self._chosen)
        self.refresh()

    def move(self, by: int) -> None:
        """Choose another one; past the end comes the beginning."""
        if self._items:
            self.choose((self._chosen + by) % len(self._items))

    def move_page(self, direction: int) -> None:
        """Choose a page further, and stop at the end."""
        self.choose(self._chosen + direction * max(1, self.size.height - 1))

    def on_resize(self) -> None:
        self.choose(self._chosen)

    def on_click(self, event: events.Click) -> None:
        index = self._top + event.y
        if index < len(self._items):
            event.stop()
            self.choose(index)
            self.post_message(self.Clicked())

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self.choose(self._chosen - 1)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self.choose(self._chosen + 1)

    def render_line(self, y: int) -> Strip:
        width = self.size.width
        index = self._top + y
        if index >= len(self._items):
            text = self._empty_text if y == 0 and not self._items else ""
            return Strip([Segment(fit(f"   {text}", width), self._palette.style("muted"))])
        item = self._items[index]
        chosen = index == self._chosen
        background = "selectedBg" if chosen else None
        label_width = self._label_width()
        left = f"{'❯' if chosen else ' '}{fit(item.marker, 1)} {fit(item.label, label_width)} "
        right = fit(item.description, max(0, width - width_of(left)))
        return Strip(
            [
                Segment(left, self._palette.style("accent" if chosen else "text", background)),
                Segment(right, self._palette.style("muted", background)),
            ]
        ).adjust_cell_length(width)

    def _label_width(self) -> int:
        around = self._items[max(0, self._top - MEASURED_ROWS) : self._top + MEASURED_ROWS]
        if not any(item.description for item in around):
            return max(1, self.size.width - 4)
        widest = max(width_of(item.label) for item in around)
        return max(1, min(widest, int(self.size.width * LABEL_SHARE)))
