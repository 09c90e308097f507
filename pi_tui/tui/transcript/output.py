"""Output of programs: foreign text in its colours, cut to what is asked for."""

from typing import Literal, NamedTuple

from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.transcript.ansi import TERMINAL_TAB_SIZE, styled_lines
from pi_tui.tui.transcript.wrap import Row, fold

MAX_OUTPUT_ROWS = 2_000
"""Rows that are shown of an opened output."""
MAX_ROWS_PER_LINE = 3
"""Rows that one line may take while it is collapsed."""


class Excerpt(NamedTuple):
    rows: list[Row]
    hidden: int
    """Lines that are left out."""


def excerpt(
    text: str,
    width: int,
    base: Style,
    limit: int | None,
    *,
    end: Literal["head", "tail"],
    tab_size: int = TERMINAL_TAB_SIZE,
) -> Excerpt:
    """The first or last lines of a text as rows.

    Args:
        limit: How many rows at most; None gives all, up to `MAX_OUTPUT_ROWS`.
        end: Which end is kept.
    """
    lines = text.rstrip("\n").split("\n") if text.strip("\n") else []
    total = len(lines)
    most = MAX_OUTPUT_ROWS if limit is None else limit
    kept = lines[:most] if end == "head" else lines[-most:]
    room = width * (most if limit is None else MAX_ROWS_PER_LINE)
    groups = [_line_rows(line, width, base, room, tab_size) for line in kept]
    rows: list[Row] = []
    shown = 0
    for group in groups if end == "head" else reversed(groups):
        if rows and len(rows) + len(group) > most:
            break
        rows = rows + group if end == "head" else group + rows
        shown += 1
    if len(rows) > most:
        rows = rows[:most] if end == "head" else rows[-most:]
    return Excerpt(rows, total - shown)


def _line_rows(line: str, width: int, base: Style, room: int, tab_size: int) -> list[Row]:
    # Escape sequences take room in the text but none on screen.
    cut = len(line) > room * 4
    runs = styled_lines(line[: room * 4] if cut else line, base, tab_size)[0]
    rows = fold(runs, width)
    most = max(1, room // width)
    if len(rows) > most or cut:
        rows = rows[:most]
        rows[-1] = Row(_ellipsis(rows[-1].segments, width, base), rows[-1].gutter, rows[-1].joint)
    return rows


def _ellipsis(segments: list[Segment], width: int, base: Style) -> list[Segment]:
    kept: list[Segment] = []
    room = width - 1
    for segment in segments:
        if segment.cell_length > room:
            kept.append(segment.split_cells(room)[0])
            break
        kept.append(segment)
        room -= segment.cell_length
    return [*kept, Segment("…", base)]
