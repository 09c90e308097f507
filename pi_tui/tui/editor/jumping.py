"""Jumping to the next or the last place where a character stands."""

from collections.abc import Sequence

from textual.widgets.text_area import Location


def occurrence(lines: Sequence[str], start: Location, character: str, direction: int) -> Location | None:
    """Where `character` stands next after (1) or before (-1) a location of a text; None where it does not."""
    row, column = start
    if direction > 0:
        found = lines[row].find(character, column + 1)
        rest = range(row + 1, len(lines))
    else:
        found = lines[row].rfind(character, 0, column)
        rest = range(row - 1, -1, -1)
    if found >= 0:
        return row, found
    for other in rest:
        at = lines[other].find(character) if direction > 0 else lines[other].rfind(character)
        if at >= 0:
            return other, at
    return None
