"""The two lines above the tree: which filter, how many rows, and what is searched for."""

from dataclasses import dataclass
from typing import Final

from rich.text import Text

from pi_tui.session.outline.kinds import FILTER_MODES, FilterMode
from pi_tui.tui.bar import justify
from pi_tui.tui.editor.cells import printable
from pi_tui.tui.theme.palette import Palette

ALL_FILTERS_FROM: Final = 76
"""Cells from which on every filter is named."""

FILTER_NAMES: Final[dict[FilterMode, str]] = {
    "default": "default",
    "no-tools": "no tools",
    "user-only": "user only",
    "labeled-only": "labelled only",
    "all": "all",
}


@dataclass(frozen=True)
class HeaderState:
    name: str
    """The session's; empty if it has none."""
    mode: FilterMode
    query: str
    place: int
    """The number of the selected row, from 1; 0 if there is none."""
    rows: int
    searching: bool = False
    """Not everything has been searched yet."""


def header_lines(state: HeaderState, width: int, palette: Palette) -> list[Text]:
    """Title and filters; search and place."""
    title = Text("Session tree", palette.style("text", bold=True))
    if state.name:
        title.append(f"  {printable(state.name)}", palette.style("muted", bold=False))
    return [
        justify(title, _filters(state, width, palette), width),
        justify(_search(state, palette), _place(state, palette), width),
    ]


def _filters(state: HeaderState, width: int, palette: Palette) -> Text:
    shown = FILTER_MODES if width >= ALL_FILTERS_FROM else (state.mode,)
    chosen, other = palette.style("accent", "selectedBg", bold=True), palette.style("dim")
    line = Text()
    for mode in shown:
        line.append(f" {FILTER_NAMES[mode]} ", chosen if mode == state.mode else other)
    return line


def _search(state: HeaderState, palette: Palette) -> Text:
    if not state.query:
        return Text("Type to search", palette.style("dim"))
    line = Text("Search: ", palette.style("muted"))
    line.append(printable(state.query), palette.style("text"))
    line.append(" ", palette.style(reverse=True))
    return line


def _place(state: HeaderState, palette: Palette) -> Text:
    note = "searching… " if state.searching else ""
    return Text(f"{note}{state.place:,}/{state.rows:,}", palette.style("muted"))
