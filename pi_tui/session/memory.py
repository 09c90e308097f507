"""The entries of one session in memory: their bytes, their tree, and payloads decoded when someone asks."""

from collections import OrderedDict

from pi_tui.session.context import EntryOf, PathItem, Projection, model_of, thinking_level_of
from pi_tui.session.entries import Entry, Head, Header, KnownEntry, LabelEntry, SessionInfoEntry
from pi_tui.session.latest_projection import LatestProjection, Projecting
from pi_tui.session.lines import Record, Rubbish, find_header, scan
from pi_tui.session.migration import VERSION, migrate, migrated_header
from pi_tui.session.payload import decode_entry, encode_entry
from pi_tui.session.roles import role_of
from pi_tui.session.tree import SessionTree

MAX_CACHED_BYTES = 8 * 1024 * 1024
"""Size, in bytes of their lines, of the decoded entries that are kept."""
MAX_NOTICES = 50


class SessionMemory:
    """A session's entries, wherever they come from."""

    def __init__(self, header: Header, header_line: bytes) -> None:
        self.header = header
        self.header_line = header_line
        self.tree = SessionTree()
        self.notices: list[str] = []
        self.rubbish: list[Rubbish] = []
        self.outdated = False
        """The file has an older format; the entries here have the present one."""
        self.torn = b""
        """What stands on the file's unfinished last line."""
        self.next_line = 1
        """The number of the line at which the unread part of the file begins."""
        self._data = b""
        self._cache: OrderedDict[str, Entry] = OrderedDict()
        self._cached_bytes = 0
        self._projections = LatestProjection(self.tree, self.entry, self.line_size)

    @classmethod
    def from_file(cls, path: str, data: bytes) -> "SessionMemory | None":
        """Reads a whole session file; None if it has no session header."""
        found = find_header(data)
        if found is None:
            return None
        header = found.header
        memory = cls(header, data[found.start : found.end])
        result = scan(data, found.end, found.line, ids=header.version > 1)
        records = result.records
        if header.version < VERSION:
            memory.header_line = migrated_header(memory.header_line, header)
            records = migrate(data, header, records)
            memory.outdated = True
        elif header.version > VERSION:
            memory._note(
                f"{path} has format {header.version}, newer than {VERSION}: what this version of pi does not "
                "know is kept but not shown."
            )
        memory._data = data
        memory.rubbish = result.rubbish
        memory.torn = data[result.resume_at :]
        memory.next_line = result.last_line
        memory._join(records, result.notices)
        memory.tree.leaf_id = memory.tree.last
        return memory

    def take_in(self, news: bytes) -> None:
        """Adds the entries another process appended; the leaf stays where it is."""
        data = self.torn + news
        result = scan(data, 0, self.next_line)
        self.torn, self.next_line = data[result.resume_at :], result.last_line
        self._join(_owning(result.records, data), result.notices)

    def compare(self, data: bytes, start: int, line: int) -> set[str]:
        """Adds the entries of a file that took the place of ours; returns the ids of all that it holds."""
        result = scan(data, start, line)
        self.torn, self.next_line = data[result.resume_at :], result.last_line
        unknown = [record for record in result.records if record.head.id not in self.tree]
        self._join(_owning(unknown, data), result.notices)
        return {record.head.id for record in result.records}

    def whole_file(self) -> bytes:
        """Everything, as a file in the present format: lines that hold no entry stay where they were."""
        end = self.next_line + 1
        parts = [
            (one.line or end, one.start, self.raw(entry_id)) for entry_id, one in self.tree.records.items()
        ]
        parts += [(one.line, one.start, self._data[one.start : one.end]) for one in self.rubbish]
        if self.torn:
            parts.append((self.next_line, len(self._data), self.torn))
        parts.sort(key=lambda part: part[:2])
        return b"".join(part + b"\n" for part in (self.header_line, *(part[2] for part in parts)))

    def add(self, entry: KnownEntry) -> None:
        """Adds a new entry as a child of the leaf and moves the leaf to it."""
        raw = encode_entry(entry)
        kind = str(entry.__struct_config__.tag)
        head = Head(type=kind, id=entry.id, parent_id=entry.parent_id, timestamp=entry.timestamp)
        self.tree.leaf_id = self.tree.add(Record(head, 0, 0, len(raw), raw), self.tree.leaf_id)
        self._mark(entry)

    def add_lines(self, lines: list[bytes]) -> list[str]:
        """Adds entries by their bytes, each after its parent, and moves the leaf to the last of them."""
        data = b"".join(line + b"\n" for line in lines)
        result = scan(data, 0, 1)
        added = self._join(_owning(result.records, data), result.notices)
        self.tree.leaf_id = added[-1] if added else self.tree.leaf_id
        return added

    def ids(self) -> list[str]:
        return list(self.tree.records)

    def raw(self, entry_id: str) -> bytes:
        """The entry's bytes, without the newline."""
        record = self.tree.records[entry_id]
        return record.own if record.own is not None else self._data[record.start : record.end].rstrip(b"\r")

    def place(self, entry_id: str) -> tuple[bytes, int, int]:
        """Bytes that hold the entry's line, and where in them it begins and ends: nothing is copied."""
        record = self.tree.records[entry_id]
        return (
            (self._data, record.start, record.end) if record.own is None else (record.own, 0, len(record.own))
        )

    def line_size(self, entry_id: str) -> int:
        record = self.tree.records[entry_id]
        return record.end - record.start

    def entry(self, entry_id: str) -> Entry:
        """The decoded entry; the last few megabytes of them are kept."""
        cached = self._cache.get(entry_id)
        if cached is not None:
            self._cache.move_to_end(entry_id)
            return cached
        entry = decode_entry(self.tree.records[entry_id].head, self.raw(entry_id))
        self._cache[entry_id] = entry
        self._cached_bytes += self.line_size(entry_id)
        while self._cached_bytes > MAX_CACHED_BYTES and len(self._cache) > 1:
            dropped, _ = self._cache.popitem(last=False)
            self._cached_bytes -= self.line_size(dropped)
        return entry

    def role(self, entry_id: str) -> str:
        """The role of a message entry, without decoding the message; empty for other entries."""
        record = self.tree.records[entry_id]
        if record.head.type != "message":
            return ""
        if record.own is not None:
            return role_of(record.own)
        return role_of(self._data, record.start, record.end)

    def choices(self, leaf_id: str | None) -> tuple[tuple[str, str] | None, str]:
        """Model and thinking level at `leaf_id`, as the projection has them."""
        records = self.tree.records
        path = [(entry_id, records[entry_id].head.type) for entry_id in self.tree.branch(leaf_id)]
        return model_of(path, self.entry), thinking_level_of(path, self.entry)

    def project(self, leaf_id: str | None) -> Projection:
        return self._projections.at(leaf_id)

    def projecting(self) -> Projection | Projecting:
        return self._projections.begin(self.tree.leaf_id, self.reader())

    def keep(self, leaf_id: str | None, projection: Projection) -> None:
        self._projections.keep(leaf_id, projection)

    def path_items(self, leaf_id: str | None) -> list[PathItem]:
        return self._projections.path_items(leaf_id)

    def reader(self) -> EntryOf:
        """Decodes entries in any thread, and keeps none of them."""
        records, data = self.tree.records, self._data

        def entry_of(entry_id: str) -> Entry:
            record = records[entry_id]
            raw = record.own if record.own is not None else data[record.start : record.end].rstrip(b"\r")
            return decode_entry(record.head, raw)

        return entry_of

    def _join(self, records: list[Record], notices: list[str]) -> list[str]:
        added, mended = self.tree.add_all(records)
        for notice in (*notices, *mended):
            self._note(notice)
        for entry_id, record in zip(added, records, strict=True):
            if record.head.type in ("label", "session_info"):
                self._mark(decode_entry(record.head, self.raw(entry_id)))
        return added

    def _mark(self, entry: Entry) -> None:
        match entry:
            case LabelEntry():
                self.tree.set_label(entry.target_id, entry.label)
            case SessionInfoEntry():
                self.tree.name = (entry.name or "").strip() or None

    def _note(self, notice: str) -> None:
        if len(self.notices) < MAX_NOTICES:
            self.notices.append(notice)
        elif len(self.notices) == MAX_NOTICES:
            self.notices.append("There is more damage than is listed here.")


def _owning(records: list[Record], data: bytes) -> list[Record]:
    for record in records:
        record.own = data[record.start : record.end].rstrip(b"\r")
    return records
