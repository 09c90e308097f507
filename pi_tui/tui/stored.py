"""The active branch of a session as blocks that decode their entries when they come near the screen."""

from collections.abc import Callable, Iterable

from pi_tui.llm.messages import (
    AgentMessage,
    BranchSummaryMessage,
    CustomMessage,
)
from pi_tui.runtime.context_size import estimate_after
from pi_tui.session.entries import BranchSummaryEntry, CompactionEntry, CustomMessageEntry, MessageEntry
from pi_tui.session.log import SessionLog
from pi_tui.session.raw_phrase import may_hold
from pi_tui.tui.transcript.from_messages import Stored
from pi_tui.tui.transcript.note_blocks import Compacted

_SHOWN = {
    "custom_message": "custom",
    "compaction": "compactionSummary",
    "branch_summary": "branchSummary",
}
_HIDDEN_ROLES = frozenset({"system", ""})


def stored_branch(log: SessionLog) -> list[Stored]:
    """What the transcript shows of the path root → leaf, oldest first; nothing is decoded yet."""
    return list(_stored(log, log.branch()))


def _stored(log: SessionLog, entry_ids: Iterable[str]) -> Iterable[Stored]:
    for entry_id in entry_ids:
        kind = log.head(entry_id).type
        role = log.role(entry_id) if kind == "message" else _SHOWN.get(kind, "")
        if role not in _HIDDEN_ROLES:
            size = log.line_size(entry_id)
            yield Stored(role, size, _loader(log, entry_id), _sayer(log, entry_id))


def _loader(log: SessionLog, entry_id: str) -> Callable[[], AgentMessage | None]:
    return lambda: _message(log, entry_id)


def _sayer(log: SessionLog, entry_id: str) -> Callable[[str], bool]:
    def may_say(phrase: str) -> bool:
        data, start, end = log.place(entry_id)
        return may_hold(data[start:end], phrase)

    return may_say


def _message(log: SessionLog, entry_id: str) -> AgentMessage | None:
    match log.entry(entry_id):
        case MessageEntry(message=message):
            return message
        case CustomMessageEntry() as entry:
            return CustomMessage(entry.custom_type, entry.content, entry.display, entry.details)
        case CompactionEntry() as entry:
            return Compacted(entry.summary, entry.tokens_before, tokens_after=estimate_after(entry))
        case BranchSummaryEntry() as entry:
            return BranchSummaryMessage(entry.summary, entry.from_id)
    return None
