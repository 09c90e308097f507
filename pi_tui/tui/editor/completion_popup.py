"""The list of completions above the editor."""

from collections.abc import Sequence
from typing import Final

from rich.segment import Segment
from textual import events
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pi_tui.tui.editor.cells import fit, width_of
from pi_tui.tui.editor.completion import Choice
from pi_tui.tui.theme.palette import Palette

LABEL_SHARE: Final = 0.6
"""The part of the width that labels may take when there are descriptions."""


class CompletionPopup(Widget):
    """Shows choices and which one is chosen; the editor has the focus and moves the choice."""

    can_focus = False
    DEFAULT_CSS = """
    CompletionPopup {
        display: none;
        overlay: screen;
        constrain: inside none;
        width: 100%;
        height: 1;
        offset: 0 -100%;
    }
    """

    class Clicked(Message):
        """A choice was clicked."""

        def __init__(self, index: int) -> None:
            super().__init__()
            self.index = index

    def __init__(self, palette: Palette) -> None:
        super().__init__()
        self.palette = palette
        self.rows = 5
        """Choices shown at a time."""
        self._choices: Sequence[Choice] = ()
        self._chosen = 0
        self._top = 0

    @property
    def is_open(self) -> bool:
        return bool(self._choices)

    @property
    def chosen(self) -> Choice | None:
        return self._choices[self._chosen] if self._choices else None

    @property
    def choices(self) -> Sequence[Choice]:
        return self._choices

    def show(self, choices: Sequence[Choice]) -> None:
        """Show these, the first one chosen; none closes the list."""
        self._choices, self._chosen, self._top = choices, 0, 0
        rows = min(self.rows, len(choices))
        if rows and (self.styles.height is None or self.styles.height.value != rows):
            self.styles.height = rows
        self.display = bool(rows)
        self.refresh()

    def close(self) -> None:
        if self._choices:
            self.show(())

    def move(self, by: int) -> None:
        """Choose the next or another one; past the end comes the beginning."""
        self._choose((self._chosen + by) % len(self._choices))

    def move_page(self, direction: int) -> None:
        """Choose a page further, and stop at the end."""
        self._choose(min(max(self._chosen + direction * self.rows, 0), len(self._choices) - 1))

    def _choose(self, index: int) -> None:
        self._chosen = index
        self._top = min(max(self._top, index - self.rows + 1), index)
        self.refresh()

    def on_click(self, event: events.Click) -> None:
        index = self._top + event.y
        if index < len(self._choices):
            event.stop()
            self.post_message(self.Clicked(index))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.stop()
        self._choose(max(self._chosen - 1, 0))

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.stop()
        self._choose(min(self._chosen + 1, len(self._choices) - 1))

    def choose(self, index: int) -> None:
        """Choose by number, as a click does."""
        self._choose(index)

    def render_line(self, y: int) -> Strip:
        index = self._top + y
        if index >= len(self._choices):
            return Strip.blank(self.size.width)
        choice = self._choices[index]
        width, chosen = self.size.width, index == self._chosen
        background = "selectedBg" if chosen else "toolPendingBg"
        left = f" {fit(choice.label, self._label_width())} "
        right = fit(choice.description, max(0, width - width_of(left)))
        label_style = self.palette.style("accent" if chosen else "text", background)
        other_style = self.palette.style("muted", background)
        strip = Strip([Segment(left, label_style), Segment(right, other_style)])
        return strip.adjust_cell_length(width, other_style)

    def _label_width(self) -> int:
        widest = max(width_of(choice.label) for choice in self._choices[self._top : self._top + self.rows])
        if not any(choice.description for choice in self._choices):
            return self.size.width - 2
        return min(widest, int(self.size.width * LABEL_SHARE))
