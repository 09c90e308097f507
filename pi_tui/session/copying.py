"""Sessions made from sessions: fork, clone, export and import.

Entries are copied by their bytes and keep their ids. What would point to something that is not copied is left
out, its children hang on its parent, and only the ids that have to change are changed within a line.
"""

import contextlib
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from pi_tui.session.entries import CompactionEntry, ContextEditEntry, LabelEntry, SessionInfoEntry
from pi_tui.session.errors import NotASession
from pi_tui.session.file import BINARY, FILE_MODE, make_folder
from pi_tui.session.identity import new_entry_id, now_iso
from pi_tui.session.lines import MAX_HEADER_BYTES, find_header
from pi_tui.session.log import SessionLog
from pi_tui.session.patch import remove_member, replace_members
from pi_tui.session.tree import ALIAS_MARK

COPY_PIECE = 1024 * 1024


def fork(
    log: SessionLog,
    leaf_id: str | None,
    folder: Path | None,
    *,
    cwd: Path | None = None,
    session_id: str | None = None,
) -> SessionLog:
    """A new session with the path root → `leaf_id`, and the labels and the name of the old one.

    Its file is there at once if the path holds a message, else with the first one.

    Args:
        leaf_id: None begins the new session empty.
        folder: Where its file will be; None keeps it in memory.
        cwd: The working directory of the new session; that of the old one if absent.
    """
    parent = log.path.absolute() if log.path is not None and log.stored else None
    made = SessionLog.create(cwd or log.cwd, folder, session_id=session_id, parent_session=parent)
    lines = branch_lines(log, leaf_id)
    if lines:
        made.append_lines(lines)
    return made


def copy_all(log: SessionLog, folder: Path | None, *, cwd: Path, session_id: str | None = None) -> SessionLog:
    """A new session with every branch of the old one, in another folder perhaps; the last entry is its leaf."""
    parent = log.path.absolute() if log.path is not None and log.stored else None
    made = SessionLog.create(cwd, folder, session_id=session_id, parent_session=parent)
    entry_ids = log.entry_ids
    ids = _ids_in_copy(log, entry_ids)
    lines = []
    for entry_id in entry_ids:
        above = log.parent(entry_id)
        lines.append(_rechained(log, entry_id, ids[above] if above is not None else None, ids, []))
    if lines:
        made.append_lines(lines)
    return made


def clone(log: SessionLog, folder: Path | None, *, session_id: str | None = None) -> SessionLog:
    """A new session with the active branch."""
    return fork(log, log.leaf_id, folder, session_id=session_id)


def export_jsonl(log: SessionLog, path: Path) -> None:
    """Writes the active branch as a session file of its own, with the same id and without `parentSession`.

    Raises:
        OSError: It could not be written, or there is such a file already.
    """
    header = remove_member(log.header_line, "parentSession")
    lines = [header, *branch_lines(log, log.leaf_id)]
    with _making(path) as file:
        file.writelines(line + b"\n" for line in lines)


def import_session(source: Path, folder: Path, changes: Mapping[str, Any] | None = None) -> Path:
    """Copies a session file into a folder, byte for byte, if it is one; returns its new place.

    Args:
        changes: Members of the header that are others in the copy.

    Raises:
        NotASession: It is something else.
        OSError: It could not be read or written.
    """
    if source.is_file() and source.stat().st_size == 0:
        raise NotASession(source, "it is empty")
    SessionLog.open(source, read_only=True)
    make_folder(folder)
    stem = source.stem.lstrip(".") or "session"
    number = 0
    while True:
        path = folder / (f"{stem}-{number}.jsonl" if number else f"{stem}.jsonl")
        try:
            with _making(path) as target, source.open("rb") as file:
                target.write(_changed_head(file.read(MAX_HEADER_BYTES), changes or {}))
                while piece := file.read(COPY_PIECE):
                    target.write(piece)
        except FileExistsError:
            number += 1
            continue
        return path


def _changed_head(head: bytes, changes: Mapping[str, Any]) -> bytes:
    """The beginning of a session file with another header."""
    found = find_header(head) if changes else None
    if found is None:
        return head
    header = replace_members(head[found.start : found.end], dict(changes))
    return head[: found.start] + header + head[found.end :]


