"""What a list of sessions shows of each, read from the head and the tail of its file."""

import os
from pathlib import Path

import msgspec
from msgspec import UNSET, Struct, UnsetType

from pi_tui.session.lines import FoundHeader, Record, find_header, scan
from pi_tui.session.roles import role_of

HEAD_BYTES = 64 * 1024
TAIL_BYTES = 64 * 1024
MAX_FIRST_MESSAGE = 400
"""Characters of the first message that a list may show."""


class SessionInfo(Struct):
    """One session, as a list shows it. Times are ISO 8601 as in the file; `size` is in bytes."""

    path: Path
    id: str
    cwd: str
    name: str | None
    first_message: str
    created: str
    modified: float
    """When the file was written to, in Unix seconds."""
    messages: int
    size: int
    parent: Path | None
    complete: bool
    """The whole file was read; else name and count are those of its head and tail alone."""
    last_entry: str
    """When the newest entry that was read was made."""
    last_user_entry: str
    """When the newest user message that was read was made; empty if none was."""


class _Text(Struct):
    type: str = ""
    text: str = ""


class _Message(Struct):
    role: str = ""
    content: str | list[_Text] | UnsetType = UNSET


class _Line(Struct):
    """What a list needs of an entry."""

    name: str | None = None
    message: _Message | None = None


_decode = msgspec.json.Decoder(_Line).decode


def read_info(path: Path) -> SessionInfo | None:
    """What can be said of a session by reading at most its first and last 64 KiB; None if it is none."""
    try:
        with path.open("rb") as file:
            status = os.fstat(file.fileno())
            head = file.read(HEAD_BYTES)
            tail = b""
            rest = status.st_size - len(head)
            if rest > 0:
                file.seek(-min(rest, TAIL_BYTES), os.SEEK_END)
                tail = file.read()
    except OSError:
        return None
    found = find_header(head)
    if found is None:
        return None
    info = new_info(path, found, status)
    info.complete = len(head) + len(tail) >= status.st_size
    ids = found.header.version > 1
    if info.complete:
        read_part(info, head + tail, found.end, ids=ids)
    else:
        read_part(info, head[: head.rfind(b"\n") + 1], found.end, ids=ids)
        read_part(info, tail, tail.find(b"\n") + 1 or len(tail), ids=ids)
    return info


def new_info(path: Path, found: FoundHeader, status: os.stat_result) -> SessionInfo:
    """What the header and the file system say of a session; its entries are still to be read."""
    header = found.header
    return SessionInfo(
        path=path,
        id=header.id,
        cwd=header.cwd,
        name=None,
        first_message="",
        created=header.timestamp,
        modified=status.st_mtime,
        messages=0,
        size=status.st_size,
        parent=Path(header.parent_session) if header.parent_session else None,
        complete=False,
        last_entry=header.timestamp,
        last_user_entry="",
    )


def read_part(info: SessionInfo, data: bytes, start: int, *, ids: bool) -> None:
    """Notes what the entries from `start` on add; `ids` is False for format v1, whose entries have none."""
    for record in scan(data, start, 1, ids=ids).records:
        info.last_entry = max(info.last_entry, record.head.timestamp)
        if record.head.type == "session_info":
            info.name = (_decoded(data, record).name or "").strip() or None
        elif record.head.type == "message":
            _note_message(info, data, record)


def _note_message(info: SessionInfo, data: bytes, record: Record) -> None:
    role = role_of(data, record.start, record.end)
    if role == "system":
        return
    info.messages += 1
    if role != "user":
        return
    info.last_user_entry = max(info.last_user_entry, record.head.timestamp)
    if not info.first_message:
        message = _decoded(data, record).message
        content = message.content if message and isinstance(message.content, str | list) else ""
        text = content if isinstance(content, str) else " ".join(block.text for block in content)
        info.first_message = " ".join(text.split())[:MAX_FIRST_MESSAGE]


def _decoded(data: bytes, record: Record) -> _Line:
    try:
        return _decode(data[record.start : record.end])
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _Line()
