"""A widget of blocks: it renders those on screen, scrolls through the rest, and keeps up with what grows."""

import asyncio
from collections.abc import Iterable
from dataclasses import replace
from time import perf_counter, thread_time
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual import events
from textual.geometry import Region, Size
from textual.message import Message
from textual.reactive import var
from textual.scroll_view import ScrollView
from textual.scrollbar import ScrollDown, ScrollUp
from textual.strip import Strip
from textual.timer import Timer
from textual.widget import Widget

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.textual_theme import css_color
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.line import BLANK, KeyHints, Line, Look
from pi_tui.tui.transcript.paint import Highlight, painted
from pi_tui.tui.transcript.scrollbar import ThinScrollBar
from pi_tui.tui.transcript.selection import row_key
from pi_tui.tui.transcript.viewport import ScreenRow, Viewport

REPAINT_INTERVAL = 1 / 30
"""Seconds between two repaints because of changed content."""
MAX_REPAINT_SHARE = 0.3
"""Of the time that rendering changed content may take: what is dear to render is rendered less often."""
MAX_REPAINT_INTERVAL = 0.12
"""Seconds."""
WHEEL_LINES = 3


class BlockView(ScrollView, can_focus=False):
    """Blocks one under another, with the line API.

    Args:
        palette: The colours.
    """

    DEFAULT_CSS = """
    BlockView {
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

    class FollowChanged(Message, namespace="transcript"):
        """The view left the end or came back to it, or something new came below the screen."""

        def __init__(self, following: bool, behind: bool) -> None:
            super().__init__()
            self.following = following
            self.behind = behind

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
        self._flush_handle: asyncio.TimerHandle | None = None
        self._tick_timer: Timer | None = None
        self._next_flush = 0.0

    # What the conversation consists of

    @property
    def blocks(self) -> list[Block]:
        return self._viewport.blocks

    def append(self, block: Block) -> None:
        self.extend([block])

    def extend(self, blocks: Iterable[Block]) -> None:
        self._viewport.extend(blocks)
        self._news()

    def discard(self, block: Block) -> None:
        self._viewport.remove(block)
        self._dirty.discard(block)
        self._schedule()

    def clear(self) -> None:
        self._viewport.clear()
        self._dirty.clear()
        self.behind = False
        self._schedule()

    def changed(self, block: Block) -> None:
        """Says that a block has new content; it is rendered with the next repaint, if it is on screen."""
        if block not in self._dirty:
            self._dirty.add(block)
            self._news()

    # How it looks

    @property
    def palette(self) -> Palette:
        return self._palette

    @palette.setter
    def palette(self, palette: Palette) -> None:
        self._palette = palette
        self._fitted = None
        self._set_look(palette=palette)

    @property
    def show_thinking(self) -> bool:
        return self._viewport.look.show_thinking

    @show_thinking.setter
    def show_thinking(self, show: bool) -> None:
        self._set_look(show_thinking=show)

    @property
    def keys(self) -> KeyHints:
        return self._viewport.look.keys

    @keys.setter
    def keys(self, keys: KeyHints) -> None:
        self._set_look(keys=keys)

    def _set_look(
        self,
        *,
        palette: Palette | None = None,
        show_thinking: bool | None = None,
        expanded: bool | None = None,
        keys: KeyHints | None = None,
    ) -> None:
        look = self._viewport.look
        self._viewport.set_look(
            Look(
                look.width,
                palette or look.palette,
                look.show_thinking if show_thinking is None else show_thinking,
                look.expanded if expanded is None else expanded,
                keys or look.keys,
            )
        )
        self._update()

    # Where it is

    @property
    def half_page(self) -> int:
        """Lines, at least one."""
        return max(1, self._viewport.height // 2)

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

    def scroll_to(self, x: float | None = None, y: float | None = None, **_options: object) -> None:
        """Scrolls at once: an animation would pass through heights that are only estimated."""
        if y is not None:
            self._fit()
            self._viewport.scroll_to(max(0, round(y)))
            self._update()

    def watch_scroll_y(self, old_value: float, new_value: float) -> None:
        # After a change of size Textual fits the old position to it before the text is; that is no scrolling.
        fitted = self._fitted == self.scrollable_content_region.size
        if fitted and round(new_value) != self._viewport.offset:
            self._viewport.scroll_to(round(new_value))
            self._update()

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
        """What is to stand out in a row."""
        return ()

    # Keeping up

    def on_mount(self) -> None:
        bar: Any = self.vertical_scrollbar
        bar.renderer = ThinScrollBar
        self._tick_timer = self.set_interval(1.0, self._tick, pause=True)
        self._schedule()

    def on_unmount(self) -> None:
        if self._flush_handle is not None:
            self._flush_handle.cancel()

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
        if self._flush_handle is None and self.is_mounted:
            # A one-shot timer of Textual's is lost if the machine is busy for longer than its delay.
            delay = max(0.0, self._next_flush - perf_counter())
            self._flush_handle = asyncio.get_running_loop().call_later(delay, self.call_next, self._flush)

    def _flush(self) -> None:
        self._flush_handle = None
        started = thread_time()
        dirty, self._dirty = self._dirty, set()
        for block in dirty:
            self._viewport.changed(block)
        self._update()
        pause = max(REPAINT_INTERVAL, (thread_time() - started) / MAX_REPAINT_SHARE)
        self._next_flush = perf_counter() + min(pause, MAX_REPAINT_INTERVAL)

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
        size = self.scrollable_content_region.size
        if size == self._fitted or not size.width or not size.height:
            return
        self._fitted = size
        self._base = Style(bgcolor=self.background_colors[1].rich_color) + self._palette.style("text")
        self._colour_scrollbar()
        look = self._viewport.look
        self._viewport.height = size.height
        self._viewport.set_look(replace(look, width=size.width))
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
        if self._tick_timer is not None and any(row.block.ticking for row in self._rows):
            self._tick_timer.resume()

    def _sync_scroll(self) -> None:
        """Tells Textual how long the text is and where it stands, without having it lay out the screen."""
        total, offset = self._viewport.total, self._viewport.offset
        size = Size(self._viewport.look.width, total)
        if size != self.virtual_size:
            self.set_reactive(Widget.virtual_size, size)
            self.vertical_scrollbar.window_virtual_size = total
        self.vertical_scrollbar.window_size = self._viewport.height
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