@contextlib.contextmanager
def _making(path: Path) -> Iterator[BinaryIO]:
    """A new file to write into, which is not there if that fails."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | BINARY, FILE_MODE)
    try:
        with os.fdopen(descriptor, "wb") as file:
            yield file
    except BaseException:
        path.unlink(missing_ok=True)
        raise


def branch_lines(log: SessionLog, leaf_id: str | None) -> list[bytes]:
    """The path root → `leaf_id` as a tree of its own, with the labels and the name that it has in the log."""
    if leaf_id is None:
        return []
    path = log.branch(leaf_id)
    within = set(path)
    kept = [entry_id for entry_id in path if not _points_outside(log, entry_id, within)]
    ids = _ids_in_copy(log, kept)
    lines: list[bytes] = []
    parent_id: str | None = None
    for entry_id in kept:
        lines.append(_rechained(log, entry_id, parent_id, ids, path))
        parent_id = ids[entry_id]
    return lines + _marks(log, kept, ids, parent_id)


def _points_outside(log: SessionLog, entry_id: str, within: set[str]) -> bool:
    if log.head(entry_id).type != "label":
        return False
    entry = log.entry(entry_id)
    return isinstance(entry, LabelEntry) and entry.target_id not in within


def _ids_in_copy(log: SessionLog, kept: list[str]) -> dict[str, str]:
    """Entries keep their ids, but for those whose id an earlier one has in the file."""
    ids: dict[str, str] = {}
    taken = set(kept)
    for entry_id in kept:
        ids[entry_id] = new_entry_id(taken) if ALIAS_MARK in entry_id else entry_id
        taken.add(ids[entry_id])
    return ids


def _rechained(
    log: SessionLog, entry_id: str, parent_id: str | None, ids: dict[str, str], path: list[str]
) -> bytes:
    raw = log.raw(entry_id)
    head = log.head(entry_id)
    changes: dict[str, Any] = {}
    if head.id != ids[entry_id]:
        changes["id"] = ids[entry_id]
    if head.parent_id != parent_id:
        changes["parentId"] = parent_id
    if head.type in ("compaction", "label", "context_edit"):
        match log.entry(entry_id):
            case CompactionEntry(first_kept_entry_id=named):
                if (first_kept := _first_kept_in_copy(named, ids, path)) != named:
                    changes["firstKeptEntryId"] = first_kept
            case LabelEntry(target_id=target_id) | ContextEditEntry(target_id=target_id):
                if ids.get(target_id, target_id) != target_id:
                    changes["targetId"] = ids[target_id]
    return replace_members(raw, changes) if changes else raw


def _first_kept_in_copy(named: str, ids: dict[str, str], path: list[str]) -> str:
    """Where the entry that a compaction keeps from was left out: the next one that was not."""
    if named in ids:
        return ids[named]
    if named not in path:
        return named
    following = path[path.index(named) :]
    return next((ids[entry_id] for entry_id in following if entry_id in ids), named)


def _marks(log: SessionLog, kept: list[str], ids: dict[str, str], parent_id: str | None) -> list[bytes]:
    """Entries that bring labels and name to where they are in the log, whatever branch they were given on."""
    labels: dict[str, str | None] = {}
    name: str | None = None
    for entry_id in kept:
        if log.head(entry_id).type in ("label", "session_info"):
            match log.entry(entry_id):
                case LabelEntry(target_id=target_id, label=label):
                    labels[target_id] = label
                case SessionInfoEntry(name=given):
                    name = given
    lines: list[bytes] = []
    taken = set(ids.values())

    def add(kind: type[LabelEntry] | type[SessionInfoEntry], **fields: Any) -> None:
        nonlocal parent_id
        entry = kind(id=new_entry_id(taken), parent_id=parent_id, timestamp=now_iso(), **fields)
        taken.add(entry.id)
        lines.append(msgspec.json.encode(entry))
        parent_id = entry.id

    for entry_id in kept:
        wanted = log.labels.get(entry_id)
        if (labels.get(entry_id) or None) != wanted:
            add(LabelEntry, target_id=ids[entry_id], label=wanted)
    if ((name or "").strip() or None) != log.name:
        add(SessionInfoEntry, name=log.name)
    return lines
