"""The session's tree over the whole screen: look through it, label entries, choose where to go on."""

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Final

from rich.text import Text
from textual import events, on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer

from pi_tui.session.outline.kinds import FILTER_MODES, FilterMode
from pi_tui.session.outline.labels import label_times
from pi_tui.session.outline.outline import Outline
from pi_tui.session.outline.search import OutlineSearch
from pi_tui.tui.bar import Bar
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.dialogs import TextDialog
from pi_tui.tui.terminal.clipboard import CopyReport
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.textual_theme import css_color
from pi_tui.tui.transcript.view import Transcript
from pi_tui.tui.tree.header import HeaderState, header_lines
from pi_tui.tui.tree.kept import BREATH
from pi_tui.tui.tree.keys import ACTIONS, FILTER_ACTIONS, LETTER_ACTIONS, hint_line
from pi_tui.tui.tree.preview import copied_text, show_entry
from pi_tui.tui.tree.rows import TreeRows

PREVIEW_FROM: Final = 120
"""Columns from which on there is room for a preview."""
PREVIEW_DELAY: Final = 0.1
"""Seconds of rest on an entry after which it is shown in full."""
PREVIEW_LINES: Final = 5
NEWS_INTERVAL: Final = 1.0
"""Seconds between two looks at what a run has appended."""
MAX_QUERY: Final = 200
"""Characters."""


@dataclass(frozen=True)
class TreeDeeds:
    """What the tree has others do."""

    go_to: Callable[[str], Awaitable[bool]]
    """Goes on from an entry; False if the user thought better of it."""
    label: Callable[[str, str], str | None]
    """Labels an entry, an empty text takes its label away; returns what went wrong."""
    copy: Callable[[str], Awaitable[CopyReport]]
    """Puts a text on the clipboard."""


