"""A session's tree in the order in which it is read: from its roots, at each branch the active path first."""

from collections.abc import Collection, Iterator

from pi_tui.session.log import SessionLog
from pi_tui.session.outline.kinds import SHOWN_KINDS, FilterMode, Kind, kinds_of
from pi_tui.session.outline.layout import Layout, lay_out

SLICE_ENTRIES = 500
"""Entries that are looked at between two pauses: about two milliseconds."""


class Outline:
    """All entries by number, which is their place in the file; made once, and carried on as the file grows.

    It is empty until `update` is called; whoever has time before may call `read`.
    """

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

    def read(self) -> Iterator[None]:
        """Looks at the entries that are not known yet, and pauses every few milliseconds."""
        ids = self.log.entry_ids
        while len(self._kinds) < len(ids):
            start = len(self._kinds)
            self._kinds += kinds_of(self.log, ids[start : start + SLICE_ENTRIES])
            yield

    def update(self) -> bool:
        """Takes in what was appended, and where the leaf is now; False if nothing changed."""
        log = self.log
        ids, known = log.entry_ids, len(self.ids)
        if len(ids) == known and log.leaf_id == self._leaf and known:
            return False
        for _ in self.read():
            pass
        numbers = self._numbers
        numbers.update(zip(ids[known:], range(known, len(ids)), strict=True))
        self.parents += [-1 if above is None else numbers[above] for above in map(log.parent, ids[known:])]
        leaf = numbers.get(self._leaf or "", -1)
        self.ids, self._leaf = ids, log.leaf_id
        if not self._went_on(leaf, known):
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

    def nearest_row(self, entry_id: str | None, layout: Layout) -> int | None:
        """Like `row_of`; where nothing above the entry has a row, the one that comes before it in reading order."""
        row = self.row_of(entry_id, layout)
        if row is None and entry_id in self._numbers and len(layout):
            at = self.order.index(self._numbers[entry_id])
            rows = (layout.row_of(number) for number in reversed(self.order[:at]))
            row = next((one for one in rows if one is not None), 0)
        return row

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

    def _went_on(self, leaf: int, known: int) -> bool:
        """Adds what was appended one after the other behind the old leaf, the usual case; False if it is another."""
        new = range(known, len(self.ids))
        if leaf < 0 or not new or self._leaf != self.ids[-1]:
            return False
        chain = [leaf, *new]
        if self.parents[known:] != chain[:-1] or leaf in self.parents[:known]:
            return False
        at = self.order.index(leaf) + 1
        self.order[at:at] = new
        self.active += bytes([1]) * len(new)
        self._unanswered = [number for number in self._unanswered if number != leaf]
        if self._kinds[-1] == Kind.CALLS:
            self._unanswered.append(len(self.ids) - 1)
        return True

    def _put_in_order(self) -> None:
        only = [-1] * (len(self.ids) + 1)
        several: dict[int, list[int]] = {}
        for number, parent in enumerate(self.parents):
            if only[parent] < 0:
                only[parent] = number
            else:
                several.setdefault(parent, [only[parent]]).append(number)
        active = self.active
        order = self.order = []
        waiting: list[int] = []
        number = -1
        while True:
            if number in several:
                # The last one is taken next.
                waiting += sorted(several[number], key=lambda child: (active[child], -child))
                number = waiting.pop()
            elif only[number] >= 0:
                number = only[number]
            elif waiting:
                number = waiting.pop()
            else:
                break
            order.append(number)
        # Calls that nothing came after would be on no row at all.
        self._unanswered = [n for n, kind in enumerate(self._kinds) if kind == Kind.CALLS and only[n] < 0]
