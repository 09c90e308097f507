"""Selecting text of the transcript: positions that stay true while heights change."""

from collections.abc import Callable

from rich.style import Style
from textual.geometry import Offset
from textual.selection import Selection

from pi_tui.tui.transcript.line import Line
from pi_tui.tui.transcript.paint import Highlight
from pi_tui.tui.transcript.viewport import ScreenRow, Viewport

MAX_SELECTED_LINES = 20_000
_LINES = 1 << 24
"""More lines than a block can have."""


def row_key(index: int, number: int) -> int:
    """A line as one number that orders like the lines do: Textual's `y` of a selection."""
    return index * _LINES + number


def highlights_of(selection: Selection, key: int, line: Line, style: Style) -> list[Highlight]:
    """What of a line is selected; its decoration is not."""
    span = selection.get_span(key)
    if span is None:
        return []
    start, end = span
    length = len(line.text)
    return [Highlight(max(start, line.gutter), length if end == -1 else end, style)]


def selected_text(viewport: Viewport, selection: Selection) -> str:
    """The text of a selection, unwrapped and without decoration."""
    first, last = selection.start, selection.end
    from_block, from_line = divmod(first.y, _LINES) if first is not None else (0, 0)
    to_block, to_line = divmod(last.y, _LINES) if last is not None else (len(viewport) - 1, _LINES)
    parts: list[str] = []
    count = 0
    for index in range(from_block, min(to_block + 1, len(viewport))):
        lines = viewport.blocks[index].lines(viewport.look)
        start = from_line if index == from_block else 0
        stop = to_line + 1 if index == to_block else len(lines)
        for number in range(start, min(stop, len(lines))):
            line = lines[number]
            at_start = first is not None and (index, number) == (from_block, from_line)
            at_end = last is not None and (index, number) == (to_block, to_line)
            begin = max(line.gutter, first.x if at_start and first is not None else 0)
            text = line.text[begin : last.x if at_end and last is not None else None]
            if parts:
                parts.append("\n" if line.joint is None else line.joint)
            parts.append(text.rstrip() if not at_end else text)
            count += 1
            if count >= MAX_SELECTED_LINES:
                return "".join(parts)
    return "".join(parts)


def word_selection(row: ScreenRow, key: int, x: int) -> Selection | None:
    """The word at a cell of a row."""
    text = row.line.text
    index = _character_at(row.line, x)
    if index >= len(text) or index < row.line.gutter or text[index].isspace():
        return None
    start = end = index
    inside: Callable[[str], bool] = str.isspace if not _is_word(text[index]) else lambda c: not _is_word(c)
    if not _is_word(text[index]):
        end += 1
    else:
        while start > row.line.gutter and not inside(text[start - 1]):
            start -= 1
        while end < len(text) and not inside(text[end]):
            end += 1
    return Selection(Offset(start, key), Offset(end, key))


def line_selection(viewport: Viewport, row: ScreenRow) -> Selection:
    """The whole line of text that a row is a part of."""
    lines = row.block.lines(viewport.look)
    first = last = row.number
    while first > 0 and lines[first].joint is not None:
        first -= 1
    while last + 1 < len(lines) and lines[last + 1].joint is not None:
        last += 1
    index = viewport.index(row.block) or 0
    start = Offset(lines[first].gutter, row_key(index, first))
    return Selection(start, Offset(len(lines[last].text.rstrip()), row_key(index, last)))


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_-./~:@"


def _character_at(line: Line, x: int) -> int:
    """The index of the character at a cell."""
    index = 0
    for segment in line:
        cells = segment.cell_length
        if x < cells:
            return index + len(segment.split_cells(x)[0].text)
        x -= cells
        index += len(segment.text)
    return index
