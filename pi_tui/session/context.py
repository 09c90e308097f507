"""From the path root → leaf to what the model sees: messages, model and thinking level.

Pure functions. Types are known from the heads; an entry's payload is decoded only if it gives a message,
changes one, or says which model or level holds.
"""

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    Entry,
    Head,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
)
from pi_tui.session.identity import milliseconds_of
from pi_tui.session.payload import mend

DEFAULT_THINKING_LEVEL = "off"
_HAS_CONTENT = (UserMessage, AssistantMessage, ToolResultMessage, CustomMessage)
_GIVES_MESSAGES = frozenset({"message", "custom_message", "branch_summary"})
_CHANGES_WHAT_WAS = frozenset({"compaction", "context_edit"})

EntryOf = Callable[[str], Entry]
PathItem = tuple[str, str]
"""An entry's id and type."""
_Given = tuple[list[str], list[AgentMessage]]
"""Messages, and before them the ids of the entries that gave them."""


class Projection(Struct):
    """What the model sees at one leaf."""

    messages: list[AgentMessage]
    entry_ids: list[str]
    """Which entry gave each message."""
    model: tuple[str, str] | None
    """Provider and model id."""
    thinking_level: str
    edits: dict[str, str] = {}
    """Which context edit holds, by the entry it edits."""


def build_context(entries: Sequence[Entry]) -> Projection:
    """The projection of the path root → leaf."""
    by_id = {entry.id: entry for entry in entries}
    return project_path([(entry.id, type_of(entry)) for entry in entries], by_id.__getitem__)


def project_path(path: Sequence[PathItem], entry_of: EntryOf) -> Projection:
    """The projection of a path whose payloads are decoded one by one, when they are needed."""
    given = _selected(path, entry_of)
    edits = _edits(path, entry_of)
    if edits:
        given = _edited_all(given, edits)
    entry_ids, messages = given
    return Projection(
        messages,
        entry_ids,
        model_of(path, entry_of),
        thinking_level_of(path, entry_of),
        {target: edit.id for target, edit in edits.items()},
    )


def continued(before: Projection, path: Sequence[PathItem], entry_of: EntryOf) -> Projection | None:
    """The projection of a path that goes on from the one of `before`; None if that has to be made from the start."""
    if any(kind in _CHANGES_WHAT_WAS for _, kind in path):
        return None
    entry_ids, messages = _messages(path, entry_of)
    changes_level = any(kind == "thinking_level_change" for _, kind in path)
    return Projection(
        before.messages + messages,
        before.entry_ids + entry_ids,
        model_of(path, entry_of) or before.model,
        thinking_level_of(path, entry_of) if changes_level else before.thinking_level,
        before.edits,
    )


def messages_from(path: Sequence[PathItem], start: int, entry_of: EntryOf) -> list[tuple[str, AgentMessage]]:
    """What the entries of `path[start:]` say, compactions as their summaries, each with its entry's id.

    Unlike a projection it leaves out nothing that a compaction on the path replaces.
    """
    edits = _edits(path, entry_of)
    said: list[tuple[str, AgentMessage]] = []
    for entry_id, kind in path[start:]:
        if kind not in _GIVES_MESSAGES and kind != "compaction":
            continue
        entry = entry_of(entry_id)
        message = _compaction_summary(entry) if isinstance(entry, CompactionEntry) else _message_of(entry)
        if message is not None and entry_id in edits:
            message = _edited(message, edits[entry_id].replacement)
        if message is not None and not isinstance(message, SystemMessage):
            said.append((entry_id, message))
    return said


def type_of(entry: Entry | Head) -> str:
    """The entry's type as it stands in the file."""
    tag = entry.__struct_config__.tag
    return tag if isinstance(tag, str) else str(getattr(entry, "type", ""))


