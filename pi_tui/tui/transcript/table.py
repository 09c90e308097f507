"""Markdown tables: columns where they fit, else one record under another."""

from typing import TYPE_CHECKING

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.transcript.markdown_nodes import Span, Table
from pi_tui.tui.transcript.wrap import Row, wrap

if TYPE_CHECKING:
    from pi_tui.tui.transcript.markdown_layout import Layout

MIN_COLUMN = 6
"""Cells; with narrower columns a table is shown as records."""
_BETWEEN = " │ "
_CROSS = "─┼─"


def table_rows(table: Table, width: int, layout: "Layout") -> list[Row]:
    columns = len(table.head)
    if not columns:
        return []
    natural = _natural_widths(table)
    available = width - len(_BETWEEN) * (columns - 1)
    if sum(natural) > available and available < columns * MIN_COLUMN:
        return _records(table, width, layout)
    widths = _fitted(natural, available)
    border = layout.colour("mdHr")
    rows: list[Row] = []
    if not table.continued:
        rows += _table_row(table.head, widths, table.aligns, layout, layout.base + Style(bold=True))
        rows.append(Row([Segment(_CROSS.join("─" * size for size in widths), border)]))
    for cells in table.rows:
        rows += _table_row(cells, widths, table.aligns, layout, layout.base)
    return rows


def _natural_widths(table: Table) -> list[int]:
    widths = [1] * len(table.head)
    for cells in (table.head, *table.rows):
        for column, spans in enumerate(cells[: len(widths)]):
            widths[column] = max(widths[column], sum(cell_len(span.text) for span in spans))
    return widths


def _fitted(natural: list[int], available: int) -> list[int]:
    """Widths that sum to at most `available`: narrow columns keep theirs, wide ones share the rest."""
    widths = list(natural)
    if sum(widths) <= available:
        return widths
    open_columns = set(range(len(widths)))
    room = available
    while open_columns:
        share = room // len(open_columns)
        narrow = [column for column in open_columns if natural[column] <= share]
        if not narrow:
            for number, column in enumerate(sorted(open_columns)):
                widths[column] = max(1, share + (1 if number < room - share * len(open_columns) else 0))
            break
        for column in narrow:
            room -= natural[column]
            open_columns.discard(column)
    return widths


def _table_row(
    cells: list[list[Span]], widths: list[int], aligns: list[str], layout: "Layout", base: Style
) -> list[Row]:
    wrapped = [wrap(layout.runs(spans, base), size) for spans, size in zip(cells, widths, strict=False)]
    wrapped += [[Row([])] for _ in range(len(widths) - len(wrapped))]
    border = Segment(_BETWEEN, layout.colour("mdHr"))
    rows: list[Row] = []
    for number in range(max(len(cell) for cell in wrapped)):
        segments: list[Segment] = []
        for column, size in enumerate(widths):
            if column:
                segments.append(border)
            content = wrapped[column][number].segments if number < len(wrapped[column]) else []
            segments += _aligned(content, size, aligns[column] if column < len(aligns) else "", base)
        rows.append(Row(segments))
    return rows


def _aligned(content: list[Segment], size: int, align: str, base: Style) -> list[Segment]:
    room = size - sum(segment.cell_length for segment in content)
    if room <= 0:
        return content
    left = room if align == "right" else room // 2 if align == "center" else 0
    padded = [Segment(" " * left, base)] if left else []
    padded += content
    if room - left:
        padded.append(Segment(" " * (room - left), base))
    return padded


def _records(table: Table, width: int, layout: "Layout") -> list[Row]:
    rows: list[Row] = []
    bold = layout.base + Style(bold=True)
    if not table.rows:
        for spans in table.head:
            rows += wrap(layout.runs(spans, bold), width)
    for number, cells in enumerate(table.rows):
        if number:
            rows.append(Row([Segment("─" * max(1, min(width, 12)), layout.colour("mdHr"))]))
        for head, spans in zip(table.head, cells, strict=False):
            runs = [*layout.runs(head, bold), Segment(": ", bold), *layout.runs(spans, layout.base)]
            rows += wrap(runs, width)
    return rows
