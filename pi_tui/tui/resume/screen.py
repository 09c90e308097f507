"""The list of sessions from which one is resumed: `pi -r` and `/resume`."""

import asyncio
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from textual import events
from textual.app import ComposeResult
from textual.widgets import Input

from pi_tui.session.browsing import Batch
from pi_tui.session.listing import SessionInfo
from pi_tui.session.reader import SessionReader
from pi_tui.session.search import terms_of
from pi_tui.session.session_cache import SessionCache
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.keys.names import readable_key
from pi_tui.tui.picker.list import PickerList
from pi_tui.tui.picker.screen import BottomPanel, LineInput
from pi_tui.tui.resume.deeds import SessionDeeds
from pi_tui.tui.resume.rows import SessionList
from pi_tui.tui.resume.scanning import Scan, TextSearch
from pi_tui.tui.resume.threads import SORT_MODES, SessionRow, arranged
from pi_tui.tui.theme.palette import Palette

ROWS_AROUND: Final = 6
"""What is not list: frame, title, search line, state and hint."""

Folders = Callable[[], Sequence[Path]]

_ACTIONS: Final = (
    "tui.select.up",
    "tui.select.down",
    "tui.select.pageUp",
    "tui.select.pageDown",
    "tui.select.confirm",
    "tui.select.cancel",
    "tui.input.tab",
    "app.session.togglePath",
    "app.session.toggleSort",
    "app.session.toggleNamedFilter",
    "app.session.rename",
    "app.session.delete",
    "app.session.deleteNoninvasive",
)
_SORTED: Final = {"threads": "in threads", "newest": "newest first", "largest": "largest first"}


