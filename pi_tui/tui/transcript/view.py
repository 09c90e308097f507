"""The widget that shows a conversation."""

from typing import NamedTuple

from textual import events
from textual.message import Message
from textual.selection import Selection

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.block_view import BlockView
from pi_tui.tui.transcript.paint import Highlight
from pi_tui.tui.transcript.search import Match, Search
from pi_tui.tui.transcript.selection import (
    highlights_of,
    line_selection,
    row_key,
    selected_text,
    word_selection,
)
from pi_tui.tui.transcript.viewport import Place, ScreenRow

SEARCH_MARGIN = 4
"""Lines above a match that are shown."""


class SearchCount(NamedTuple):
    number: int | None
    """Which match the screen shows, from 1, the newest first; None while it is not known, or without one."""
    total: int
    complete: bool
    """False while more may be found."""


class Transcript(BlockView):
    """All blocks of a conversation: what can be opened, searched and selected.

    Args:
        palette: The colours.
    """

    ALLOW_SELECT = True

    class Selected(Message):
        """The user has selected text with the mouse."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self, palette: Palette, *, name: str | None = None, id: str | None = None, classes: str | None = None
    ) -> None:
        super().__init__(palette, name=name, id=id, classes=classes)
        self._search: Search | None = None

    def clear(self) -> None:
        self._search = None
        if self.is_mounted and self.text_selection is not None:
            self.screen.clear_selection()
        super().clear()

    @property
    def expanded(self) -> bool:
        return self._viewport.look.expanded

    def toggle_expanded(self) -> bool:
        """Opens all that is collapsed, or collapses all again; returns which."""
        for block in self._viewport.blocks:
            block.reset()
        self._set_look(expanded=not self.expanded)
        return self.expanded

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

    # Search

    @property
    def place(self) -> Place:
        """Where the screen is, to come back to with `go_to`."""
        return self._viewport.place

    def go_to(self, place: Place) -> None:
        self._fit()
        self._viewport.go_to(place)
        self._update()

    @property
    def end_of_screen(self) -> Match:
        """Behind the last character that is shown: where a search for what is above begins."""
        last = self._rows[-1] if self._rows else None
        index = self._viewport.index(last.block) if last is not None else None
        return Match(index, last.number + 1, 0) if last is not None and index is not None else Match(0, 0, 0)

    async def search(self, query: str, start: Match | None = None) -> bool:
        """Finds the last match above `start`, or the end of the screen; False without one. Empty ends the search."""
        start = start or self.end_of_screen
        self.end_search()
        if not query:
            return False
        self._search = Search(query)
        return await self._find(-1, start)

    async def search_next(self, direction: int = 1) -> bool:
        """Goes to the next match below (1) or above (-1), around the ends."""
        if self._search is None:
            return False
        return await self._find(direction, self._search.match or self.end_of_screen)

    async def count_matches(self) -> None:
        """Counts all matches of the search, for `search_count`."""
        if self._search is not None:
            await self._search.count(self._viewport)

    @property
    def search_count(self) -> SearchCount:
        search = self._search
        if search is None:
            return SearchCount(None, 0, True)
        return SearchCount(search.number(self._viewport), search.total, search.counted)

    def end_search(self, *, close: bool = False) -> None:
        """Takes the marks away; `close` also closes what was opened to show a match."""
        search, self._search = self._search, None
        for block in search.revealed if search is not None and close else ():
            block.reset()
            self._viewport.changed(block)
        self._update()

    async def _find(self, direction: int, start: Match) -> bool:
        search = self._search
        if search is None or not len(self._viewport):
            return False
        match = await search.step(self._viewport, direction, start)
        if match is not None and search is self._search:
            self._viewport.scroll_to_block(match.block, match.line, above=SEARCH_MARGIN)
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

    def _highlights(self, row: ScreenRow) -> tuple[Highlight, ...]:
        found: list[Highlight] = []
        style = self._palette.style
        if self._search is not None:
            found += self._search.highlights(self._viewport, row, style("searchMatchText", "searchMatchBg"))
        selection = self.text_selection
        if selection is not None:
            key = row_key(self._viewport.index(row.block) or 0, row.number)
            found += highlights_of(selection, key, row.line, style(bg="selectedBg"))
        return tuple(found)

    # The mouse

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