class TreeScreen(Screen[None]):
    """The tree of a session. It changes nothing itself but the labels, through `deeds`."""

    DEFAULT_CSS = """
    TreeScreen {
        background: ansi_default;
        & Bar { padding: 0 1; width: 100%; }
        & #panes { width: 100%; height: 1fr; }
        & #preview { width: 46%; height: 100%; padding: 0 0 0 1; display: none; }
    }
    """

    def __init__(
        self,
        outline: Outline,
        deeds: TreeDeeds,
        *,
        palette: Palette,
        bindings: KeyBindings,
        mode: FilterMode = "default",
    ) -> None:
        super().__init__()
        self.palette = palette
        self.bindings = bindings
        self._outline = outline
        self._deeds = deeds
        self._search = OutlineSearch(outline)
        self._mode: FilterMode = mode
        self._query = ""
        self._folded: set[str] = set()
        self._shows_times = False
        self._rows = TreeRows(outline, palette)
        self._header = Bar(rows=2)
        self._hints = Bar()
        self._preview = Transcript(palette)
        self._preview_pane = Vertical(id="preview")
        self._preview_timer: Timer | None = None
        self._previewed: str | None = None
        self._in_full = False

    def compose(self) -> ComposeResult:
        line = css_color(self.palette.color("borderAccent"))
        self._header.styles.border_top = self._hints.styles.border_bottom = ("solid", line)
        self._preview_pane.styles.border_left = ("solid", css_color(self.palette.color("dim")))
        yield self._header
        with Horizontal(id="panes"):
            yield self._rows
            yield self._preview_pane
        yield self._hints

    def on_mount(self) -> None:
        self._show(self._outline.log.leaf_id)
        self.set_interval(NEWS_INTERVAL, self._look_for_news)
        self.call_after_refresh(self._after_first_paint)

    async def _after_first_paint(self) -> None:
        await self._preview_pane.mount(self._preview)
        self._preview_soon()
        self._gather()

    def on_resize(self) -> None:
        self._preview_pane.display = self.size.width >= PREVIEW_FROM
        self._draw_bars()
        self._preview_soon()

    # --- what is shown

    def _show(self, entry_id: str | None) -> None:
        """Shows what filter, search and folds leave, with this entry selected or the nearest above it."""
        found = self._search.find(self._query)
        layout = self._outline.layout(
            self._mode, folded=() if found is not None else self._folded, found=found
        )
        self._rows.show(
            layout,
            self._outline.nearest_row(entry_id, layout),
            words=self._query,
            empty_text="Nothing fits" if self._query else "There is nothing that this filter shows",
        )
        self._draw_bars()
        self._preview_soon()

    def _draw_bars(self, remark: str = "") -> None:
        width = max(1, self.size.width - 2)
        rows = len(self._rows.layout_shown)
        state = HeaderState(
            self._outline.log.name or "",
            self._mode,
            self._query,
            self._rows.selected + 1 if rows else 0,
            rows,
            bool(self._query) and not self._search.complete,
        )
        self._header.show(header_lines(state, width, self.palette))
        hints = hint_line(self.bindings, width, self.palette)
        self._hints.show([Text(remark, self.palette.style("accent")) if remark else hints])

    def _select(self, row: int) -> None:
        self._rows.select(row)
        self._draw_bars()
        self._preview_soon()

    def _preview_soon(self) -> None:
        if not self._preview_pane.display or not self._preview.is_mounted:
            return
        if self._preview_timer is not None:
            self._preview_timer.stop()
        self._preview_timer = self.set_timer(PREVIEW_DELAY, self._show_preview)

    def _show_preview(self) -> None:
        entry_id = self._rows.selected_id
        if entry_id != self._previewed:
            self._previewed, self._in_full = entry_id, False
            keys = self.bindings.readable("app.tree.previewDown", "/")
            show_entry(self._preview, self._outline.log, entry_id, f"{keys} shows the rest")

    def _scroll_preview(self, lines: int) -> None:
        """Scrolls the preview; a long entry is shown in full from now on."""
        if not self._preview_pane.display or not self._preview.is_mounted:
            return
        self._show_preview()
        if not self._in_full:
            self._in_full = True
            show_entry(self._preview, self._outline.log, self._previewed)
        self._preview.scroll_lines(lines)

    def _look_for_news(self) -> None:
        selected = self._rows.selected_id
        if self._outline.update():
            self._show(selected)
            self._gather()

    def _gather(self) -> None:
        self.run_worker(self._gather_texts(), group="search", exclusive=True)

    async def _gather_texts(self) -> None:
        for _ in self._search.gather():
            # Whoever searches waits for it; else it has time.
            await asyncio.sleep(0 if self._query else BREATH)
        if self._query:
            self._show(self._rows.selected_id)

    # --- keys

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        action = self.bindings.action_of(event.key, ACTIONS)
        if action in LETTER_ACTIONS and self._query and event.is_printable:
            action = None
        if action is not None:
            self._do(action)
        elif not self._go(event.key) and event.is_printable and event.character:
            self._search_for(self._query + event.character)

    def on_paste(self, event: events.Paste) -> None:
        event.stop()
        self._search_for(self._query + " ".join(event.text.split()))

    def _do(self, action: str) -> None:
        rows = self._rows
        match action:
            case "tui.select.up":
                self._select(rows.selected - 1)
            case "tui.select.down":
                self._select(rows.selected + 1)
            case "tui.select.pageUp":
                self._page(-1)
            case "tui.select.pageDown":
                self._page(1)
            case "tui.select.confirm":
                self._confirm()
            case "tui.select.cancel":
                self._cancel()
            case "app.tree.foldOrUp":
                self._fold_or_up()
            case "app.tree.unfoldOrDown":
                self._unfold_or_down()
            case _:
                self._do_more(action)

    def _do_more(self, action: str) -> None:
        match action:
            case "app.tree.filter.cycleForward":
                self._cycle(1)
            case "app.tree.filter.cycleBackward":
                self._cycle(-1)
            case "app.tree.editLabel":
                self.run_worker(self._edit_label(), group="label", exclusive=True)
            case "app.tree.toggleLabelTimestamp":
                self._shows_times = not self._shows_times
                self._show_times()
            case "app.tree.previewUp":
                self._scroll_preview(-PREVIEW_LINES)
            case "app.tree.previewDown":
                self._scroll_preview(PREVIEW_LINES)
            case "app.message.copy":
                self.run_worker(self._copy(), group="clipboard", exclusive=True)
            case _:
                self._filter(FILTER_ACTIONS[action])

    def _go(self, key: str) -> bool:
        match key:
            case "left":
                self._page(-1)
            case "right":
                self._page(1)
            case "home":
                self._select(0)
            case "end":
                self._select(len(self._rows.layout_shown))
            case "backspace" | "ctrl+h":
                self._search_for(self._query[:-1])
            case "ctrl+w" | "alt+backspace":
                self._search_for(self._query.rstrip().rpartition(" ")[0])
            case _:
                return False
        return True

    def _page(self, direction: int) -> None:
        self._rows.select_page(direction)
        self._select(self._rows.selected)

    def _search_for(self, query: str) -> None:
        query = query.lstrip()[:MAX_QUERY]
        if query != self._query:
            self._query = query
            self._show(self._rows.selected_id or self._outline.log.leaf_id)

    def _cancel(self) -> None:
        if self._query:
            self._search_for("")
        else:
            self.dismiss(None)

    def _filter(self, mode: FilterMode) -> None:
        """Takes a filter; the same one again goes back to the default."""
        self._mode = "default" if mode == self._mode else mode
        self._show(self._rows.selected_id or self._outline.log.leaf_id)

    def _cycle(self, by: int) -> None:
        place = FILTER_MODES.index(self._mode) + by
        self._filter(FILTER_MODES[place % len(FILTER_MODES)])

    # --- branches

    def _fold_or_up(self) -> None:
        """Folds the stretch that begins here, else goes up to where this one begins, or the one above."""
        layout, at = self._rows.layout_shown, self._rows.selected
        if not len(layout):
            return
        row = layout[at]
        if row.folds and not row.folded and not self._query:
            entry_id = self._outline.ids[row.number]
            self._folded.add(entry_id)
            self._show(entry_id)
            return
        above = layout.row_of(row.parent) if row.start and row.parent >= 0 else at
        self._select(layout.start_of(above if above is not None else at))

    def _unfold_or_down(self) -> None:
        """Unfolds what is folded here, else goes down to where this stretch ends, or the next one begins."""
        layout, at = self._rows.layout_shown, self._rows.selected
        if not len(layout):
            return
        entry_id = self._outline.ids[layout[at].number]
        if layout[at].folded:
            self._folded.discard(entry_id)
            self._show(entry_id)
            return
        end = layout.end_of(at)
        self._select(end if end > at else at + 1)

    # --- deeds

    @on(TreeRows.Clicked)
    def _clicked(self, event: TreeRows.Clicked) -> None:
        event.stop()
        self._select(self._rows.selected)
        if event.twice:
            self._confirm()

    def _confirm(self) -> None:
        entry_id = self._rows.selected_id
        if entry_id is not None:
            self.run_worker(self._go_on_from(entry_id), group="go", exclusive=True)

    async def _go_on_from(self, entry_id: str) -> None:
        if await self._deeds.go_to(entry_id):
            self.dismiss(None)

    async def _copy(self) -> None:
        entry_id = self._rows.selected_id
        if entry_id is not None:
            report = await self._deeds.copy(copied_text(self._outline.log, entry_id))
            self._draw_bars(report.text)

    async def _edit_label(self) -> None:
        entry_id = self._rows.selected_id
        if entry_id is None:
            return
        label = await self.app.push_screen_wait(
            TextDialog(
                "Label of this entry (empty takes it away)",
                palette=self.palette,
                bindings=self.bindings,
                value=self._outline.log.labels.get(entry_id, ""),
                placeholder="for example: before the refactoring",
            )
        )
        if label is None:
            return
        trouble = self._deeds.label(entry_id, label)
        self._outline.update()
        self._show(entry_id)
        self._show_times()
        self._gather()
        if trouble is not None:
            self._draw_bars(trouble)

    def _show_times(self) -> None:
        self._rows.show_label_times(label_times(self._outline.log) if self._shows_times else None)
