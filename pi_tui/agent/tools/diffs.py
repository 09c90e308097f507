"""Unified diffs for the screen, in bounded time and size."""

import re
from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any

from pi_tui.agent.tools import limits


@dataclass(frozen=True)
class Change:
    """A stretch of the old text and the stretch of the new text in its place, in characters."""

    old_start: int
    old_end: int
    new_start: int
    new_end: int


@dataclass(frozen=True)
class Diff:
    """A unified diff, cut at a whole line to `limits.DIFF_BYTES`; the counts are those of the whole.

    `first_changed_line` is a line of the new text, from 1; None if nothing changed.
    """

    text: str
    added: int
    removed: int
    first_changed_line: int | None
    truncated: bool = False

    @property
    def details(self) -> dict[str, Any]:
        """As results carry it for the screen."""
        details: dict[str, Any] = {
            "diff": self.text,
            "firstChangedLine": self.first_changed_line,
            "added": self.added,
            "removed": self.removed,
        }
        if self.truncated:
            details["diffTruncated"] = True
        return details


@dataclass(frozen=True)
class _Block:
    """Lines `i1:i2` of the old text (from 0) are lines `j1:j2` of the new one."""

    i1: int
    i2: int
    j1: int
    j2: int


def unified_diff(old: str, new: str, path: str, changes: Sequence[Change] | None = None) -> Diff:
    """What `new` has in place of `old`.

    Args:
        changes: Where they differ, in order, if that is known; else it is found. Only these places are
            compared, so that a small edit of a large file costs little.
    """
    before, after = _Lines(old), _Lines(new)
    if changes is None:
        changes = _outer_change(old, new)
    blocks = [
        block
        for stretch in _whole_lines(before, after, changes)
        for block in _compare(before, after, stretch)
    ]
    if not blocks:
        return Diff("", 0, 0, None)
    writer = _Writer(path)
    for group in _groups(blocks):
        writer.hunk(before, after, group)
    return Diff(
        "".join(writer.lines),
        added=sum(block.j2 - block.j1 for block in blocks),
        removed=sum(block.i2 - block.i1 for block in blocks),
        first_changed_line=blocks[0].j1 + 1,
        truncated=writer.full,
    )


def line_count(text: str) -> int:
    return text.count("\n") + (not text.endswith("\n") and bool(text))


class _Lines:
    """The lines of a text, with their ends, cut out only when asked for."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._starts = array("Q", [0])
        self._starts.extend(match.end() for match in re.finditer("\n", text))
        if self._starts[-1] != len(text):
            self._starts.append(len(text))

    def __len__(self) -> int:
        return len(self._starts) - 1

    def line(self, index: int) -> str:
        return self._text[self._starts[index] : self._starts[index + 1]]

    def cut(self, start: int, end: int) -> list[str]:
        return [self.line(index) for index in range(start, end)]

    def holding(self, position: int) -> int:
        """The line that has the character at `position`; after the last line end, the number of lines."""
        line = bisect_right(self._starts, position) - 1
        return line - 1 if line == len(self) and self._ends_inside_a_line() else line

    def is_start(self, position: int) -> bool:
        return self._starts[self.holding(position)] == position

    def _ends_inside_a_line(self) -> bool:
        return self._text != "" and not self._text.endswith("\n")


def _outer_change(old: str, new: str) -> list[Change]:
    """Everything between what both begin and what both end with."""
    if old == new:
        return []
    shorter = min(len(old), len(new))
    start = _bisect(shorter, lambda size: old[:size] == new[:size])
    end = _bisect(shorter - start, lambda size: old[len(old) - size :] == new[len(new) - size :])
    return [Change(start, len(old) - end, start, len(new) - end)]


def _bisect(largest: int, holds: Callable[[int], bool]) -> int:
    """The largest size up to `largest` for which `holds` is true, as it is for 0 and all sizes below."""
    low, high = 0, largest
    while low < high:
        middle = (low + high + 1) // 2
        if holds(middle):
            low = middle
        else:
            high = middle - 1
    return low


def _whole_lines(before: _Lines, after: _Lines, changes: Sequence[Change]) -> list[_Block]:
    """The changes, each widened to whole lines, those that meet made one."""
    blocks: list[_Block] = []
    for change in changes:
        widened = 0 if before.is_start(change.old_end) and after.is_start(change.new_end) else 1
        block = _Block(
            before.holding(change.old_start),
            min(before.holding(change.old_end) + widened, len(before)),
            after.holding(change.new_start),
            min(after.holding(change.new_end) + widened, len(after)),
        )
        if blocks and block.i1 < blocks[-1].i2:
            last = blocks.pop()
            block = _Block(last.i1, max(last.i2, block.i2), last.j1, max(last.j2, block.j2))
        blocks.append(block)
    return blocks


def _compare(before: _Lines, after: _Lines, block: _Block) -> Iterator[_Block]:
    """The parts of a block that really differ."""
    if block.i2 - block.i1 + block.j2 - block.j1 > limits.DIFF_COMPARED_LINES:
        yield block
        return
    old, new = before.cut(block.i1, block.i2), after.cut(block.j1, block.j2)
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, old, new).get_opcodes():
        if tag != "equal":
            yield _Block(block.i1 + i1, block.i1 + i2, block.j1 + j1, block.j1 + j2)


def _groups(blocks: Sequence[_Block]) -> Iterator[list[_Block]]:
    """Blocks whose context lines meet belong into one hunk."""
    group = [blocks[0]]
    for block in blocks[1:]:
        if block.i1 - group[-1].i2 > 2 * limits.DIFF_CONTEXT_LINES:
            yield group
            group = []
        group.append(block)
    yield group


class _Writer:
    def __init__(self, path: str) -> None:
        self.lines: list[str] = []
        self.full = False
        self._size = 0
        self._write(f"--- {path}\n")
        self._write(f"+++ {path}\n")

    def hunk(self, before: _Lines, after: _Lines, group: Sequence[_Block]) -> None:
        context = limits.DIFF_CONTEXT_LINES
        lead = min(context, group[0].i1)
        trail = min(context, len(before) - group[-1].i2)
        i1, i2 = group[0].i1 - lead, group[-1].i2 + trail
        j1, j2 = group[0].j1 - lead, group[-1].j2 + trail
        self._write(f"@@ -{_range(i1, i2)} +{_range(j1, j2)} @@\n")
        at = i1
        for block in group:
            self._run(" ", before, at, block.i1)
            self._run("-", before, block.i1, block.i2)
            self._run("+", after, block.j1, block.j2)
            at = block.i2
        self._run(" ", before, at, i2)

    def _run(self, sign: str, lines: _Lines, start: int, end: int) -> None:
        for index in range(start, end):
            if self.full:
                return
            line = lines.line(index)
            body = line.removesuffix("\n")
            if len(body) > limits.DIFF_LINE_CHARS:
                body = body[: limits.DIFF_LINE_CHARS] + "…"
            self._write(f"{sign}{body}\n")
            if not line.endswith("\n"):
                self._write("\\ No newline at end of file\n")

    def _write(self, line: str) -> None:
        encoded = line.encode("utf-8", "replace")
        self._size += len(encoded)
        self.full = self.full or self._size > limits.DIFF_BYTES
        if not self.full:
            self.lines.append(encoded.decode())


def _range(start: int, end: int) -> str:
    """Lines `start:end` (from 0) as a hunk header has them; an empty range names the line before it."""
    count = end - start
    first = start + 1 if count else start
    return str(first) if count == 1 else f"{first},{count}"
