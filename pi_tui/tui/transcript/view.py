"""The widget that shows a conversation."""

from collections.abc import Iterable
from time import perf_counter

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Offset, Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollDown, ScrollUp
from textual.selection import Selection
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.textual_theme import css_color
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.line import BLANK, Line, Look
from pi_tui.tui.transcript.paint import Highlight, painted
from pi_tui.tui.transcript.scrollbar import ThinScrollBar
from pi_tui.tui.transcript.search import Match, Search
from pi_tui.tui.transcript.selection import (
    highlights_of,
    line_selection,
    row_key,
    selected_text,
    word_selection,
)
from pi_tui.tui.transcript.viewport import ScreenRow, Viewport

REPAINT_INTERVAL = 1 / 30
"""Seconds between two repaints because of changed content."""
MAX_REPAINT_SHARE = 0.3
"""Of the time that rendering changed content may take: what is dear to render is rendered less often."""
WHEEL_LINES = 3
SEARCH_MARGIN = 4
"""Lines above a match that are shown."""


class Transcript(ScrollView, can_focus=False):
    """All blocks of a conversation in one widget; it renders those on screen.

    Args:
        palette: The colours.
    """

    ALLOW_SELECT = True
    DEFAULT_CSS = """
    Transcript {
        overflow-x: hidden;
        overflow-y: scroll;
        scrollbar-size-vertical: 1;
        background: transparent;
    }
    """

    following: var[bool] = var(True)
    """True while the view stays at the end."""
    behind: var[bool] = var(False)
    """True if something new has come below the screen since the user scrolled up."""

    class FollowChanged(Message):
        """The view left the end or came back to it, or something new came below the screen."""

        def __init__(self, following: bool, behind: bool) -> None:
            super().__init__()
            self.following = following
            self.behind = behind

    class Selected(Message):
        """The user has selected text with the mouse."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self, palette: Palette, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(name=name, id=id, classes=classes)
        self._palette = palette
        self._viewport = Viewport(Look(80, palette))
        self._rows: list[ScreenRow] = []
        self._shown: list[tuple[Line, tuple[Highlight, ...]]] = []
        self._fitted: Size | None = None
        self._base = Style.null()
        self._dirty: set[Block] = set()
        self._flush_timer: Timer | None = None
        self._tick_timer: Timer | None = None
        self._next_flush = 0.0
        self._search: Search | None = None

    # What the conversation consists of

    @property
    def blocks(self) -> list[Block]:
        return self._viewport.blocks

    def append(self, block: Block) -> None:
        self.extend([block])

    def extend(self, blocks: Iterable[Block]) -> None:
        self._viewport.extend(blocks)
        self._news()

    def remove(self, block: Block) -> None:
        self._viewport.remove(block)
        self._dirty.discard(block)
        self._schedule()

    def clear(self) -> None:
        self._viewport.clear()
        self._dirty.clear()
        self._search = None
        self.behind = False
        self._schedule()

    def changed(self, block: Block) -> None:
        """Says that a block has new content; it is rendered with the next repaint, if it is on screen."""
        self._dirty.add(block)
        self._news()

    # How it looks

    @property
    def palette(self) -> Palette:
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._colour_scrollbar()
        self._set_look(palette=palette)

    @property
    def show_thinking(self) -> bool:
        return self._viewport.look.show_thinking

    @show_thinking.setter
    def show_thinking(self, show: bool) -> None:
        self._set_look(show_thinking=show)

    @property
    def expanded(self) -> bool:
        return self._viewport.look.expanded

    def toggle_expanded(self) -> bool:
        """Opens all that is collapsed, or collapses all again; returns which."""
        for block in self._viewport.blocks:
            block.reset()
        self._set_look(expanded=not self.expanded)
        return self.expanded

    def _set_look(
        self,
        *,
        palette: Palette | None = None,
        show_thinking: bool | None = None,
        expanded: bool | None = None,
    ) -> None:
        look = self._viewport.look
        self._viewport.set_look(
            Look(
                look.width,
                palette or look.palette,
                look.show_thinking if show_thinking is None else show_thinking,
                look.expanded if expanded is None else expanded,
            )
        )
        self._update()

    # Where it is

    def scroll_lines(self, lines: int) -> None:
        self._fit()
        self._viewport.scroll_to(max(0, self._viewport.offset + lines))
        self._update()

    def page_up(self) -> None:
        self.scroll_lines(-max(1, self._viewport.height - 2))

    def page_down(self) -> None:
        self.scroll_lines(max(1, self._viewport.height - 2))

    def home(self) -> None:
        self._fit()
        if len(self._viewport):
            self._viewport.scroll_to_block(0)
        self._update()

    def end(self) -> None:
        """Goes to the end and stays there."""
        self._fit()
        self._viewport.scroll_to_end()
        self._update()

    def jump_to_prompt(self, direction: int) -> bool:
        """Brings the prompt before (-1) or after (1) the top of the screen there; False if there is none."""
        self._fit()
        index = self._viewport.prompt(direction)
        if index is None:
            if direction > 0:
                self.end()
            return False
        self._viewport.scroll_to_block(index)
        self._update()
        return True

    def scroll_to(self, x: float | None = None, y: float | None = None, **_options: object) -> None:
        """Scrolls at once: an animation would pass through heights that are only estimated."""
        if y is not None:
            self._fit()
            self._viewport.scroll_to(max(0, round(y)))
            self._update()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        if round(new_value) != self._viewport.offset:
            self._viewport.scroll_to(round(new_value))
            self._update()

    # Search

    async def search(self, query: str) -> bool:
        """Finds the last match from the end of the screen backwards; False if there is none. Empty ends the search."""
        self._search = Search(query) if query else None
        if self._search is None:
            self._update()
            return False
        last = self._rows[-1] if self._rows else None
        index = self._viewport.index(last.block) if last is not None else None
        start = Match(index or 0, last.number + 1) if last is not None else Match(0, 0)
        return await self._find(-1, start)

    async def search_next(self, direction: int = 1) -> bool:
        """Goes to the next match (1) or the one before (-1), around the ends."""
        if self._search is None:
            return False
        return await self._find(direction, self._search.match or Match(0, -1))

    async def _find(self, direction: int, start: Match) -> bool:
        search = self._search
        if search is None or not len(self._viewport):
            return False
        match = await search.step(self._viewport, direction, start)
        if match is not None and search is self._search:
            self._viewport.scroll_to_block(match.index, match.line)
            self._viewport.scroll_to(max(0, self._viewport.offset - SEARCH_MARGIN))
        self._update()
        return match is not None

    # Selection

    @property
    def selected_text(self) -> str:
        selection = self.text_selection
        return selected_text(self._viewport, selection) if selection is not None else ""

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selected_text(self._viewport, selection), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self._update()

    # Painting

    def render_lines(self, crop: Region) -> list[Strip]:
        """The strips of a region; unlike `render_line` without what tells positions, which costs time."""
        self._fit()
        background = self.background_colors[1]
        filters = self.get_line_filters()
        strips: list[Strip] = []
        for y in crop.line_range:
            strip = self._strip(y)
            for line_filter in filters:
                strip = strip.apply_filter(line_filter, background)
            strips.append(strip)
        if crop.column_span != (0, self.size.width):
            first, last = crop.column_span
            strips = [strip.crop_extend(first, last, self._base) for strip in strips]
        return strips

    def render_line(self, y: int) -> Strip:
        """One line with the position of each character, as selection asks for it."""
        self._fit()
        return self._strip(y).apply_offsets(0, self._key_at(y))

    def _strip(self, y: int) -> Strip:
        width = self.size.width
        if not 0 <= y < len(self._shown):
            return Strip([Segment(" " * width, self._base)], width)
        line, highlights = self._shown[y]
        return painted(line, width, self._base, highlights)

    def _key_at(self, y: int) -> int:
        if 0 <= y < len(self._rows):
            row = self._rows[y]
            return row_key(self._viewport.index(row.block) or 0, row.number)
        return row_key(len(self._viewport), 0)

    def _highlights(self, row: ScreenRow) -> tuple[Highlight, ...]:
        found: list[Highlight] = []
        style = self._palette.style
        if self._search is not None:
            found += self._search.highlights(row.line, style("searchMatchText", "searchMatchBg"))
            if found and self._search.match == (self._viewport.index(row.block), row.number):
                found = [mark._replace(style=mark.style + Style(bold=True, reverse=True)) for mark in found]
        selection = self.text_selection
        if selection is not None:
            key = row_key(self._viewport.index(row.block) or 0, row.number)
            found += highlights_of(selection, key, row.line, style(bg="selectedBg"))
        return tuple(found)

    # Keeping up

    def on_mount(self) -> None:
        self.vertical_scrollbar.renderer = ThinScrollBar
        self._colour_scrollbar()
        self._tick_timer = self.set_interval(1.0, self._tick, pause=True)
        self._schedule()

    def notify_style_update(self) -> None:
        super().notify_style_update()
        self._fitted = None

    def _news(self) -> None:
        if not self.following and not self.behind:
            self.behind = True
            self.post_message(self.FollowChanged(False, True))
        self._schedule()

    def _schedule(self) -> None:
        """Has the screen brought up to date soon, and not more often than it can be seen."""
        if self._flush_timer is None and self.is_mounted:
            self._flush_timer = self.set_timer(max(0.002, self._next_flush - perf_counter()), self._flush)

    def _flush(self) -> None:
        self._flush_timer = None
        started = perf_counter()
        dirty, self._dirty = self._dirty, set()
        for block in dirty:
            self._viewport.changed(block)
        self._update()
        now = perf_counter()
        self._next_flush = now + max(REPAINT_INTERVAL, (now - started) / MAX_REPAINT_SHARE)
        if self._tick_timer is not None and any(block.ticking for block in dirty):
            self._tick_timer.resume()

    def _tick(self) -> None:
        ticking = {row.block for row in self._rows if row.block.ticking}
        if not ticking and self._tick_timer is not None:
            self._tick_timer.pause()
        for block in ticking:
            self._viewport.changed(block)
        if ticking:
            self._update()

    def _fit(self) -> None:
        """Takes note of the size; only the part on screen is rendered anew."""
        size = self.size
        if size == self._fitted or not size.width or not size.height:
            return
        self._fitted = size
        self._base = Style(bgcolor=self.background_colors[1].rich_color) + self._palette.style("text")
        look = self._viewport.look
        self._viewport.height = size.height
        self._viewport.set_look(Look(size.width, look.palette, look.show_thinking, look.expanded))
        self._update()

    def on_resize(self) -> None:
        self._fit()

    def _update(self) -> None:
        """Brings rows and scrollbar up to date and repaints the rows that changed."""
        if self._fitted is None:
            self._fit()
            return
        self._rows = self._viewport.rows()
        shown = [(row.line, self._highlights(row)) for row in self._rows]
        before, self._shown = self._shown, shown
        self._sync_scroll()
        for start, stop in _changed_stretches(before, shown):
            self.refresh(Region(0, start, self.size.width, stop - start))
        self._sync_following()

    def _sync_scroll(self) -> None:
        """Tells Textual how long the text is and where it stands, without having it lay out the screen."""
        total, offset = self._viewport.total, self._viewport.offset
        size = Size(self.size.width, total)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = total
        self.vertical_scrollbar.window_size = self.size.height
        if round(self.scroll_y) != offset:
            self.set_reactive(Widget.scroll_y, float(offset))
            self.set_reactive(Widget.scroll_target_y, float(offset))
        self.vertical_scrollbar.position = offset

    def _sync_following(self) -> None:
        following = self._viewport.following
        if following != self.following:
            self.following = following
            if following:
                self.behind = False
            self.post_message(self.FollowChanged(following, self.behind))

    def _colour_scrollbar(self) -> None:
        thumb = css_color(self._palette.color("scrollbarThumb"))
        for rule in ("scrollbar_color", "scrollbar_color_hover", "scrollbar_color_active"):
            setattr(self.styles, rule, thumb)
        for rule in ("scrollbar_background", "scrollbar_background_hover", "scrollbar_background_active"):
            setattr(self.styles, rule, self.background_colors[1])

    # The mouse

    def on_mouse_scroll_down(self, event: events.MouseScrollDown) -> None:
        event.prevent_default()
        event.stop()
        self.scroll_lines(WHEEL_LINES)

    def on_mouse_scroll_up(self, event: events.MouseScrollUp) -> None:
        event.prevent_default()
        event.stop()
        self.scroll_lines(-WHEEL_LINES)

    def on_scroll_up(self, event: ScrollUp) -> None:
        event.prevent_default()
        event.stop()
        self.page_up()

    def on_scroll_down(self, event: ScrollDown) -> None:
        event.prevent_default()
        event.stop()
        self.page_down()

    def on_mouse_up(self) -> None:
        text = self.selected_text
        if text.strip():
            self.post_message(self.Selected(text))

    def on_click(self, event: events.Click) -> None:
        """Opens or closes what was clicked; a double click selects the word, a triple one the line."""
        event.prevent_default()
        if not 0 <= event.y < len(self._rows) or event.button != 1:
            return
        row = self._rows[event.y]
        if event.chain == 1:
            if self.text_selection is None:
                self._toggle(row)
            return
        key = self._key_at(event.y)
        selection = (
            word_selection(row, key, event.x) if event.chain == 2 else line_selection(self._viewport, row)
        )
        if selection is not None:
            self.screen.selections = {self: selection}
            self.post_message(self.Selected(self.selected_text))

    def _toggle(self, row: ScreenRow) -> None:
        """Opens a collapsed block wherever it was clicked; an open one closes at its title alone."""
        look = self._viewport.look
        part, number = row.block.part_at(row.number)
        if not part.collapsible or number < part.margin:
            return
        if part.is_open(look) and number != part.margin:
            return
        part.open = not part.is_open(look)
        self._viewport.toggled(row.block)
        self._update()


def _changed_stretches(
    before: list[tuple[Line, tuple[Highlight, ...]]], after: list[tuple[Line, tuple[Highlight, ...]]]
) -> list[tuple[int, int]]:
    """The rows that look different now, as stretches."""
    stretches: list[tuple[int, int]] = []
    for number in range(max(len(before), len(after))):
        old = before[number] if number < len(before) else (BLANK, ())
        new = after[number] if number < len(after) else (BLANK, ())
        if old[0] is new[0] and old[1] == new[1]:
            continue
        if old == new:
            continue
        if stretches and stretches[-1][1] == number:
            stretches[-1] = (stretches[-1][0], number + 1)
        else:
            stretches.append((number, number + 1))
    return stretches
