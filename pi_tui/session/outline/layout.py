"""Rows of a tree: indented only where it really branches, so that a long talk stays at the left."""

from collections.abc import Collection, Sequence
from typing import TypeAlias

from msgspec import Struct

Guides: TypeAlias = tuple[bool, ...]
"""One for each level of indentation: True if the branch it leads to is the last one there."""


class Row(Struct, frozen=True):
    number: int
    """The entry's."""
    guides: Guides
    start: bool
    """Begins a stretch: a root, or a child of an entry that has several."""
    parent: int
    """The number of the entry above it among those shown; -1 at the top."""
    folds: bool
    """There is something below it to fold."""
    folded: bool


class Layout:
    """The rows of a tree; a row is made when it is asked for."""

    def __init__(
        self,
        numbers: list[int],
        guides: dict[int, Guides],
        above: list[int],
        kids: list[int],
        closed: Collection[int],
    ) -> None:
        self.numbers = numbers
        """The entry of each row."""
        self._guides = guides
        self._above = above
        self._kids = kids
        self._closed = closed
        self._rows: dict[int, int] | None = None

    def __len__(self) -> int:
        return len(self.numbers)

    def __getitem__(self, index: int) -> Row:
        number = self.numbers[index]
        start = self.is_start(index)
        folds = start and self._kids[number] > 0
        return Row(
            number, self._guides[number], start, self._above[number], folds, folds and number in self._closed
        )

    def row_of(self, number: int) -> int | None:
        if self._rows is None:
            self._rows = {one: row for row, one in enumerate(self.numbers)}
        return self._rows.get(number)

    def is_start(self, index: int) -> bool:
        above = self._above[self.numbers[index]]
        return above < 0 or self._kids[above] > 1

    def start_of(self, index: int) -> int:
        """The row that begins the stretch a row is in."""
        while not self.is_start(index):
            index -= 1
        return index

    def end_of(self, index: int) -> int:
        """The last row of the stretch a row is in."""
        while index + 1 < len(self) and not self.is_start(index + 1):
            index += 1
        return index


def lay_out(
    order: Sequence[int], parents: Sequence[int], shown: bytearray, closed: Collection[int]
) -> Layout:
    """The rows of the entries that are shown; each hangs on the nearest entry above it that is.

    Args:
        order: All entries, each after its parent.
        parents: Each entry's parent; -1 for a root.
        shown: 1 for each entry to show.
        closed: Entries whose descendants are left out.
    """
    above = [-1] * len(parents)
    kids = [0] * (len(parents) + 1)
    last = [-1] * (len(parents) + 1)
    for number in order:
        parent = parents[number]
        anchor = parent if parent < 0 or shown[parent] else above[parent]
        above[number] = anchor
        if shown[number]:
            kids[anchor] += 1
            last[anchor] = number
    rows: list[int] = []
    guides: dict[int, Guides] = {-1: ()}
    for number in order:
        if not shown[number]:
            continue
        anchor = above[number]
        before = guides.get(anchor)
        if before is None or (anchor in closed and _begins(anchor, above, kids)):
            continue
        if anchor >= 0 and kids[anchor] > 1:
            guides[number] = (*before, last[anchor] == number)
        else:
            guides[number] = before
        rows.append(number)
    return Layout(rows, guides, above, kids, closed)


def _begins(number: int, above: Sequence[int], kids: Sequence[int]) -> bool:
    return above[number] < 0 or kids[above[number]] > 1
