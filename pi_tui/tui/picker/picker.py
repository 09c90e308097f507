"""Choosing one of many by typing a few of its letters."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Final, Generic, TypeVar

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from pi_tui.tui.editor.fuzzy import matching
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.keys.names import readable_key
from pi_tui.tui.picker.list import PickerItem, PickerList
from pi_tui.tui.picker.screen import BottomPanel, LineInput
from pi_tui.tui.theme.palette import Palette

T = TypeVar("T")

ROWS: Final = 12
"""Items shown at a time, where there is room."""

ROWS_AROUND: Final = 6
"""What is not list: frame, title, filter, hint and a line of what is behind."""

_LIST_ACTIONS: Final = (
    "tui.select.up",
    "tui.select.down",
    "tui.select.pageUp",
    "tui.select.pageDown",
    "tui.select.confirm",
    "tui.select.cancel",
)


@dataclass(frozen=True)
class PickerKey(Generic[T]):
    """A key that does something with the chosen item; the picker stays open unless `run` closes it."""

    key: str
    """As Textual names it."""
    label: str
    run: Callable[["Picker[T]", T | None], None]


class Picker(BottomPanel[T | None], Generic[T]):
    """A list to choose from, filtered by what is typed. Its result is the chosen value, or `None`."""

    def __init__(
        self,
        title: str,
        items: Sequence[PickerItem[T]],
        *,
        palette: Palette,
        bindings: KeyBindings,
        current: T | None = None,
        keys: Sequence[PickerKey[T]] = (),
        placeholder: str = "Type to search",
        empty_text: str = "Nothing fits",
        on_move: Callable[[T | None], None] | None = None,
    ) -> None:
        """`current` is the value that is chosen at first; `on_move` hears of each one that is chosen after it."""
        super().__init__(title, palette, bindings)
        self._items = list(items)
        self._keys = keys
        self._field = LineInput(placeholder=placeholder)
        self._rows = PickerList(palette, empty_text)
        self._current = current
        self._on_move = on_move
        self._told = current
        self._found: tuple[str, Sequence[PickerItem[Any]]] = ("", self._items)

    @property
    def chosen(self) -> T | None:
        """The value the choice is on now."""
        item = self._rows.chosen
        return item.value if item is not None else None

    def set_items(self, items: Sequence[PickerItem[T]]) -> None:
        """Replace the items, keeping the filter, and the choice where it is still there."""
        kept = self.chosen
        self._items = list(items)
        self._found = ("", self._items)
        self._filter(self._field.value, kept)
        self._fit_height()

    def set_title(self, title: str) -> None:
        """Say something else above the list."""
        self.say("title", title)

    def compose_body(self) -> ComposeResult:
        yield self._field
        yield self._rows

    def hint(self) -> str:
        own = [f"{readable_key(key.key)} {key.label}" for key in self._keys]
        confirm = self.key_hint("tui.select.confirm", "choose")
        cancel = self.key_hint("tui.select.cancel", "cancel")
        return " · ".join(part for part in (confirm, *own, cancel) if part)

    def on_mount(self) -> None:
        self._field.focus()
        self._fit_height()
        self._filter("", self._current)

    def on_resize(self) -> None:
        self._fit_height()

    def _fit_height(self) -> None:
        rows = max(1, min(ROWS, len(self._items), self.size.height - ROWS_AROUND))
        if self._rows.styles.height is None or self._rows.styles.height.value != rows:
            self._rows.styles.height = rows

    def _filter(self, query: str, chosen: T | None = None) -> None:
        before, found = self._found
        # Whoever types on narrows down: only what fitted before can fit now.
        among = found if before and query.startswith(before) else self._items
        found = matching(query, among, lambda item: item.haystack)
        self._found = (query, found)
        place = 0
        if chosen is not None:
            place = next((i for i, item in enumerate(found) if item.value == chosen), 0)
        self._rows.show(found, place)

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        self._filter(event.value)
        self._tell()

    def _tell(self) -> None:
        if self._on_move is not None and self.chosen != self._told:
            self._told = self.chosen
            self._on_move(self._told)

    def on_picker_list_clicked(self, event: PickerList.Clicked) -> None:
        event.stop()
        self._confirm()

    def on_key(self, event: events.Key) -> None:
        own = next((key for key in self._keys if key.key == event.key), None)
        if own is not None:
            own.run(self, self.chosen)
        elif not self._handle(event.key):
            return
        else:
            self._tell()
        event.stop()
        event.prevent_default()

    def _handle(self, key: str) -> bool:
        action = self.bindings.action_of(key, _LIST_ACTIONS)
        match action:
            case "tui.select.up":
                self._rows.move(-1)
            case "tui.select.down":
                self._rows.move(1)
            case "tui.select.pageUp":
                self._rows.move_page(-1)
            case "tui.select.pageDown":
                self._rows.move_page(1)
            case "tui.select.confirm":
                self._confirm()
            case "tui.select.cancel":
                self.dismiss(None)
            case _ if key in ("ctrl+home", "home") and not self._field.value:
                self._rows.choose(0)
            case _ if key in ("ctrl+end", "end") and not self._field.value:
                self._rows.choose(len(self._items))
            case _:
                return False
        return True

    def _confirm(self) -> None:
        typed = self._field.value
        if typed != self._found[0]:
            # Enter came before the news of the last letter.
            self._filter(typed)
        if self._rows.chosen is not None:
            self.dismiss(self.chosen)
