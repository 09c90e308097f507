"""`/scoped-models`: which models the cycling keys lead through, and in which order."""

from collections.abc import Callable, Sequence

from pi_tui.llm.model import Model
from pi_tui.llm.scope import ScopedModel
from pi_tui.tui.footer import compact_number
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.list import PickerItem
from pi_tui.tui.picker.picker import Picker, PickerKey
from pi_tui.tui.theme.palette import Palette

TITLE = "Models to switch between; none marked means all"


class ScopePicker(Picker[str]):
    """A list to mark models in; what is marked is in `patterns`, also after it has closed.

    Args:
        save: Stores the patterns for later sessions.
    """

    def __init__(
        self,
        models: Sequence[Model],
        scope: Sequence[ScopedModel],
        *,
        palette: Palette,
        bindings: KeyBindings,
        save: Callable[[list[str]], None],
    ) -> None:
        self._models = {model.ref: model for model in models}
        self._levels = {one.model.ref: one.level for one in scope if one.level is not None}
        self._marked = [one.model.ref for one in scope if one.model.ref in self._models]
        self._save = save
        deeds: list[tuple[str, str, Callable[[str | None], None]]] = [
            ("app.models.save", "save", lambda _: self._store()),
            ("app.models.enableAll", "all", lambda _: self._mark_shown(True)),
            ("app.models.clearAll", "none", lambda _: self._mark_shown(False)),
            ("app.models.toggleProvider", "provider", self._toggle_provider),
            ("app.models.reorderUp", "up", lambda ref: self._reorder(ref, -1)),
            ("app.models.reorderDown", "down", lambda ref: self._reorder(ref, 1)),
        ]
        keys = [
            PickerKey[str](key, label, lambda _, ref, run=run: self._then_show(run, ref))  # type: ignore[misc]
            for action, label, run in deeds
            for key in bindings.keys(action)
        ]
        super().__init__(TITLE, self._items_now(), palette=palette, bindings=bindings, keys=keys)

    @property
    def patterns(self) -> list[str]:
        """The marked models in their order, with the thinking level a pattern gave them."""
        return [f"{ref}:{self._levels[ref]}" if ref in self._levels else ref for ref in self._marked]

    def hint(self) -> str:
        own = [f"{self.bindings.readable(key, '/')} {label}" for key, label in HINTS]
        toggle = self.key_hint("tui.select.confirm", "mark")
        return " · ".join([toggle, self.key_hint("tui.select.cancel", "close"), *own])

    def _confirm(self) -> None:
        if self.chosen is not None:
            self._then_show(self._toggle, self.chosen)

    def _then_show(self, run: Callable[[str | None], None], ref: str | None) -> None:
        run(ref)
        self.set_items(self._items_now())

    def _items_now(self) -> list[PickerItem[str]]:
        """The marked models first, in their order."""
        rest = [ref for ref in self._models if ref not in self._marked]
        return [self._item(ref) for ref in (*self._marked, *rest)]

    def _item(self, ref: str) -> PickerItem[str]:
        model = self._models[ref]
        level = f"  thinking {self._levels[ref]}" if ref in self._levels else ""
        about = f"{model.name}  {compact_number(model.context_window)}{level}"
        return PickerItem(ref, ref, about, marker="✓" if ref in self._marked else " ")

    def _toggle(self, ref: str | None) -> None:
        if ref in self._marked:
            self._marked.remove(ref)
        elif ref is not None:
            self._marked.append(ref)

    def _mark_shown(self, marked: bool) -> None:
        for item in self._found[1]:
            if (item.value in self._marked) != marked:
                self._toggle(item.value)

    def _toggle_provider(self, ref: str | None) -> None:
        if ref is None:
            return
        of_provider = [
            one for one in self._models if self._models[one].provider == self._models[ref].provider
        ]
        marked = not all(one in self._marked for one in of_provider)
        for one in of_provider:
            if (one in self._marked) != marked:
                self._toggle(one)

    def _reorder(self, ref: str | None, step: int) -> None:
        if ref not in self._marked:
            return
        place = self._marked.index(ref)
        target = min(max(place + step, 0), len(self._marked) - 1)
        self._marked.insert(target, self._marked.pop(place))

    def _store(self) -> None:
        self._save(self.patterns)
        self.set_title(f"{TITLE} (saved for new sessions)")


HINTS = (
    ("app.models.save", "save"),
    ("app.models.enableAll", "all"),
    ("app.models.clearAll", "none"),
    ("app.models.toggleProvider", "provider"),
    ("app.models.reorderUp", "up"),
)
"""The keys there is room for."""
