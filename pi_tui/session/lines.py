"""The bytes of a session file, line by line: where its entries lie, and what is damaged.

Only `\\n` separates lines. A record points into the one bytes object it was found in; nothing is copied, and
nothing decoded beyond the head. What cannot be read is reported by line number and stays in the file.
"""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import Struct

from pi_tui.session.entries import Head, Header

MAX_SALVAGE_TRIES = 1000
"""Places tried on one damaged line to find a whole entry."""
MAX_HEADER_BYTES = 64 * 1024
BOM = b"\xef\xbb\xbf"

_LENIENT = json.JSONDecoder(strict=False)
_ENTRY_START = re.compile(r'\{\s*"(?:type|id|parentId|timestamp)"\s*:')


class Record(Struct, gc=False):
    """One entry and where its bytes lie."""

    head: Head
    line: int
    """Line number in the file, from 1."""
    start: int
    end: int
    own: bytes | None = None
    """Its bytes, where they are not a slice of the file as it was read."""


class Rubbish(Struct, gc=False):
    """Bytes of a line that hold no entry."""

    line: int
    start: int
    end: int


class Scan(Struct):
    """What a stretch of a session file holds."""

    records: list[Record]
    rubbish: list[Rubbish]
    notices: list[str]
    resume_at: int
    """Offset of an unfinished last line, else of the end."""
    last_line: int
    """Number of the line at `resume_at`."""
    whole_lines: bool
    """The bytes end with a newline."""


class FoundHeader(Struct):
    header: Header
    start: int
    end: int
    line: int


class _OldHead(Struct, rename="camel"):
    """The head of an entry of format v1, which has no ids."""

    type: str
    timestamp: str = ""


_decode_head = msgspec.json.Decoder(Head).decode
_decode_old_head = msgspec.json.Decoder(_OldHead).decode
_BAD_LINE = (msgspec.DecodeError, RecursionError)


def find_header(data: bytes) -> FoundHeader | None:
    """The session header on the first line that is not blank, or None: then this is no session file."""
    at, line = (len(BOM) if data.startswith(BOM) else 0), 1
    while data.startswith((b"\n", b"\r\n"), at):
        at, line = data.index(b"\n", at) + 1, line + 1
    found = _object_at(data[at : at + MAX_HEADER_BYTES].decode("latin-1"), 0)
    if found is None or data.find(b"\n", at, at + found[1]) >= 0:
        return None
    header = _header_of(data[at : at + found[1]])
    return FoundHeader(header, at, at + found[1], line) if header else None


def _header_of(raw: bytes) -> Header | None:
    fields = _LENIENT.decode(raw.decode("utf-8", "replace"))
    version, session_id = fields.get("version", 1), fields.get("id")
    if fields.get("type") != "session" or not isinstance(version, int):
        return None
    if not isinstance(session_id, str) or not session_id:
        return None
    texts = {name: fields.get(name) for name in ("timestamp", "cwd", "parentSession", "branchedFrom")}
    known = {name: value for name, value in texts.items() if isinstance(value, str)}
    return Header(
        version=version,
        id=session_id,
        timestamp=known.get("timestamp", ""),
        cwd=known.get("cwd", ""),
        parent_session=known.get("parentSession", known.get("branchedFrom")),
    )


def scan(data: bytes, start: int, line: int, *, ids: bool = True) -> Scan:
    """Reads the entries from `start` on.

    Args:
        data: The bytes; `start` is an offset into them and lies on line number `line`.
        ids: False for format v1, whose entries have no ids.
    """
    found = Scan([], [], [], start, line, True)
    view = memoryview(data)
    at, size = start, len(data)
    while at < size:
        stop = data.find(b"\n", at)
        whole = stop >= 0
        stop = stop if whole else size
        head: Head | None
        try:
            head = _decode_head(view[at:stop]) if ids else _old_head(view[at:stop])
        except _BAD_LINE:
            head = None
        if head is None or (ids and not head.id):
            at = _read_damaged(data, at, stop, line, found, ids=ids, whole=whole)
        elif head.type == "session":
            found.notices.append(f"Line {line} is a second session header; skipped.")
            found.rubbish.append(Rubbish(line, at, stop))
            at = stop
        else:
            found.records.append(Record(head, line, at, stop))
            at = stop
        if not whole:
            found.whole_lines = False
            break
        at, line = stop + 1, line + 1
    found.resume_at, found.last_line = at, line
    return found


