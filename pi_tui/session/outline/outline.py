"""A session's tree in the order in which it is read: from its roots, at each branch the active path first."""

from collections.abc import Collection

from pi_tui.session.log import SessionLog
from pi_tui.session.outline.kinds import SHOWN_KINDS, FilterMode, Kind, kinds_of
from pi_tui.session.outline.layout import Layout, lay_out


class Outline:
    """All entries by number, which is their place in the file; made once, and carried on as the file grows."""

    def __init__(self, log: SessionLog) -> None:
        self.log = log
        self.ids: list[str] = []
        self.parents: list[int] = []
        """The parent's number; -1 for a root."""
        self.order: list[int] = []
        """Every number, in reading order."""
        self.active = bytearray()
        """1 for what is on the path root → leaf."""
        self._numbers: dict[str, int] = {}
        self._kinds = bytearray()
        self._unanswered: list[int] = []
        self._leaf: str | None = None
        self.update()

    def update(self) -> bool:
        """Takes in what was appended, and where the leaf is now; False if nothing changed."""
        log = self.log
        ids = log.entry_ids
        if len(ids) == len(self.ids) and log.leaf_id == self._leaf and self.ids:
            return False
        new = ids[len(self.ids) :]
        self._numbers.update(zip(new, range(len(self.ids), len(ids)), strict=True))
        self._kinds += kinds_of(log, new)
        self.ids, self._leaf = ids, log.leaf_id
        numbers = self._numbers
        self.parents = [-1 if above is None else numbers[above] for above in map(log.parent, ids)]
        self._mark_active()
        self._put_in_order()
        return True

    def number(self, entry_id: str) -> int:
        return self._numbers[entry_id]

    def kind(self, number: int) -> Kind:
        return Kind(self._kinds[number])

    def layout(
        self,
        mode: FilterMode,
        *,
        folded: Collection[str] = (),
        found: Collection[int] | None = None,
    ) -> Layout:
        """The rows of what a filter shows.

        Args:
            mode: The filter.
            folded: Ids of entries whose descendants are not shown.
            found: Numbers of the entries a search has found; None shows all.
        """
        shown = self._shown(mode)
        if found is not None:
            among, shown = shown, bytearray(len(self.ids))
            for number in found:
                shown[number] = among[number]
        closed = {self._numbers[entry_id] for entry_id in folded if entry_id in self._numbers}
        return lay_out(self.order, self.parents, shown, closed)

    def leaf_row(self, layout: Layout) -> int | None:
        """The row of the leaf, or of the nearest entry above it that has one."""
        return self.row_of(self._leaf, layout)

    def row_of(self, entry_id: str | None, layout: Layout) -> int | None:
        """The row of an entry, or of the nearest entry above it that has one."""
        number = self._numbers.get(entry_id, -1) if entry_id is not None else -1
        while number >= 0:
            row = layout.row_of(number)
            if row is not None:
                return row
            number = self.parents[number]
        return None

    def _shown(self, mode: FilterMode) -> bytearray:
        if mode == "labeled-only":
            shown = bytearray(len(self.ids))
            for entry_id in self.log.labels:
                if entry_id in self._numbers:
                    shown[self._numbers[entry_id]] = 1
            return shown
        kinds = SHOWN_KINDS[mode]
        shown = self._kinds.translate(bytes(kind in kinds for kind in range(256)))
        if mode == "default":
            for number in self._unanswered:
                shown[number] = 1
        return shown

    def _mark_active(self) -> None:
        self.active = bytearray(len(self.ids))
        for entry_id in self.log.branch():
            self.active[self._numbers[entry_id]] = 1

    def _put_in_order(self) -> None:
        children: list[list[int]] = [[] for _ in range(len(self.ids) + 1)]
        for number, parent in enumerate(self.parents):
            children[parent].append(number)
        active = self.active
        order = self.order = []
        waiting: list[int] = []
        below = children[-1]
        while below or waiting:
            if len(below) > 1:
                # The stack gives back the last first.
                waiting += sorted(below, key=lambda child: (active[child], -child))
            number = below[0] if len(below) == 1 else waiting.pop()
            order.append(number)
            below = children[number]
        # Calls that nothing came after would be on no row at all.
        self._unanswered = [n for n, kind in enumerate(self._kinds) if kind == Kind.CALLS and not children[n]]