class ResumeScreen(BottomPanel[Path | None]):
    """Sessions to choose from, newest first, shown while they are still being read. Its result is the file.

    Args:
        here: The folders with the sessions of this working directory.
        everywhere: Those of all working directories.
        belongs_here: Whether a session that lies in `here` is one of this working directory.
        deeds: Renames and deletes.
    """

    def __init__(
        self,
        *,
        here: Folders,
        everywhere: Folders,
        belongs_here: Callable[[SessionInfo], bool],
        current: Path | None,
        cache: SessionCache,
        deeds: SessionDeeds,
        palette: Palette,
        bindings: KeyBindings,
    ) -> None:
        super().__init__("Resume a session", palette, bindings)
        self._here, self._everywhere, self._belongs_here = here, everywhere, belongs_here
        self._is_here: dict[str, bool] = {}
        """By working directory: looking links up takes time."""
        self._cache = cache
        self._deeds = deeds
        self._field = LineInput(placeholder="Type to search names, first messages and texts")
        self._rows = SessionList(palette)
        self._rows.current = current
        self._infos: dict[Path, SessionInfo] = {}
        self._all_folders = False
        self._named_only = False
        self._sort = SORT_MODES[0]
        self._built = False
        self._early: list[Batch] = []
        """What was read before there was a screen to show it on."""
        self._reader = SessionReader()
        self._scan = Scan(here(), cache, self._reader, self._take)
        self._scan.start()
        self._files = 0
        self._listed = False
        self._search = TextSearch((), self._reader)
        self._searching = False
        self._has_chosen = False
        self._remark = ""

    # --- what is shown

    def compose_body(self) -> ComposeResult:
        yield self._field
        yield self._rows
        state = self.line("state", "", "muted")
        state.styles.height, state.styles.padding = 1, (0, 1)
        yield state

    def hint(self) -> str:
        hints = (
            ("tui.select.confirm", "open"),
            ("tui.input.tab", "this folder" if self._all_folders else "all"),
            ("app.session.rename", "rename"),
            ("app.session.delete", "delete"),
            ("app.session.toggleNamedFilter", "named"),
            ("app.session.toggleSort", "sort"),
            ("app.session.togglePath", "paths"),
            ("tui.select.cancel", "cancel"),
        )
        shown = ""
        for hint in (
            f"{readable_key(keys[0])} {text}"
            for action, text in hints
            if (keys := self.bindings.keys(action))
        ):
            longer = f"{shown} · {hint}" if shown else hint
            if len(longer) > max(20, self.app.size.width - 2):
                break
            shown = longer
        return shown

    def on_mount(self) -> None:
        self._field.focus()
        self._fit_height()
        self._built = True
        self.run_worker(self._scan.run(), group="scan")
        self._show()
        early, self._early = self._early, []
        for batch in early:
            self._take(batch)

    def on_resize(self) -> None:
        self._fit_height()
        self._say_state()

    async def on_unmount(self) -> None:
        self._built = False
        self._scan.stop()
        self._search.stop()
        await asyncio.to_thread(self._reader.close)

    def _fit_height(self) -> None:
        self._rows.styles.height = max(1, self.app.size.height - ROWS_AROUND)

    def _begin(self) -> None:
        """Goes through the files of the folders that are chosen now."""
        self._scan.stop()
        self._infos.clear()
        self._files, self._listed = 0, False
        self._rows.show_folders = self._all_folders
        folders = self._everywhere() if self._all_folders else self._here()
        self._scan = Scan(folders, self._cache, self._reader, self._take)
        self.run_worker(self._scan.run(), group="scan")
        self._show()

    def _take(self, batch: Batch) -> None:
        if not self._built:
            self._early.append(batch)
            return
        self._files, self._listed = batch.files, batch.listed
        infos = [info for info in batch.infos if self._all_folders or self._belongs(info)]
        is_news = not all(info.path in self._infos for info in infos)
        for info in infos:
            self._infos[info.path] = info
            self._search.renew(info)
        if is_news or self._named_only or self._search.terms or not batch.infos:
            self._show()
        else:
            self._rows.renew(self._infos)
        self._search_on()
        self.call_after_refresh(self._scan.go_on)

    def _belongs(self, info: SessionInfo) -> bool:
        known = self._is_here.get(info.cwd)
        if known is None:
            known = self._is_here[info.cwd] = self._belongs_here(info)
        return known

    def _show(self) -> None:
        """Arranges what is known anew; the choice stays where the user put it."""
        rows = arranged(self._fitting(), self._sort)
        self._rows.set_rows(rows, self._place_of_choice(rows))
        self._rows.say(self._empty_text())
        self._say_state()

    def _fitting(self) -> list[SessionInfo]:
        among = (info for info in self._infos.values() if info.name or not self._named_only)
        return list(filter(self._search.fits, among))

    def _place_of_choice(self, rows: Sequence[SessionRow]) -> int:
        chosen = self._rows.chosen_info
        if chosen is None or not self._has_chosen:
            return 0
        return next((place for place, row in enumerate(rows) if row.info.path == chosen.path), 0)

    def _empty_text(self) -> str:
        if not self._listed:
            return "Looking for sessions …"
        if self._searching:
            return "Searching in the texts …"
        if self._search.terms or self._named_only:
            return "No session fits"
        if self._all_folders:
            return "There are no sessions yet"
        keys = self.bindings.readable("tui.input.tab")
        return f"There are no sessions of this folder yet; {keys} shows all folders"

    def _say_state(self) -> None:
        if not self._built:
            return
        shown = len(self._rows.items)
        parts = [
            "all folders" if self._all_folders else "this folder",
            f"{shown:,} of {len(self._infos):,}" if shown != len(self._infos) else f"{shown:,}",
            _SORTED[self._sort],
        ]
        if self._named_only:
            parts.append("named only")
        if not self._listed:
            parts.append(f"reading {self._files:,} files …" if self._files else "looking …")
        elif self._searching:
            parts.append(f"searching {self._search.unread:,} more …")
        self.say("state", self._remark or " · ".join(parts))
        self.say("hint", self.hint())

    def remark(self, text: str) -> None:
        """Says something below the list until the next key."""
        self._remark = text
        self._say_state()

    # --- searching

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        # What was typed is on screen before anything is searched for.
        self.call_after_refresh(self._search_for_input)

    def _search_for_input(self) -> None:
        terms = terms_of(self._field.value)
        if terms == self._search.terms:
            return
        self._search.stop()
        self._search = TextSearch(terms, self._reader, self._search)
        self._search.add(sorted(self._infos.values(), key=lambda info: -info.modified))
        self._has_chosen = False
        self._search_on()
        self._show()

    def _search_on(self) -> None:
        """Sees to it that the files that may fit are read."""
        if self._search.unread and not self._searching:
            self._searching = True
            self.run_worker(self._search_texts(), group="search")

    async def _search_texts(self) -> None:
        try:
            while self._search.unread:
                if await self._search.read_some():
                    self._show()
                else:
                    self._say_state()
        finally:
            self._searching = False
        self._show()

    # --- keys

    def on_key(self, event: events.Key) -> None:
        action = self.bindings.action_of(event.key, _ACTIONS)
        if action == "app.session.deleteNoninvasive" and self._field.value:
            return
        if action is None and not self._jump(event.key):
            return
        event.stop()
        event.prevent_default()
        if self._remark:
            self.remark("")
        if action is not None:
            # No key acts on a list that what was typed before it has not reached yet.
            self._search_for_input()
            self._do(action)

    def _jump(self, key: str) -> bool:
        if key not in ("ctrl+home", "home", "ctrl+end", "end") or self._field.value:
            return False
        self._has_chosen = True
        self._rows.choose(0 if key.endswith("home") else len(self._rows.items))
        return True

    def _do(self, action: str) -> None:
        match action:
            case "tui.select.up" | "tui.select.down":
                self._has_chosen = True
                self._rows.move(-1 if action.endswith("up") else 1)
            case "tui.select.pageUp" | "tui.select.pageDown":
                self._has_chosen = True
                self._rows.move_page(-1 if action.endswith("Up") else 1)
            case "tui.select.confirm":
                self._confirm()
            case "tui.select.cancel":
                self.dismiss(None)
            case "tui.input.tab":
                self._all_folders = not self._all_folders
                self._has_chosen = False
                self._begin()
            case "app.session.rename":
                self._on_chosen(self._deeds.rename)
            case "app.session.delete" | "app.session.deleteNoninvasive":
                self._on_chosen(self._deeds.delete)
            case _:
                self._toggle(action)

    def _toggle(self, action: str) -> None:
        match action:
            case "app.session.togglePath":
                self._rows.show_paths = not self._rows.show_paths
            case "app.session.toggleSort":
                self._sort = SORT_MODES[(SORT_MODES.index(self._sort) + 1) % len(SORT_MODES)]
            case "app.session.toggleNamedFilter":
                self._named_only = not self._named_only
        self._show()

    def on_picker_list_clicked(self, event: PickerList.Clicked) -> None:
        event.stop()
        self._confirm()

    def _confirm(self) -> None:
        if self._rows.chosen_info is not None:
            self.dismiss(self._rows.chosen_info.path)

    # --- renaming and deleting

    def _on_chosen(self, deed: "Callable[[ResumeScreen, SessionInfo], object]") -> None:
        info = self._rows.chosen_info
        if info is not None:
            self._has_chosen = True
            self.run_worker(deed(self, info), group="deed", exclusive=True)  # type: ignore[arg-type]

    def replace(self, info: SessionInfo) -> None:
        """More is known of a session now."""
        self._infos[info.path] = info
        self._search.renew(info)
        self._show()

    def drop(self, path: Path) -> None:
        """A session is gone; the choice is on its neighbour now."""
        place = next((at for at, row in enumerate(self._rows.items) if row.info.path == path), 0)  # type: ignore[attr-defined]
        self._infos.pop(path, None)
        self._show()
        self._rows.choose(place)
