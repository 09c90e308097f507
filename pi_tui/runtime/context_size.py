"""How full the context window is."""

import json

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    UserMessage,
)
from pi_tui.session.entries import BranchSummaryEntry, CustomMessageEntry, MessageEntry
from pi_tui.session.log import SessionLog

CHARACTERS_PER_TOKEN = 3
IMAGE_TOKENS = 1_200
_COUNTED = frozenset({"message", "custom_message", "branch_summary"})
WIDE_FROM = "\u1100"
"""From here on a character is counted as a token of its own: CJK, emoji and other wide ones."""


def estimate_tokens(text: str) -> int:
    """Tokens in `text`, judged by its length; never fewer than one for each wide character."""
    wide = 0 if text.isascii() else sum(1 for character in text if character >= WIDE_FROM)
    return wide + (len(text) - wide + CHARACTERS_PER_TOKEN - 1) // CHARACTERS_PER_TOKEN


def estimate_message(message: AgentMessage) -> int:
    """Tokens of one message, by our own estimate."""
    match message:
        case SystemMessage():
            return 0
        case BashExecutionMessage():
            return 0 if message.exclude_from_context else estimate_tokens(message.command + message.output)
        case BranchSummaryMessage() | CompactionSummaryMessage():
            return estimate_tokens(message.summary)
    if isinstance(message.content, str):
        return estimate_tokens(message.content)
    return sum(_estimate_block(block) for block in message.content)


def _estimate_block(block: TextContent | ImageContent | ThinkingContent | ToolCall) -> int:
    match block:
        case TextContent():
            return estimate_tokens(block.text)
        case ThinkingContent():
            return estimate_tokens(block.thinking)
        case ImageContent():
            return IMAGE_TOKENS
        case ToolCall():
            return estimate_tokens(block.name + json.dumps(block.arguments, ensure_ascii=False))


def context_tokens(log: SessionLog) -> int | None:
    """Tokens the next request will take; None while no answer has told us since the last compaction.

    The provider's own count of the last good answer, and an estimate of what came after it. Answers from before a
    compaction that were kept by it still carry the size of the old context: they are not believed.
    """
    since = 0
    for entry_id in reversed(log.branch()):
        kind = log.head(entry_id).type
        if kind == "compaction":
            return None
        match log.entry(entry_id) if kind in _COUNTED else None:
            case MessageEntry(message=AssistantMessage() as answer) if _is_measured(answer):
                return answer.usage.total_tokens + since
            case MessageEntry(message=message):
                since += estimate_message(message)
            case CustomMessageEntry(content=content):
                since += estimate_message(UserMessage(content))
            case BranchSummaryEntry(summary=summary):
                since += estimate_tokens(summary)
    return None


def _is_measured(answer: AssistantMessage) -> bool:
    return answer.stop_reason not in ("error", "aborted") and answer.usage.total_tokens > 0