def _selected(path: Sequence[PathItem], entry_of: EntryOf) -> _Given:
    """The messages before any edit: all, or the last compaction, what it kept, and what came after."""
    at = next((place for place in range(len(path) - 1, -1, -1) if path[place][1] == "compaction"), None)
    compaction = entry_of(path[at][0]) if at is not None else None
    if at is None or not isinstance(compaction, CompactionEntry):
        return _messages(path, entry_of)
    messages: list[AgentMessage] = [_compaction_summary(compaction)]
    if compaction.system_message is not None:
        messages.insert(0, compaction.system_message)
    ids = [path[at][0]] * len(messages)
    first_kept = next((place for place in range(at) if path[place][0] == compaction.first_kept_entry_id), at)
    for entry_id, message in zip(*_messages(path[first_kept:at], entry_of), strict=True):
        if not isinstance(message, SystemMessage):
            ids.append(entry_id)
            messages.append(message)
    since = _messages(path[at + 1 :], entry_of)
    return ids + since[0], messages + since[1]


def _messages(path: Sequence[PathItem], entry_of: EntryOf) -> _Given:
    # Two lists and a plain loop: a long session has tens of thousands of entries.
    ids: list[str] = []
    messages: list[AgentMessage] = []
    for entry_id, kind in path:
        if kind in _GIVES_MESSAGES:
            entry = entry_of(entry_id)
            message = entry.message if type(entry) is MessageEntry else _message_of(entry)
            if message is not None:
                ids.append(entry_id)
                messages.append(message)
    return ids, messages


def _message_of(entry: Entry) -> AgentMessage | None:
    match entry:
        case MessageEntry():
            return entry.message
        case CustomMessageEntry():
            return CustomMessage(
                custom_type=entry.custom_type,
                content=entry.content,
                display=entry.display,
                details=entry.details,
                timestamp=milliseconds_of(entry.timestamp),
            )
        case BranchSummaryEntry():
            return BranchSummaryMessage(
                summary=entry.summary, from_id=entry.from_id, timestamp=milliseconds_of(entry.timestamp)
            )
    return None


def _compaction_summary(entry: CompactionEntry) -> CompactionSummaryMessage:
    return CompactionSummaryMessage(
        summary=entry.summary, tokens_before=entry.tokens_before, timestamp=milliseconds_of(entry.timestamp)
    )


def _edits(path: Sequence[PathItem], entry_of: EntryOf) -> dict[str, ContextEditEntry]:
    """Target → its last edit on the path."""
    edits: dict[str, ContextEditEntry] = {}
    for entry_id, kind in path:
        if kind == "context_edit":
            entry = entry_of(entry_id)
            if isinstance(entry, ContextEditEntry):
                edits[entry.target_id] = entry
    return edits


def _edited_all(given: _Given, edits: dict[str, ContextEditEntry]) -> _Given:
    ids: list[str] = []
    messages: list[AgentMessage] = []
    for entry_id, message in zip(*given, strict=True):
        edited = _edited(message, edits[entry_id].replacement) if entry_id in edits else message
        if edited is not None:
            ids.append(entry_id)
            messages.append(edited)
    return ids, messages


def _edited(message: AgentMessage, replacement: Any) -> AgentMessage | None:
    """The message with its content replaced; None leaves it out."""
    if replacement is None:
        return None
    if isinstance(replacement, dict):
        replacement = replacement.get("content")
    if not isinstance(replacement, str | list) or not isinstance(message, _HAS_CONTENT):
        return message
    field = next(field for field in msgspec.structs.fields(message) if field.name == "content")
    return msgspec.structs.replace(message, content=mend(replacement, field.type))


def model_of(path: Sequence[PathItem], entry_of: EntryOf) -> tuple[str, str] | None:
    """Provider and id of the model at the end of a path; only the entries near the end are decoded."""
    for entry_id, kind in reversed(path):
        if kind not in ("message", "model_change"):
            continue
        match entry_of(entry_id):
            case ModelChangeEntry(provider=provider, model_id=model_id):
                return provider, model_id
            case MessageEntry(message=AssistantMessage(provider=provider, model=model)):
                return provider, model
    return None


def thinking_level_of(path: Sequence[PathItem], entry_of: EntryOf) -> str:
    """The thinking level at the end of a path."""
    for entry_id, kind in reversed(path):
        if kind == "thinking_level_change":
            entry = entry_of(entry_id)
            if isinstance(entry, ThinkingLevelChangeEntry):
                return entry.thinking_level
    return DEFAULT_THINKING_LEVEL
