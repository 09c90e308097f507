"""The rows of the tree: one widget with the line API, whatever the number of entries."""

import re
import time
from functools import lru_cache
from typing import Final

from rich.segment import Segment
from textual import events
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.widget import Widget

from pi_tui.session.identity import milliseconds_of
from pi_tui.session.outline.layout import Layout, lay_out
from pi_tui.session.outline.outline import Outline
from pi_tui.session.outline.texts import EntryText, entry_text
from pi_tui.tui.editor.cells import fit
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.ansi import one_line
from pi_tui.tui.tree.age import age, clock_time
from pi_tui.tui.tree.row_strip import RowContent, RowLook, levels_in, row_strip

KEPT_TEXTS: Final = 512
"""Rows whose texts are kept."""
ROW_TEXT: Final = 400
"""Characters of a row's text; no screen is as wide."""
CONTEXT: Final = 2
"""Rows that stay in sight above and below the selected one."""
WHEEL_ROWS: Final = 3
NO_ROWS: Final = lay_out((), (), bytearray(), ())


class TreeRows(Widget):
    """Shows a layout of the outline and which row is selected. The screen around it moves the selection."""

    can_focus = False
    DEFAULT_CSS = "TreeRows { height: 1fr; width: 1fr; }"

    class Clicked(Message):
        """A row was clicked: it is selected now."""

        def __init__(self, twice: bool) -> None:
            super().__init__()
            self.twice = twice

    def __init__(self, outline: Outline, palette: Palette) -> None:
        super().__init__()
        self._outline = outline
        self._palette = palette
        self._layout = NO_ROWS
        self._selected = 0
        self._top = 0
        self._leaf_row: int | None = None
        self._match: re.Pattern[str] | None = None
        self._empty_text = ""
        self._label_times: dict[str, int] | None = None
        self._said = lru_cache(KEPT_TEXTS)(self._read)
        self._strips: dict[int, Strip] = {}
        self._look = RowLook(0, palette)

    @property
    def layout_shown(self) -> Layout:
        return self._layout

    @property
    def selected(self) -> int:
        """The selected row."""
        return self._selected

    @property
    def selected_id(self) -> str | None:
        """The entry of the selected row."""
        if not len(self._layout):
            return None
        return self._outline.ids[self._layout.numbers[self._selected]]

    def show(self, layout: Layout, selected: int | None, *, words: str = "", empty_text: str = "") -> None:
        """Shows a layout with this row selected, or the last one.

        Args:
            layout: The rows.
            selected: The row to select; None for the last one.
            words: What stands out: the words of a search.
            empty_text: What to say if there are no rows.
        """
        self._layout = layout
        self._strips.clear()
        self._leaf_row = self._outline.leaf_row(layout)
        self._empty_text = empty_text
        found = [re.escape(word) for word in words.split()]
        self._match = re.compile("|".join(found), re.IGNORECASE) if found else None
        self._selected = len(layout) - 1 if selected is None else selected
        self.select(self._selected)
        self.refresh()

    def show_label_times(self, times: dict[str, int] | None) -> None:
        """Shows when labels were given, in Unix milliseconds by entry; None takes the times away."""
        self._label_times = times
        self._strips.clear()
        self.refresh()

    def select(self, row: int) -> None:
        """Selects a row; what is out of range selects the first or last."""
        before, top, shift = self._selected, self._top, self._shift()
        self._selected = min(max(row, 0), max(0, len(self._layout) - 1))
        self._bring_into_sight()
        if (top, shift) != (self._top, self._shift()):
            self.refresh()
        elif before != self._selected:
            rows = [Region(0, one - top, self.size.width, 1) for one in (before, self._selected)]
            self.refresh(*rows)

    def _bring_into_sight(self) -> None:
        height = max(1, self.size.height)
        context = min(CONTEXT, (height - 1) // 2)
        first, last = max(0, self._selected - context), self._selected - height + 1 + context
        self._top = min(max(self._top, last), first, max(0, len(self._layout) - height))

    def select_page(self, direction: int) -> None:
        self.select(self._selected + direction * max(1, self.size.height - 1))

    def on_resize(self) -> None:
        self.select(self._selected)

    def on_click(self, event: events.Click) -> None:
        row = self._top + event.y
        if row < len(self._layout):
            event.stop()
            self.select(row)
            self.post_message(self.Clicked(event.chain == 2))

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        self._wheel(event, -WHEEL_ROWS)

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        self._wheel(event, WHEEL_ROWS)

    def _wheel(self, event: events.MouseEvent, rows: int) -> None:
        event.stop()
        self.select(self._selected + rows)
        self.post_message(self.Clicked(False))

    def render_lines(self, crop: Region) -> list[Strip]:
        """The strips of a region: there is no border or padding that would need more care."""
        # The first paint comes before the news of the size.
        self._bring_into_sight()
        background, filters = self.background_colors[1], self.get_line_filters()
        strips = [self.render_line(y) for y in crop.line_range]
        for line_filter in filters:
            strips = [strip.apply_filter(line_filter, background) for strip in strips]
        if crop.column_span != (0, self.size.width):
            strips = [strip.crop(*crop.column_span) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        row, width = self._top + y, self.size.width
        if row >= len(self._layout):
            text = self._empty_text if y == 0 and not len(self._layout) else ""
            return Strip([Segment(fit(f"  {text}", width), self._palette.style("muted"))])
        look = RowLook(width, self._palette, self._shift(), self._match)
        if look != self._look or len(self._strips) > KEPT_TEXTS:
            self._strips.clear()
            self._look = look
        if row == self._selected:
            return row_strip(self._content(row), look, selected=True)
        strip = self._strips.get(row)
        if strip is None:
            strip = self._strips[row] = row_strip(self._content(row), look, selected=False)
        return strip

    def _content(self, index: int) -> RowContent:
        row = self._layout[index]
        entry_id = self._outline.ids[row.number]
        said = self._said(entry_id)
        now = time.time()
        return RowContent(
            row=row,
            kind=self._outline.kind(row.number),
            tag=said.tag,
            text=said.text,
            failed=said.failed,
            active=bool(self._outline.active[row.number]),
            leaf=index == self._leaf_row,
            label=self._label(entry_id, now),
            age=age(milliseconds_of(self._outline.log.head(entry_id).timestamp) / 1000, now),
        )

    def _label(self, entry_id: str, now: float) -> str:
        label = one_line(self._outline.log.labels.get(entry_id, ""))
        given = self._label_times.get(entry_id, 0) if self._label_times is not None and label else 0
        return f"{label} · {clock_time(given / 1000, now)}" if given else label

    def _read(self, entry_id: str) -> EntryText:
        said = entry_text(self._outline.log, entry_id)
        # In one line the marks of a heading or a list say nothing.
        text = said.text if said.tag == "user" else said.text.lstrip("#*>- \n")
        return EntryText(one_line(said.tag, 40), one_line(text, ROW_TEXT), failed=said.failed)

    def _shift(self) -> int:
        if not len(self._layout):
            return 0
        return max(0, len(self._layout[self._selected].guides) - levels_in(self.size.width))
