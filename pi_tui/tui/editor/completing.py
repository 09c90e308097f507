"""Completion while one writes: when to look, what to show, what to put in."""

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING, Final

from pi_tui.tui.editor.completion import (
    Choice,
    CommandProvider,
    Kind,
    Query,
    command_choices,
    common_prefix,
    file_choice,
    path_choices,
    path_query_at,
    query_at,
)
from pi_tui.tui.editor.completion_popup import CompletionPopup
from pi_tui.tui.editor.file_index import FileIndex
from pi_tui.tui.editor.fuzzy import matching

if TYPE_CHECKING:
    from pi_tui.tui.editor.prompt_editor import PromptEditor

FILES_SHOWN: Final = 40
"""Files of one list."""

WORKER_GROUP: Final = "completion"


class Completer:
    """Keeps the list above the editor in step with what stands before the cursor."""

    def __init__(
        self, editor: "PromptEditor", popup: CompletionPopup, commands: CommandProvider, index: FileIndex
    ) -> None:
        self._editor = editor
        self._popup = popup
        self._commands = commands
        self._index = index
        self._query: Query | None = None
        self._seen: tuple[int, str] = (0, "")
        self._dismissed: tuple[int, Kind, int] | None = None
        self._cancelled = threading.Event()

    @property
    def is_open(self) -> bool:
        return self._popup.is_open

    @property
    def popup(self) -> CompletionPopup:
        return self._popup

    def look_in(self, index: FileIndex) -> None:
        """Completes the files of another folder from now on."""
        self._index = index

    def update(self) -> None:
        """The text or the cursor may have changed: look whether there is something to complete."""
        row, column = self._editor.cursor_location
        line = self._editor.document[row]
        seen = (row, line[:column])
        if seen == self._seen:
            return
        self._seen = seen
        query = query_at(line, row, column)
        if query is None:
            self._dismissed = None
            self.close()
        elif (row, query.kind, query.start) != self._dismissed:
            self._look_up(query)

    def mute(self) -> None:
        """What stands in the editor was not written just now: nothing to complete until that changes."""
        row, column = self._editor.cursor_location
        self._seen = (row, self._editor.document[row][:column])
        self.close()

    def dismiss(self) -> None:
        """The user does not want this list: close it, and leave it closed until another one is due."""
        if self._query is not None:
            self._dismissed = (self._editor.cursor_location[0], self._query.kind, self._query.start)
        self.close()

    def close(self) -> None:
        self._cancelled.set()
        self._query = None
        self._popup.close()

    def complete_path(self) -> bool:
        """Complete the path before the cursor, as a shell does; whether there is one."""
        row, column = self._editor.cursor_location
        query = path_query_at(self._editor.document[row], column)
        if query is None:
            return False
        self._look_up(query)
        return True

    def accept(self) -> Choice | None:
        """Put the chosen completion into the editor."""
        choice, query = self._popup.chosen, self._query
        if choice is None or query is None:
            return None
        self._put_in(query, choice.text, finished=not choice.goes_on)
        if choice.goes_on and query.kind is not Kind.PATH:
            self._seen = (0, "")
            self.update()
        return choice

    def _put_in(self, query: Query, text: str, *, finished: bool) -> None:
        row, column = self._editor.cursor_location
        if finished and query.kind is Kind.FILE and self._editor.document[row][column : column + 1] != " ":
            text += " "
        self._editor.replace(text, (row, query.start), (row, column), maintain_selection_offset=False)
        self.mute()

    def _look_up(self, query: Query) -> None:
        self._query = query
        self._cancelled.set()
        if query.kind in (Kind.COMMAND, Kind.ARGUMENT):
            self._show(query, command_choices(self._commands, query))
            return
        if self._popup.is_open:
            # Until the new list is there, the old one shows no more than what still fits.
            self._popup.show(matching(query.text, self._popup.choices, lambda choice: choice.text.lower()))
        cancelled = self._cancelled = threading.Event()
        find = self._find_files if query.kind is Kind.FILE else self._find_paths
        # A coroutine made here would be left over where the worker is cancelled before it begins.
        work = partial(find, query, cancelled)
        self._editor.run_worker(work, group=WORKER_GROUP, exclusive=True)  # type: ignore[arg-type]

    def _show(self, query: Query, choices: list[Choice]) -> None:
        if len(choices) == 1 and choices[0].text.rstrip() == query_text(query):
            # Everything is written already.
            choices = choices if query.kind is Kind.COMMAND else []
        self._popup.show(choices)

    async def _find_files(self, query: Query, cancelled: threading.Event) -> None:
        if not self._index.is_listed:
            await asyncio.to_thread(self._index.list_files)
        found = await asyncio.to_thread(self._index.search, query.text, FILES_SHOWN, cancelled)
        if not cancelled.is_set():
            self._show(query, [file_choice(path) for path in found])
        if not self._index.is_fresh:
            await asyncio.to_thread(self._index.list_files)

    async def _find_paths(self, query: Query, cancelled: threading.Event) -> None:
        choices = await asyncio.to_thread(path_choices, query, self._editor.cwd)
        if cancelled.is_set():
            return
        prefix = common_prefix(choices)
        if len(choices) == 1:
            self._put_in(query, prefix, finished=not choices[0].goes_on)
        elif choices:
            if len(prefix) > len(query_text(query)):
                self._put_in(query, prefix, finished=False)
                self._query = Query(Kind.PATH, prefix.removeprefix('"'), query.start)
            self._popup.show(choices)


def query_text(query: Query) -> str:
    """What stands in the editor for a query."""
    sign = {Kind.COMMAND: "/", Kind.FILE: "@"}.get(query.kind, "")
    return sign + query.text
