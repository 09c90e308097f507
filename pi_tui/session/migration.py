"""Sessions of format v1 (no ids, a linear list) and v2 (role `hookMessage`) in the form of v3.

Ids of v1 entries are derived from the session's id and the place in the file, so that they are the same at
every opening, until the file is written in the new form.
"""

import contextlib
from typing import Any

import msgspec

from pi_tui.session.entries import Head, Header
from pi_tui.session.identity import derived_entry_id
from pi_tui.session.lines import Record
from pi_tui.session.patch import member, replace_members
from pi_tui.session.payload import lenient_fields

VERSION = 3
_OLD_ROLE = b'"hookMessage"'


def migrated_header(raw: bytes, header: Header) -> bytes:
    """The header's bytes with the present version, and the file it came from under its present name."""
    members: dict[str, Any] = {"version": VERSION}
    if header.parent_session and member(raw, "parentSession") is None:
        members["parentSession"] = header.parent_session
    return replace_members(raw, members)


def migrate(data: bytes, header: Header, records: list[Record]) -> list[Record]:
    """The records in the form of v3; those that change carry their own bytes."""
    if header.version < 2:
        records = _with_ids(data, header, records)
    return [_with_present_role(data, record) for record in records]


def _with_ids(data: bytes, header: Header, records: list[Record]) -> list[Record]:
    by_line: dict[int, str] = {}
    taken: set[str] = set()
    for place, record in enumerate(records):
        entry_id = derived_entry_id(f"{header.id}/{place}", taken)
        taken.add(entry_id)
        record.head.id = entry_id
        by_line.setdefault(record.line, entry_id)
    parent_id: str | None = None
    migrated: list[Record] = []
    for record in records:
        raw = data[record.start : record.end]
        old = record.head
        head = Head(type=old.type, id=old.id, parent_id=parent_id, timestamp=old.timestamp)
        members: dict[str, Any] = {"id": head.id, "parentId": parent_id}
        if head.type == "compaction":
            members["firstKeptEntryId"] = _first_kept(raw, head, by_line)
        migrated.append(Record(head, record.line, record.start, record.end, replace_members(raw, members)))
        parent_id = head.id
    return migrated


def _first_kept(raw: bytes, head: Head, by_line: dict[int, str]) -> str:
    """The first readable entry from the line that an index names (the header is 0); else the compaction."""
    index = lenient_fields(raw).get("firstKeptEntryIndex")
    if not isinstance(index, int):
        return head.id
    return next((entry_id for line, entry_id in by_line.items() if line > index), head.id)


def _with_present_role(data: bytes, record: Record) -> Record:
    raw = record.own if record.own is not None else data[record.start : record.end]
    if record.head.type == "message" and _OLD_ROLE in raw:
        with contextlib.suppress(ValueError):
            message = member(raw, "message")
            if message is not None and member(message, "role") == _OLD_ROLE:
                message = replace_members(message, {"role": "custom"})
                record.own = replace_members(raw, {"message": msgspec.Raw(message)})
    return record
