"""One session: its entries, on disk or in memory alone."""

import contextlib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from pi_tui.llm.messages import AgentMessage, AssistantMessage, SystemMessage, Usage, UserBlock, UserMessage
from pi_tui.session.context import EntryOf, PathItem, Projection
from pi_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    Head,
    Header,
    KnownEntry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UsageEntry,
)
from pi_tui.session.errors import NotASession, SessionError, SessionReadOnly
from pi_tui.session.file import SessionFile
from pi_tui.session.folder import file_name
from pi_tui.session.identity import SESSION_ID, new_entry_id, new_session_id, now_iso
from pi_tui.session.latest_projection import Projecting
from pi_tui.session.memory import SessionMemory
from pi_tui.session.migration import VERSION
from pi_tui.session.writer import SessionWriter

POSITION = "pi.position"
"""The custom entry that holds the place in the tree at which a session was left."""


class SessionLog:
    """A session's entries: read at once, decoded when asked for, appended one by one.

    Nothing is on disk before the first message of a conversation; then every append is. What cannot be
    written stays in memory as `unsaved` and is tried again.
    """

    def __init__(
        self,
        memory: SessionMemory,
        path: Path | None,
        file: SessionFile | None = None,
        *,
        read_only: bool = False,
    ) -> None:
        self.path = path
        """None if the session is in memory alone; the file may not be there yet."""
        self.read_only = read_only
        self._memory = memory
        self._tree = memory.tree
        self._writer = SessionWriter(memory, path, file) if path is not None else None
        self._in_conversation = self._writer is not None and self._writer.begun
        self._moved = False

    @classmethod
    def create(
        cls,
        cwd: Path,
        folder: Path | None,
        *,
        session_id: str | None = None,
        parent_session: Path | None = None,
    ) -> "SessionLog":
        """A new session.

        Args:
            cwd: The working directory it belongs to.
            folder: Where its file will be; None keeps it in memory.
            session_id: Letters, digits, `.`, `_` and `-`; made by time if absent.
            parent_session: The file it was copied from.

        Raises:
            ValueError: The session id has other characters.
        """
        if session_id is not None and not SESSION_ID.fullmatch(session_id):
            raise ValueError(
                f"The session id {session_id!r} may hold only letters, digits, '.', '_' and '-', and must "
                "start and end with a letter or digit."
            )
        memory = _new_memory(cwd, session_id, parent_session)
        header = memory.header
        return cls(memory, folder / file_name(header.timestamp, header.id) if folder is not None else None)

    @classmethod
    def open(cls, path: Path, *, read_only: bool = False, cwd: Path | None = None) -> "SessionLog":
        """The session in a file; an empty file becomes a new session of `cwd`.

        Raises:
            NotASession: The file is something else.
            SessionBusy: Another process writes to it; open it read-only or fork it.
            OSError: It cannot be read.
        """
        file = SessionFile.open(path, read_only=read_only)
        try:
            data = file.news() or b""
            memory = SessionMemory.from_file(str(path), data) if data else _new_memory(cwd or Path.cwd())
        except BaseException:
            file.close()
            raise
        if memory is None:
            file.close()
            raise NotASession(path, "its first line is no session header")
        if read_only:
            file.close()
        return cls(memory, path, None if read_only else file, read_only=read_only)

    def close(self) -> None:
        """Saves what is unsaved, marks the place in the tree if it is not the last entry, frees the file."""
        if self._writer is None:
            return
        if self._moved and self._in_conversation and not self.read_only and self._must_mark_place():
            self.append_custom(POSITION, None)
        elif not self.read_only:
            self.retry_saving()
        self._writer.close()

    @property
    def header(self) -> Header:
        return self._memory.header

    @property
    def header_line(self) -> bytes:
        """The header as it is stored."""
        return self._memory.header_line

    @property
    def stored(self) -> bool:
        """The session's file is there."""
        return self.read_only or (self._writer is not None and self._writer.begun)

    @property
    def id(self) -> str:
        return self.header.id

    @property
    def cwd(self) -> Path:
        return Path(self.header.cwd)

    @property
    def name(self) -> str | None:
        return self._tree.name

    @property
    def leaf_id(self) -> str | None:
        return self._tree.leaf_id

    @property
    def entry_ids(self) -> list[str]:
        """In file order."""
        return self._memory.ids()

    @property
    def labels(self) -> dict[str, str]:
        """Entry id → label."""
        return self._tree.labels

    @property
    def notices(self) -> list[str]:
        """What was damaged in the file, with line numbers."""
        return self._memory.notices

    @property
    def unsaved(self) -> list[str]:
        """Entries that should be in the file and could not be written."""
        return (
            list(self._writer.waiting)
            if self._writer is not None and self._writer.trouble is not None
            else []
        )

    @property
    def on_trouble(self) -> Callable[[str], None] | None:
        """Called with an explanation whenever saving fails."""
        return self._writer.on_trouble if self._writer is not None else None

    @on_trouble.setter
    def on_trouble(self, callback: Callable[[str], None] | None) -> None:
        if self._writer is not None:
            self._writer.on_trouble = callback

    def __contains__(self, entry_id: object) -> bool:
        return entry_id in self._tree

    def entry(self, entry_id: str) -> Entry:
        return self._memory.entry(entry_id)

    def head(self, entry_id: str) -> Head:
        """Type, id, parent and time as they stand in the file."""
        return self._tree.records[entry_id].head

    def raw(self, entry_id: str) -> bytes:
        """The entry's line as it is stored."""
        return self._memory.raw(entry_id)

    def place(self, entry_id: str) -> tuple[bytes, int, int]:
        """Bytes that hold the entry's line, and where in them it begins and ends: nothing is copied."""
        return self._memory.place(entry_id)

    def line_size(self, entry_id: str) -> int:
        """Bytes of the entry's line."""
        return self._memory.line_size(entry_id)

    def parent(self, entry_id: str) -> str | None:
        return self._tree.parent(entry_id)

    def children(self, entry_id: str | None) -> list[str]:
        """In file order; of None: the roots."""
        return self._tree.children(entry_id)

    def branch(self, leaf_id: str | None = None) -> list[str]:
        """The path root → `leaf_id`, or to the present leaf."""
        return self._tree.branch(leaf_id if leaf_id is not None else self.leaf_id)

    def project(self, leaf_id: str | None = None) -> Projection:
        """What the model sees at `leaf_id`, or at the present leaf."""
        return self._memory.project(leaf_id if leaf_id is not None else self.leaf_id)

    def projecting(self) -> Projection | Projecting:
        """The projection at the present leaf if it is at hand, else what makes it in any thread: then `keep` it."""
        return self._memory.projecting()

    def keep(self, leaf_id: str | None, projection: Projection) -> None:
        """Takes a projection that was made elsewhere, for later ones to go on from."""
        self._memory.keep(leaf_id, projection)

    def path_items(self, leaf_id: str | None = None) -> list[PathItem]:
        """Ids and types on the path root → `leaf_id`, or to the present leaf."""
        return self._memory.path_items(leaf_id if leaf_id is not None else self.leaf_id)

    def reader(self) -> EntryOf:
        """Decodes entries in any thread."""
        return self._memory.reader()

    def role(self, entry_id: str) -> str:
        """The role of a message entry, without decoding the message; empty for other entries."""
        return self._memory.role(entry_id)

    def choices(self) -> tuple[tuple[str, str] | None, str]:
        """Model (provider and id) and thinking level at the present leaf, without the projection they are part of."""
        return self._memory.choices(self.leaf_id)

    def move_to(self, entry_id: str | None) -> None:
        """Makes an entry the leaf; None: the place before any entry."""
        if entry_id is not None and entry_id not in self._tree:
            raise KeyError(entry_id)
        self._tree.leaf_id = entry_id
        self._moved = True

    def retry_saving(self) -> bool:
        """Tries again to write what is unsaved; True if nothing is any more."""
        if self._writer is None or not self._in_conversation:
            return True
        return self._writer.save()

    def append_message(self, message: AgentMessage) -> str:
        """A user's or an assistant's message begins the conversation, and with it the file."""
        self._in_conversation = self._in_conversation or isinstance(message, UserMessage | AssistantMessage)
        return self._append(MessageEntry, message=message)

    def append_model_change(self, provider: str, model_id: str) -> str:
        return self._append(ModelChangeEntry, provider=provider, model_id=model_id)

    def append_thinking_level(self, level: str) -> str:
        return self._append(ThinkingLevelChangeEntry, thinking_level=level)

    def append_label(self, target_id: str, label: str | None) -> str:
        """Labels an entry; None or an empty text clears its label."""
        return self._append(LabelEntry, target_id=target_id, label=label or None)

    def append_session_info(self, name: str | None) -> str:
        return self._append(SessionInfoEntry, name=name)

    def append_custom(self, custom_type: str, data: Any) -> str:
        return self._append(CustomEntry, custom_type=custom_type, data=data)

    def append_custom_message(
        self, custom_type: str, content: str | list[UserBlock], *, display: bool, details: Any = None
    ) -> str:
        return self._append(
            CustomMessageEntry, custom_type=custom_type, content=content, display=display, details=details
        )

    def append_compaction(
        self,
        summary: str,
        first_kept_entry_id: str | None,
        tokens_before: int,
        *,
        usage: Usage | None = None,
        details: Any = None,
        from_hook: bool = False,
        system_message: SystemMessage | None = None,
    ) -> str:
        """Replaces what lies before `first_kept_entry_id` by a summary; None keeps nothing."""
        entry_id = new_entry_id(self._tree)
        return self._append(
            CompactionEntry,
            id=entry_id,
            summary=summary,
            first_kept_entry_id=first_kept_entry_id or entry_id,
            tokens_before=tokens_before,
            usage=usage,
            details=details,
            from_hook=from_hook,
            system_message=system_message,
        )

    def append_branch_summary(
        self,
        summary: str,
        from_id: str | None,
        *,
        usage: Usage | None = None,
        details: Any = None,
        from_hook: bool = False,
    ) -> str:
        """Says at the present leaf what happened on the branch whose leaf was `from_id`."""
        return self._append(
            BranchSummaryEntry,
            from_id=from_id,
            summary=summary,
            usage=usage,
            details=details,
            from_hook=from_hook,
        )

    def append_context_edit(self, target_id: str, replacement: Any) -> str:
        """Changes what the model sees of an earlier entry; None leaves it out."""
        return self._append(ContextEditEntry, target_id=target_id, replacement=replacement)

    def append_usage(self, kind: str, provider: str, model: str, usage: Usage) -> str:
        return self._append(UsageEntry, kind=kind, provider=provider, model=model, usage=usage)

    def append_lines(self, lines: list[bytes]) -> None:
        """Takes over entries of another session by their bytes; the last one becomes the leaf."""
        self._refuse_if_read_only()
        added = self._memory.add_lines(lines)
        self._in_conversation = self._in_conversation or any(self._begins_conversation(one) for one in added)
        self._store(added)

    def _append(self, entry_type: Callable[..., KnownEntry], /, **fields: Any) -> str:
        self._refuse_if_read_only()
        if self._writer is not None:
            # What others appended comes first, as in the file. If it cannot be read, saving will say why.
            with contextlib.suppress(OSError, SessionError):
                self._writer.look()
        fields.setdefault("id", new_entry_id(self._tree))
        leaf = self.leaf_id
        parent_id = self._tree.records[leaf].head.id if leaf is not None else None
        entry = entry_type(parent_id=parent_id, timestamp=now_iso(), **fields)
        self._memory.add(entry)
        self._moved = False
        self._store([entry.id])
        return entry.id

    def _store(self, entry_ids: list[str]) -> None:
        if self._writer is not None:
            self._writer.waiting += entry_ids
            if self._in_conversation:
                self._writer.save()

    def _begins_conversation(self, entry_id: str) -> bool:
        entry = self.entry(entry_id) if self.head(entry_id).type == "message" else None
        return isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage | AssistantMessage)

    def _must_mark_place(self) -> bool:
        last = self._tree.last
        if last is None or last == self.leaf_id:
            return False
        entry = self.entry(last)
        marked = isinstance(entry, CustomEntry) and entry.custom_type == POSITION
        return not (marked and self.parent(last) == self.leaf_id)

    def _refuse_if_read_only(self) -> None:
        if self.read_only and self.path is not None:
            raise SessionReadOnly(self.path)


def _new_memory(
    cwd: Path, session_id: str | None = None, parent_session: Path | None = None
) -> SessionMemory:
    header = Header(
        version=VERSION,
        id=session_id or new_session_id(),
        timestamp=now_iso(),
        cwd=str(cwd),
        parent_session=str(parent_session) if parent_session is not None else None,
    )
    return SessionMemory(header, msgspec.json.encode(header))
