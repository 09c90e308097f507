"""An entry in full, as the transcript would show it."""

from collections.abc import Iterator
from typing import Final

import msgspec

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    SystemMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    text_of,
)
from pi_tui.session.entries import BranchSummaryEntry, CompactionEntry, CustomMessageEntry, MessageEntry
from pi_tui.session.log import SessionLog
from pi_tui.session.outline.texts import call_of, entry_text
from pi_tui.session.payload import lenient_fields
from pi_tui.tui.transcript.answer_block import AnswerBlock
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.from_messages import blocks_for
from pi_tui.tui.transcript.view import Transcript
from pi_tui.tui.tree.excerpt import excerpt

MAX_RESULTS: Final = 32
"""Results that are shown with the calls they answer."""
MAX_RAW: Final = 8_000
"""Characters of an entry that is shown as it is stored."""
MAX_OPEN: Final = 256 * 1024
"""Bytes of an entry's line up to which nothing in it is collapsed."""
MAX_COPIED: Final = 4_000_000
"""Characters of an entry that are copied."""


def show_entry(view: Transcript, log: SessionLog, entry_id: str | None, more: str = "") -> None:
    """Shows an entry in `view` from its beginning, instead of what was there.

    Args:
        view: Where to show it.
        log: The entry's session.
        entry_id: None shows nothing.
        more: Says how to see what was left out of a long entry; empty leaves nothing out.
    """
    view.clear()
    if entry_id is None:
        return
    view.extend(entry_blocks(log, entry_id, more, max(1, view.size.height)))
    if view.expanded != (bool(more) or log.line_size(entry_id) <= MAX_OPEN):
        view.toggle_expanded()
    view.home()


def entry_blocks(log: SessionLog, entry_id: str, more: str = "", lines: int = 0) -> list[Block]:
    """The blocks of one entry; calls come with their results, a result with its call."""
    messages = _messages(log, entry_id)
    if messages:
        return blocks_for([excerpt(one, more, lines) for one in messages] if more else messages)
    entry = log.entry(entry_id)
    if isinstance(entry, MessageEntry) and isinstance(entry.message, SystemMessage):
        return [_report(f"### System prompt\n\n{text_of(entry.message.content)[:MAX_RAW]}")]
    fields = msgspec.json.format(msgspec.json.encode(lenient_fields(log.raw(entry_id))), indent=2)
    return [_report(f"```json\n{fields.decode()[:MAX_RAW]}\n```")]


def _messages(log: SessionLog, entry_id: str) -> list[AgentMessage]:
    """What the transcript shows of an entry; nothing for one that is no part of the talk."""
    match log.entry(entry_id):
        case MessageEntry(message=SystemMessage()):
            return []
        case MessageEntry(message=AssistantMessage() as message):
            return [message, *_results(log, entry_id, len(message.tool_calls))]
        case MessageEntry(message=ToolResultMessage() as message):
            return [*_call(log, entry_id, message), message]
        case MessageEntry(message=message):
            return [message]
        case CustomMessageEntry() as entry:
            return [CustomMessage(entry.custom_type, entry.content, True, entry.details)]
        case CompactionEntry() as entry:
            return [CompactionSummaryMessage(entry.summary, entry.tokens_before)]
        case BranchSummaryEntry() as entry:
            return [BranchSummaryMessage(entry.summary, entry.from_id)]
    return []


def copied_text(log: SessionLog, entry_id: str) -> str:
    """What the clipboard gets of an entry: what it says, a tool's output, or else its line in the file."""
    match log.entry(entry_id):
        case MessageEntry(message=ToolResultMessage(content=content)):
            text = text_of(content)
        case MessageEntry() | CustomMessageEntry() | CompactionEntry() | BranchSummaryEntry():
            text = entry_text(log, entry_id).text
        case _:
            text = ""
    return (text if text.strip() else log.raw(entry_id).decode("utf-8", "replace"))[:MAX_COPIED]


def _results(log: SessionLog, entry_id: str, calls: int) -> Iterator[AgentMessage]:
    at = entry_id
    for _ in range(min(calls, MAX_RESULTS)):
        below = next((child for child in log.children(at) if log.role(child) == "toolResult"), None)
        entry = log.entry(below) if below is not None else None
        if below is None or not isinstance(entry, MessageEntry):
            return
        yield entry.message
        at = below


def _call(log: SessionLog, entry_id: str, result: ToolResultMessage) -> list[AgentMessage]:
    call = call_of(log, entry_id)
    if call is None:
        return []
    return [AssistantMessage([ToolCall(result.tool_call_id, *call)])]


def _report(markdown: str) -> Block:
    return AnswerBlock(AssistantMessage([TextContent(markdown)]))
