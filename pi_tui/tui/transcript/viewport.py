"""Which lines of which blocks are on screen: plain data, of blocks and their heights.

The top of the screen is held as a block and a line within it: heights above it may be corrected without the
text moving.
"""

from collections import OrderedDict
from collections.abc import Iterable
from dataclasses import replace
from typing import NamedTuple

from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.heights import Heights
from pi_tui.tui.transcript.line import Line, Look

MAX_KEPT_LINES = 4_000
"""Rendered lines that are kept of blocks that are not on screen."""
MAX_ESTIMATED = 5_000
"""Blocks whose heights are estimated anew when only the width changes; of more the old heights serve."""
MAX_WALK = 400
"""Lines of a scroll up to which blocks in between are measured; a longer one is a jump."""


class ScreenRow(NamedTuple):
    block: Block
    number: int
    """Of the line within the block."""
    line: Line


class Place(NamedTuple):
    """A position of the screen."""

    block: int
    """The index of the block at the top."""
    line: int
    """The line of it that is the first on screen."""
    following: bool


class Viewport:
    """The blocks, and the part of them that the screen shows."""

    def __init__(self, look: Look) -> None:
        self.look = look
        self.height = 0
        """Rows of the screen."""
        self.blocks: list[Block] = []
        self.following = True
        """True while the screen stays at the end."""
        self._indexes: dict[Block, int] = {}
        self._heights = Heights()
        self._top = 0
        self._line = 0
        self._kept: OrderedDict[Block, int] = OrderedDict()
        self._kept_lines = 0

    def __len__(self) -> int:
        return len(self.blocks)

    @property
    def total(self) -> int:
        """Lines of all blocks, as far as they are known."""
        return self._heights.total

    @property
    def offset(self) -> int:
        """Lines above the screen."""
        return self._heights.before(self._top) + self._line

    def index(self, block: Block) -> int | None:
        return self._indexes.get(block)

    def extend(self, blocks: Iterable[Block]) -> None:
        before = self.blocks[-1] if self.blocks else None
        heights: list[int] = []
        for block in blocks:
            block.follow(before)
            before = block
            self._indexes[block] = len(self.blocks)
            self.blocks.append(block)
            heights.append(block.estimate(self.look))
        if len(heights) > len(self._heights):
            self._heights = self._heights.with_more(heights)
            return
        for height in heights:
            self._heights.append(height)

    def remove(self, block: Block) -> None:
        index = self._indexes.get(block)
        if index is None:
            return
        self._drop(block)
        del self.blocks[index]
        if index < self._top or self._top == len(self.blocks):
            self._top = max(0, self._top - 1)
        elif index == self._top:
            self._line = 0
        if index < len(self.blocks):
            following = self.blocks[index]
            following.follow(self.blocks[index - 1] if index else None)
            following.invalidate()
        self._indexes = {block: number for number, block in enumerate(self.blocks)}
        self._heights = self._heights.without(index)

    def clear(self) -> None:
        self.blocks = []
        self.following = True
        self._indexes = {}
        self._heights = Heights()
        self._top = self._line = 0
        self._kept.clear()
        self._kept_lines = 0

    def changed(self, block: Block) -> None:
        """Takes note that a block must be rendered anew when it is near."""
        index = self._indexes.get(block)
        if index is None:
            return
        block.invalidate()
        self._drop(block)
        if not self._near(index):
            self._heights.set(index, max(block.estimate(self.look), 0))

    def toggled(self, block: Block) -> None:
        """Renders a block anew that the user opened or closed; the top of the screen stays where it is."""
        self.changed(block)
        self.following = False
        self.settle()
        self.following = self.at_end

    def set_look(self, look: Look) -> None:
        """Renders everything in another way; the line at the top stays about where it is."""
        if look == self.look:
            return
        before = self._heights[self._top] if self.blocks else 0
        other_content = replace(look, width=self.look.width) != self.look
        self.look = look
        self._kept.clear()
        self._kept_lines = 0
        if other_content or len(self.blocks) <= MAX_ESTIMATED:
            self._heights = Heights([block.estimate(look) for block in self.blocks])
        if self.blocks and before:
            height = self._measure(self._top)
            self._line = min(self._line * height // before, max(0, height - 1))

    def scroll_to(self, offset: int) -> None:
        """Moves the top of the screen; a short way is walked, so that it is exact."""
        if not self.blocks:
            return
        distance = offset - self.offset
        self.following = False
        if abs(distance) <= MAX_WALK:
            self._walk(distance)
        else:
            self._top, self._line = self._heights.find(max(0, offset))
            self._line = min(self._line, max(0, self._measure(self._top) - 1))
        self.settle()
        self.following = self.at_end

    def scroll_to_block(self, index: int, line: int = 0, *, above: int = 0) -> None:
        """Brings a block's line to the top of the screen, or below so many lines that are `above` it."""
        self._top = index
        self._line = max(0, min(line, self._measure(index) - 1))
        self._walk(-above)
        self.following = False
        self.settle()
        self.following = self.at_end

    @property
    def place(self) -> Place:
        """Where the screen is, to come back to."""
        return Place(self._top, self._line, self.following)

    def go_to(self, place: Place) -> None:
        """Comes back to a place."""
        if place.following or place.block >= len(self.blocks):
            self.scroll_to_end()
        else:
            self.scroll_to_block(place.block, place.line)

    def look_at(self, index: int) -> list[Line]:
        """The lines of any block; those of one that is not near the screen are not kept."""
        block = self.blocks[index]
        lines = block.lines(self.look)
        if block not in self._kept:
            block.forget()
        return lines

    def prompt(self, direction: int) -> int | None:
        """The index of the nearest prompt above (-1) or below (1) the line at the top of the screen."""
        if direction < 0:
            start = self._top if self._line else self._top - 1
            candidates = range(start, -1, -1)
        else:
            candidates = range(self._top + 1, len(self.blocks))
        return next((index for index in candidates if self.blocks[index].is_prompt), None)

    def scroll_to_end(self) -> None:
        self.following = True
        self.settle()

    @property
    def at_end(self) -> bool:
        return self.offset + self.height >= self.total

    def settle(self) -> None:
        """Measures what is on screen and puts the top where it belongs."""
        if not self.blocks:
            self._top = self._line = 0
            return
        if self.following:
            self._end_at_bottom()
            return
        # A block that shrank may have its top line above the one that was asked for.
        self._line = min(self._line, max(0, self._measure(self._top) - 1))
        room = self.height + self._line
        index = self._top
        while room > 0 and index < len(self.blocks):
            room -= self._measure(index)
            index += 1
        if room > 0:
            self._end_at_bottom()

    def rows(self) -> list[ScreenRow]:
        """The rows on screen; fewer than its height where there are no more."""
        self.settle()
        rows: list[ScreenRow] = []
        start = self._line
        for index in range(self._top, len(self.blocks)):
            block = self.blocks[index]
            lines = block.lines(self.look)
            stop = min(len(lines), start + self.height - len(rows))
            rows += [ScreenRow(block, number, lines[number]) for number in range(start, stop)]
            if len(rows) >= self.height:
                break
            start = 0
        self._evict({row.block for row in rows})
        return rows

    def _near(self, index: int) -> bool:
        return self._top <= index <= self._top + self.height

    def _measure(self, index: int) -> int:
        block = self.blocks[index]
        height = len(block.lines(self.look))
        self._heights.set(index, height)
        self._kept_lines += height - self._kept.pop(block, 0)
        self._kept[block] = height
        return height

    def _end_at_bottom(self) -> None:
        room = self.height
        index = len(self.blocks)
        while index > 0 and room > 0:
            index -= 1
            room -= self._measure(index)
        self._top = index
        self._line = max(0, -room)

    def _walk(self, distance: int) -> None:
        line = self._line + distance
        while line < 0 and self._top > 0:
            self._top -= 1
            line += self._measure(self._top)
        while self._top + 1 < len(self.blocks) and line >= (height := self._measure(self._top)):
            line -= height
            self._top += 1
        self._line = max(0, line)

    def _drop(self, block: Block) -> None:
        self._kept_lines -= self._kept.pop(block, 0)

    def _evict(self, shown: set[Block]) -> None:
        """Gives back the lines of blocks that have not been near the screen for longest."""
        if self._kept_lines <= MAX_KEPT_LINES:
            return
        for block in list(self._kept):
            if self._kept_lines <= MAX_KEPT_LINES:
                break
            if block not in shown:
                self._drop(block)
                block.forget()
