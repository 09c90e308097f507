"""The projection that was asked for last, which goes on as the branch grows."""

from collections.abc import Callable

from msgspec import Struct

from pi_tui.session.context import EntryOf, PathItem, Projection, continued, project_path
from pi_tui.session.tree import SessionTree

MAX_KEPT_BYTES = 32 * 1024 * 1024
"""Size, in bytes of their lines, of the messages a projection may hold and still be kept."""
MAX_STEPS = 256
"""Entries by which a kept projection is continued; beyond that it is made anew."""


class Projecting(Struct, frozen=True):
    """A projection that is still to be made, in any thread: it shares nothing with the session."""

    leaf_id: str | None
    path: list[PathItem]
    entry_of: EntryOf
    size: int
    """Bytes of the lines on the path."""

    def make(self) -> Projection:
        return project_path(self.path, self.entry_of)


class LatestProjection:
    """Makes projections of a tree. A run asks for one before every request, each a few entries after the last.

    Args:
        tree: The session's tree.
        entry_of: Decodes an entry.
        size_of: The bytes of an entry's line.
    """

    def __init__(self, tree: SessionTree, entry_of: EntryOf, size_of: Callable[[str], int]) -> None:
        self._tree = tree
        self._entry_of = entry_of
        self._size_of = size_of
        self._leaf_id: str | None = None
        self._kept: Projection | None = None
        self._size = 0

    def at(self, leaf_id: str | None) -> Projection:
        """The projection of the path root → `leaf_id`; to be read, not changed."""
        projection = self._continued(leaf_id)
        if projection is None:
            projection = project_path(self.path_items(leaf_id), self._entry_of)
            self.keep(leaf_id, projection)
        return projection

    def begin(self, leaf_id: str | None, entry_of: EntryOf) -> Projection | Projecting:
        """The same where it can go on from the last one, else what is needed to make it elsewhere.

        Args:
            leaf_id: The end of the path.
            entry_of: Decodes an entry, in any thread.
        """
        projection = self._continued(leaf_id)
        if projection is not None:
            return projection
        path = self.path_items(leaf_id)
        return Projecting(leaf_id, path, entry_of, sum(self._size_of(entry_id) for entry_id, _ in path))

    def keep(self, leaf_id: str | None, projection: Projection) -> None:
        """Takes a projection to go on from."""
        self._take(leaf_id, projection, sum(map(self._size_of, projection.entry_ids)))

    def _take(self, leaf_id: str | None, projection: Projection, size: int) -> None:
        self._kept = projection if size <= MAX_KEPT_BYTES else None
        self._size = size
        self._leaf_id = leaf_id

    def path_items(self, leaf_id: str | None) -> list[PathItem]:
        """Ids and types on the path root → `leaf_id`."""
        return self._items(self._tree.branch(leaf_id))

    def _continued(self, leaf_id: str | None) -> Projection | None:
        if self._kept is None:
            return None
        path: list[str] = []
        at = leaf_id
        while at != self._leaf_id:
            if at is None or len(path) == MAX_STEPS:
                return None
            path.append(at)
            at = self._tree.parent(at)
        if not path:
            return self._kept
        projection = continued(self._kept, self._items(path[::-1]), self._entry_of)
        if projection is not None:
            # Summing up all of them again would take longer than to go on by one.
            new = projection.entry_ids[len(self._kept.entry_ids) :]
            self._take(leaf_id, projection, self._size + sum(map(self._size_of, new)))
        return projection

    def _items(self, path: list[str]) -> list[PathItem]:
        records = self._tree.records
        return [(entry_id, records[entry_id].head.type) for entry_id in path]