def _old_head(line: memoryview) -> Head:
    head = _decode_old_head(line)
    return Head(type=head.type, id="", timestamp=head.timestamp)


def _read_damaged(data: bytes, at: int, stop: int, line: int, found: Scan, *, ids: bool, whole: bool) -> int:
    """Reads what can be read on a line that is not one entry; returns the offset of the unreadable rest."""
    piece = data[at:stop]
    if not piece.strip():
        return stop
    text = piece.decode("latin-1")
    read, rest = 0, 0
    for head, begin, end in _salvage(text, ids=ids):
        if text[rest:begin].strip():
            found.rubbish.append(Rubbish(line, at + rest, at + begin))
            found.notices.append(f"Line {line}: {_describe(piece[rest:begin])} before an entry; skipped.")
        found.records.append(Record(head, line, at + begin, at + end))
        read, rest = read + 1, end
    if read > 1:
        found.notices.append(f"Line {line} holds {read} entries without a line break; all were read.")
    left = piece[rest:]
    if not left.strip():
        return stop
    if not whole:
        found.notices.append(
            f"Line {line}, the last one, was not written to its end: {_describe(left)} set aside."
        )
        return at + rest
    found.rubbish.append(Rubbish(line, at + rest, stop))
    found.notices.append(f"Line {line}: {_describe(left)}; skipped.")
    return stop


def _describe(piece: bytes) -> str:
    if not piece.strip(b"\0 \t\r"):
        return f"{len(piece)} NUL bytes"
    return f"{len(piece)} bytes that are no entry"


def _salvage(text: str, *, ids: bool) -> Iterator[tuple[Head, int, int]]:
    """The whole entries on a line, with their offsets: those glued together, and those after a torn one."""
    at = 0
    for _ in range(MAX_SALVAGE_TRIES):
        begin = _next_object(text, at)
        if begin is None:
            return
        found = _object_at(text, begin)
        if found is None:
            # Where a torn object ends nobody can tell: try inside it.
            at = begin + 1
            continue
        fields, at = found
        head = _lenient_head(fields, ids=ids)
        if head is not None:
            yield head, begin, at


def _next_object(text: str, at: int) -> int | None:
    """Where the next entry may begin: at once with any field, further on with one that entries begin with."""
    while text.startswith((" ", "\t", "\r"), at):
        at += 1
    if text.startswith("{", at):
        return at
    place = _ENTRY_START.search(text, at)
    return place.start() if place else None


def _object_at(text: str, at: int) -> tuple[dict[str, Any], int] | None:
    try:
        value, end = _LENIENT.raw_decode(text, at)
    except (ValueError, RecursionError):
        return None
    return (value, end) if isinstance(value, dict) else None


def _lenient_head(fields: dict[str, Any], *, ids: bool) -> Head | None:
    """The head of an object that the strict decoder refuses; None if it is no entry.

    A content block inside a torn message has a type and perhaps an id, but never an entry's timestamp.
    """
    kind, entry_id, parent_id = fields.get("type"), fields.get("id"), fields.get("parentId")
    timestamp = fields.get("timestamp")
    if not isinstance(kind, str) or not isinstance(timestamp, str) or kind == "session":
        return None
    if not ids:
        return Head(type=kind, id="", timestamp=timestamp)
    if not isinstance(entry_id, str) or not entry_id:
        return None
    if parent_id is not None:
        parent_id = parent_id if isinstance(parent_id, str) else str(parent_id)
    return Head(type=kind, id=entry_id, parent_id=parent_id, timestamp=timestamp)
