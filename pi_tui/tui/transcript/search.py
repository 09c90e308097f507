"""Finding text in the transcript, block by block, without stopping the screen."""

import asyncio
from time import monotonic
from typing import NamedTuple

from rich.style import Style

from pi_tui.tui.transcript.line import Line
from pi_tui.tui.transcript.paint import Highlight
from pi_tui.tui.transcript.viewport import Viewport

SLICE = 0.008
"""Seconds of searching between looks at what else there is to do."""


class Match(NamedTuple):
    block: int
    """Its index."""
    line: int


class Search:
    """One query, and the match it stands at."""

    def __init__(self, query: str) -> None:
        self.query = query.lower()
        self.match: Match | None = None

    def highlights(self, line: Line, found: Style) -> list[Highlight]:
        """Where the query stands in a line."""
        text = line.text.lower()
        if not self.query or len(text) != len(line.text):
            return []
        spans: list[Highlight] = []
        start = text.find(self.query)
        while start >= 0:
            spans.append(Highlight(start, start + len(self.query), found))
            start = text.find(self.query, start + len(self.query))
        return spans

    async def step(self, viewport: Viewport, direction: int, start: Match) -> Match | None:
        """The match after `start` (`direction` 1) or before it (-1), around the ends; None without one."""
        count = len(viewport)
        paused = monotonic()
        for distance in range(count + 1):
            index = (start.block + direction * distance) % count
            beyond = start.line if distance == 0 else None
            if index >= len(viewport):
                return None
            match = self._in_block(viewport, index, direction, beyond)
            if match is not None:
                self.match = match
                return match
            if monotonic() - paused > SLICE:
                await asyncio.sleep(0)
                paused = monotonic()
        return None

    def _in_block(self, viewport: Viewport, index: int, direction: int, beyond: int | None) -> Match | None:
        block = viewport.blocks[index]
        if self.query not in block.text().lower():
            return None
        numbers = self._lines(viewport, index)
        if not numbers:
            block.reveal(self.query)
            viewport.changed(block)
            numbers = self._lines(viewport, index)
        if not numbers:
            return Match(index, 0) if beyond is None else None
        if beyond is not None:
            numbers = [number for number in numbers if (number - beyond) * direction > 0]
        return Match(index, numbers[0] if direction > 0 else numbers[-1]) if numbers else None

    def _lines(self, viewport: Viewport, index: int) -> list[int]:
        lines = viewport.blocks[index].lines(viewport.look)
        return [number for number, line in enumerate(lines) if self.query in line.text.lower()]
