"""The heights of the blocks, summed so that any line finds its block in logarithmic time."""

from collections.abc import Iterable


class Heights:
    """Heights in lines, as a Fenwick tree."""

    def __init__(self, heights: Iterable[int] = ()) -> None:
        self._heights: list[int] = list(heights)
        self._tree: list[int] = [0, *self._heights]
        for index in range(1, len(self._tree)):
            above = index + (index & -index)
            if above < len(self._tree):
                self._tree[above] += self._tree[index]
        self.total = sum(self._heights)

    def __len__(self) -> int:
        return len(self._heights)

    def __getitem__(self, index: int) -> int:
        return self._heights[index]

    def append(self, height: int) -> None:
        self._heights.append(height)
        index = len(self._tree)
        # The new node covers what the nodes below it cover, and its own height.
        covered = height
        below = index - 1
        stop = index - (index & -index)
        while below > stop:
            covered += self._tree[below]
            below -= below & -below
        self._tree.append(covered)
        self.total += height

    def set(self, index: int, height: int) -> None:
        change = height - self._heights[index]
        if not change:
            return
        self._heights[index] = height
        self.total += change
        node = index + 1
        while node < len(self._tree):
            self._tree[node] += change
            node += node & -node

    def with_more(self, heights: list[int]) -> "Heights":
        """These heights and others after them; for many quicker than one by one."""
        return Heights(self._heights + heights)

    def without(self, index: int) -> "Heights":
        """The heights of the other blocks."""
        return Heights(self._heights[:index] + self._heights[index + 1 :])

    def before(self, index: int) -> int:
        """The lines above a block."""
        lines = 0
        while index > 0:
            lines += self._tree[index]
            index -= index & -index
        return lines

    def find(self, line: int) -> tuple[int, int]:
        """The block that has a line, and the line's number there; the last line for one past the end."""
        position = 0
        step = 1 << (len(self._tree).bit_length() - 1)
        while step:
            following = position + step
            if following < len(self._tree) and self._tree[following] <= line:
                position = following
                line -= self._tree[following]
            step >>= 1
        if position >= len(self._heights):
            position = len(self._heights) - 1
            line = max(0, self._heights[position] - 1)
        return position, line
