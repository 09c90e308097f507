"""Finding text in the transcript, block by block, without stopping the screen."""

import asyncio
from collections.abc import Sequence
from time import monotonic
from typing import NamedTuple

from rich.style import Style

from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.line import Line
from pi_tui.tui.transcript.occurrences import Occurrence, occurrences
from pi_tui.tui.transcript.paint import Highlight
from pi_tui.tui.transcript.viewport import ScreenRow, Viewport

SLICE = 0.008
"""Seconds of searching between looks at what else there is to do."""
MAX_COUNTED = 5_000
"""Matches beyond which it is no longer counted how many there are."""


class Match(NamedTuple):
    block: int
    """Its index."""
    line: int
    start: int
    """The first character, within the line."""


class Search:
    """One query, the match it stands at, and how many there are.

    Args:
        query: What is looked for; capitals mean nothing.
    """

    def __init__(self, query: str) -> None:
        self.query = query.lower()
        self.match: Match | None = None
        self.revealed: list[Block] = []
        """Blocks that were opened because what they hid was found."""
        self.counted = False
        """The counts are of the whole transcript."""
        self._counts: dict[int, int] = {}
        self._shown: tuple[Sequence[Line] | None, list[Occurrence]] = (None, [])

    @property
    def total(self) -> int:
        """Matches that were counted so far."""
        return sum(self._counts.values())

    def number(self, viewport: Viewport) -> int | None:
        """Which match it stands at, from 1, the newest first; None while that is not known."""
        if self.match is None or self.match.block not in self._counts:
            return None
        newer = sum(count for index, count in self._counts.items() if index > self.match.block)
        here = self._places(viewport, self.match.block)
        return newer + sum(1 for place in here if place >= self.match) or 1

    def highlights(self, viewport: Viewport, row: ScreenRow, found: Style) -> list[Highlight]:
        """Where the query stands in a line; the match that was gone to stands out more."""
        marks: list[Highlight] = []
        index = viewport.index(row.block)
        for spans in self._of_shown(row.block.lines(viewport.look)):
            current = (index, spans[0].line, spans[0].start) == self.match
            style = found + Style(bold=True, underline=True, reverse=not found.reverse) if current else found
            marks += [Highlight(start, end, style) for line, start, end in spans if line == row.number]
        return marks

    async def step(self, viewport: Viewport, direction: int, start: Match) -> Match | None:
        """The match after `start` (`direction` 1) or before it (-1), around the ends; None without one."""
        count = len(viewport)
        paused = monotonic()
        for distance in range(count + 1):
            index = (start.block + direction * distance) % count
            if index >= len(viewport):
                return None
            places = self._places(viewport, index, reveal=True)
            if distance == 0:
                places = [place for place in places if (place > start if direction > 0 else place < start)]
            if places:
                self.match = places[0 if direction > 0 else -1]
                return self.match
            if monotonic() - paused > SLICE:
                await asyncio.sleep(0)
                paused = monotonic()
        return None

    async def count(self, viewport: Viewport) -> None:
        """Counts the matches, from the newest block to the oldest; nothing is opened for it."""
        paused = monotonic()
        for index in reversed(range(len(viewport))):
            if index >= len(viewport):
                return
            if index not in self._counts and (count := self._count_in(viewport, index)):
                self._counts[index] = count
                if self.total >= MAX_COUNTED:
                    return
            if monotonic() - paused > SLICE:
                await asyncio.sleep(0)
                paused = monotonic()
        self.counted = True

    def _count_in(self, viewport: Viewport, index: int) -> int:
        block = viewport.blocks[index]
        if not block.may_say(self.query):
            return 0
        shown = len(occurrences(viewport.look_at(index), self.query))
        return shown or block.text().lower().count(self.query)

    def _places(self, viewport: Viewport, index: int, *, reveal: bool = False) -> list[Match]:
        """The matches in a block; `reveal` opens one that hides them."""
        block = viewport.blocks[index]
        if not block.may_say(self.query):
            return []
        found = occurrences(viewport.look_at(index), self.query)
        if not found and reveal and self.query in block.text().lower():
            block.reveal(self.query)
            self.revealed.append(block)
            viewport.changed(block)
            found = occurrences(viewport.look_at(index), self.query)
        if index in self._counts and found:
            self._counts[index] = len(found)
        return [Match(index, spans[0].line, spans[0].start) for spans in found]

    def _of_shown(self, lines: Sequence[Line]) -> list[Occurrence]:
        if self._shown[0] is not lines:
            self._shown = (lines, occurrences(lines, self.query))
        return self._shown[1]
