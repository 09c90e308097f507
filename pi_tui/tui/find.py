"""The line in which the transcript is searched: find as you type, from match to match, and back to where one was."""

import asyncio
from typing import Final

from rich.text import Text
from textual import events
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.message import Message
from textual.widgets import Input, Static

from pi_tui.tui.bar import Bar
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.keys.names import readable_key
from pi_tui.tui.picker.screen import LineInput
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.textual_theme import css_color
from pi_tui.tui.transcript.view import SearchCount, Transcript

HINT_FROM: Final = 12
"""Rows of a screen that has room for the hint."""
WORKER_GROUP: Final = "find"
_LABEL: Final = "Find "

_ACTIONS: Final = (
    "tui.altScreen.searchClose",
    "tui.select.cancel",
    "tui.altScreen.search",
    "tui.altScreen.searchNext",
    "tui.altScreen.searchPrevious",
    "tui.altScreen.pageUp",
    "tui.altScreen.pageDown",
)


class FindBar(Vertical):
    """Searches a transcript.

    Args:
        query: What is looked for at once.
    """

    DEFAULT_CSS = """
    FindBar {
        height: auto;
        & Horizontal { height: 1; padding: 0 1; }
        & #label { width: auto; height: 1; }
        & #count { width: auto; max-width: 40%; height: 1; padding: 0 0 0 1; }
        & Bar { padding: 0 1; }
        & Input {
            width: 1fr;
            height: 1;
            border: none;
            padding: 0;
            background: ansi_default;
            color: ansi_default;
            &:focus { border: none; }
            & .input--placeholder { color: ansi_default; text-style: dim; }
        }
    }
    """

    class Closed(Message):
        """The user is done with searching."""

    def __init__(
        self, transcript: Transcript, palette: Palette, bindings: KeyBindings, query: str = ""
    ) -> None:
        super().__init__()
        self._transcript = transcript
        self._palette = palette
        self.bindings = bindings
        self._query = query
        self._place = transcript.place
        self._start = transcript.end_of_screen
        self._sought = ""
        self._stepping = asyncio.Lock()
        """One step after another, in the order of the keys."""

    def compose(self) -> ComposeResult:
        self._field = LineInput(self._query, "text of the conversation")
        self._count = self._text("count", "", "muted")
        with Horizontal():
            yield self._text("label", _LABEL, "accent")
            yield self._field
            yield self._count
        yield Bar(id="hint")

    def _text(self, name: str, text: str, token: str) -> Static:
        static = Static(text, id=name, markup=False)
        static.styles.color = css_color(self._palette.color(token))
        return static

    def on_mount(self) -> None:
        self._field.cursor_position = len(self._query)
        self._field.focus()
        hint = self.query_one(Bar)
        hint.display = self.app.size.height >= HINT_FROM
        hint.show([Text(self._hint(), self._palette.style("dim"))])

    def _hint(self) -> str:
        hints = (
            ("tui.altScreen.searchNext", "above"),
            ("tui.altScreen.searchPrevious", "below"),
            ("tui.altScreen.searchClose", "back to where you were"),
            ("tui.altScreen.search", "stay here"),
        )
        shown = ((self.bindings.keys(action), text) for action, text in hints)
        return " · ".join(f"{readable_key(keys[-1])} {text}" for keys, text in shown if keys)

    def look_for(self, query: str) -> None:
        """Searches for another text, and takes the keys again."""
        self._field.focus()
        if query:
            self._field.value = query
            self._field.cursor_position = len(query)

    # --- searching

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        # What was typed is on screen before anything is searched for.
        self.call_after_refresh(self._search)

    def _search(self) -> None:
        query = self._field.value
        if query != self._sought:
            self._sought = query
            self.run_worker(self._find(query), group=WORKER_GROUP, exclusive=True)

    async def _find(self, query: str) -> None:
        async with self._stepping:
            if not await self._transcript.search(query, self._start):
                self._transcript.go_to(self._place)
        self._say()
        await self._transcript.count_matches()
        self._say()

    async def _go(self, direction: int) -> None:
        async with self._stepping:
            await self._transcript.search_next(direction)
        self._say()

    def _say(self) -> None:
        self._count.update(count_text(self._sought, self._transcript.search_count))

    # --- keys

    def on_key(self, event: events.Key) -> None:
        action = self.bindings.action_of(event.key, _ACTIONS)
        if action is None:
            return
        event.stop()
        event.prevent_default()
        # No key acts on a search that what was typed before it has not reached yet.
        self._search()
        match action:
            case "tui.altScreen.searchNext":
                self.run_worker(self._go(-1), group="go")
            case "tui.altScreen.searchPrevious":
                self.run_worker(self._go(1), group="go")
            case "tui.altScreen.pageUp":
                self._transcript.page_up()
            case "tui.altScreen.pageDown":
                self._transcript.page_down()
            case _:
                self._close(back=action != "tui.altScreen.search")

    def _close(self, *, back: bool) -> None:
        self.workers.cancel_node(self)
        self._transcript.end_search(close=back)
        if back:
            self._transcript.go_to(self._place)
        self.post_message(self.Closed())


def count_text(query: str, count: SearchCount) -> str:
    """Such as `3 of 12`; with `…` while it is still counted."""
    more = "" if count.complete else "+"
    if not query:
        return ""
    if count.total == 0:
        return "not found" if count.complete else "…"
    number = f"{count.number:,} of " if count.number is not None else ""
    return f"{number}{count.total:,}{more}"
