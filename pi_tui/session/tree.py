"""The tree of a session in memory: ids, parents, children, the leaf, labels and the name.

Damage is mended here and nowhere on disk: an entry whose parent cannot be read hangs on the readable entry
before, a second entry with a taken id gets an id of its own, a cycle is cut.
"""

from collections.abc import Iterable
from sys import intern

from pi_tui.session.lines import Record

ALIAS_MARK = "~"
"""Between the id and the number of an entry whose id an earlier one has: `a1b2c3d4~2`."""


class SessionTree:
    """Entries by id, in file order. Every question is O(1) or, for a branch, O(its length)."""

    def __init__(self) -> None:
        self.records: dict[str, Record] = {}
        """Every entry, in file order, under the id by which it is known here."""
        self.leaf_id: str | None = None
        self.labels: dict[str, str] = {}
        self.name: str | None = None
        self._parents: dict[str, str | None] = {}
        self._children: dict[str | None, list[str]] = {None: []}
        self._renamed: dict[str, str] = {}
        """An id that several entries carry in the file → the latest of them."""

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self.records

    @property
    def last(self) -> str | None:
        """The last entry in the file."""
        return next(reversed(self.records), None)

    def parent(self, entry_id: str) -> str | None:
        return self._parents[entry_id]

    def children(self, entry_id: str | None) -> list[str]:
        """In file order; of None: the roots."""
        return self._children.get(entry_id, [])

    def branch(self, leaf_id: str | None) -> list[str]:
        """The path root → leaf."""
        path: list[str] = []
        at = leaf_id
        while at is not None:
            path.append(at)
            at = self._parents[at]
        path.reverse()
        return path

    def add(self, record: Record, parent_id: str | None) -> str:
        """Hangs one entry on a parent that is here; returns the id by which it is known."""
        entry_id = self._take_id(record)
        self._parents[entry_id] = parent_id
        self._children.setdefault(parent_id, []).append(entry_id)
        return entry_id

    def add_all(self, records: Iterable[Record]) -> tuple[list[str], list[str]]:
        """Hangs the entries of a stretch of the file, and mends what does not fit.

        Returns:
            The id of each record, in order; and a notice for each thing mended.
        """
        added: list[str] = []
        notices: list[str] = []
        lines: dict[str, int] = {}
        unread: dict[str, str | None] = {}
        waiting: list[tuple[str, str, str | None]] = []
        before = self.last
        for record in records:
            head = record.head
            named = head.parent_id
            parent = None if named is None else self._carrier(named)
            if named == parent:
                head.parent_id = parent  # One string for both.
            entry_id = self._take_id(record)
            if entry_id != head.id:
                notices.append(
                    f"Line {record.line}: the id {head.id} is taken by an earlier entry; "
                    f"this one is kept as {entry_id}."
                )
            if named is not None and parent is None:
                waiting.append((entry_id, named, before))
            self._parents[entry_id] = parent
            lines[entry_id] = record.line
            added.append(entry_id)
            before = entry_id
        for entry_id, named, previous in waiting:
            later = self._carrier(named)
            if later is not None:
                self._parents[entry_id] = later
                continue
            if named not in unread:
                unread[named] = previous
                place = "is now a root" if previous is None else f"follows {previous} now"
                notices.append(
                    f"Line {lines[entry_id]}: the parent {named} cannot be read; {entry_id} {place}."
                )
            self._parents[entry_id] = unread[named]
        if waiting:
            self._cut_cycles(added, lines, notices)
        for entry_id in added:
            self._children.setdefault(self._parents[entry_id], []).append(entry_id)
        return added, notices

    def set_label(self, target_id: str, label: str | None) -> None:
        if label:
            self.labels[target_id] = label
        else:
            self.labels.pop(target_id, None)

    def _carrier(self, named: str) -> str | None:
        """The latest entry that carries an id in the file, under the id by which it is known here."""
        return self._renamed.get(named) or (self.records[named].head.id if named in self.records else None)

    def _take_id(self, record: Record) -> str:
        head = record.head
        entry_id = head.id
        number = 2
        while entry_id in self.records:
            entry_id = f"{head.id}{ALIAS_MARK}{number}"
            number += 1
        if entry_id != head.id:
            self._renamed[head.id] = entry_id
        head.type = intern(head.type)
        self.records[entry_id] = record
        return entry_id

    def _cut_cycles(self, added: list[str], lines: dict[str, int], notices: list[str]) -> None:
        """Only an entry that names a later one can close a cycle; the first of its entries becomes a root."""
        order = {entry_id: place for place, entry_id in enumerate(added)}
        sound: set[str] = set()
        for entry_id in added:
            path: list[str] = []
            seen: set[str] = set()
            at: str | None = entry_id
            while at is not None and at in order and at not in sound and at not in seen:
                path.append(at)
                seen.add(at)
                at = self._parents[at]
            if at is not None and at in seen:
                first = min(path[path.index(at) :], key=order.__getitem__)
                self._parents[first] = None
                notices.append(f"Line {lines[first]}: the parents of {first} form a cycle; it is a root now.")
            sound.update(path)
