"""How sessions look in the list: one line each, with less of it in narrow terminals."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from time import time
from typing import Final

from rich.segment import Segment
from textual.strip import Strip

from pi_tui.session.listing import SessionInfo
from pi_tui.tui.editor.cells import fit, width_of
from pi_tui.tui.footer import short_path
from pi_tui.tui.picker.list import PickerList
from pi_tui.tui.resume.threads import SessionRow
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.tree.age import age

WIDE: Final = 60
"""Cells from which on messages and size are shown beside the age."""
MEDIUM: Final = 36
"""Cells from which on the messages are."""
PLACE_SHARE: Final = 0.35
"""The part of the width that a folder or a path may take."""


class SessionList(PickerList):
    """The rows of the resume picker."""

    def __init__(self, palette: Palette) -> None:
        super().__init__(palette, "")
        self.current: Path | None = None
        """The session that is open here; it is marked."""
        self.show_folders = False
        self.show_paths = False
        self._rows: Sequence[SessionRow] = ()
        self._infos: Mapping[Path, SessionInfo] = {}
        """What became known after the rows were set."""

    @property
    def chosen_info(self) -> SessionInfo | None:
        if not self._rows:
            return None
        info = self._rows[self._chosen].info
        return self._infos.get(info.path, info)

    def set_rows(self, rows: Sequence[SessionRow], chosen: int) -> None:
        """Shows these rows, with this one chosen; the part in view changes no more than it must."""
        self._rows = rows
        self._infos = {}
        self._items = rows  # type: ignore[assignment]
        self.choose(chosen)

    def renew(self, infos: Mapping[Path, SessionInfo]) -> None:
        """More is known of some sessions; where they stand does not change."""
        self._infos = infos
        self.refresh()

    def say(self, text: str) -> None:
        """What stands there while there are no rows."""
        self._empty_text = text
        self.refresh()

    def render_line(self, y: int) -> Strip:
        index = self._top + y
        if index >= len(self._rows):
            return super().render_line(y)
        row, width = self._rows[index], self.size.width
        info = self._infos.get(row.info.path, row.info)
        chosen = index == self._chosen
        background = "selectedBg" if chosen else None
        figures = self._figures(info, width)
        place = self._place(info, width)
        mark = f"{'❯' if chosen else ' '}{'●' if info.path == self.current else ' '} "
        room = max(1, width - width_of(mark) - width_of(row.lead) - len(figures) - len(place))
        title = " ".join((info.name or info.first_message or "(no messages)").split())
        token = "accent" if chosen or info.name else "text"
        style = self._palette.style
        return Strip(
            [
                Segment(mark, style("accent", background)),
                Segment(row.lead, style("dim", background)),
                Segment(fit(title, room), style(token, background)),
                Segment(place, style("dim", background)),
                Segment(figures, style("muted", background)),
            ]
        ).adjust_cell_length(width)

    def _place(self, info: SessionInfo, width: int) -> str:
        if width < WIDE or not (self.show_paths or self.show_folders):
            return ""
        place = str(info.path) if self.show_paths else short_path(Path(info.cwd))
        room = int(width * PLACE_SHARE)
        return "  " + fit(_end_of(place, room), min(room, max(12, width_of(place))))

    def _figures(self, info: SessionInfo, width: int) -> str:
        when = f"{age(info.modified, time()):>5}"
        messages = f"{info.messages}{'' if info.complete else '+'}"
        if width >= WIDE:
            return f"  {messages:>6} msg {size_text(info.size):>8}{when} "
        return f" {messages:>5}{when}" if width >= MEDIUM else when


def size_text(size: int) -> str:
    """`812 B`, `12 kB`, `3.4 MB`."""
    if size < 1_000:
        return f"{size} B"
    if size < 999_500:
        return f"{round(size / 1_000)} kB"
    return f"{size / 1_000_000:.1f} MB" if size < 99_950_000 else f"{round(size / 1_000_000)} MB"


def _end_of(path: str, room: int) -> str:
    """The end of a path says more than its beginning."""
    if width_of(path) <= room:
        return path
    while path and width_of(path) > room - 1:
        path = path[1:]
    return "…" + path
