"""How full the context window is."""

import json
from collections.abc import Sequence

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
)

CHARACTERS_PER_TOKEN = 3
IMAGE_TOKENS = 1_200
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


def context_tokens(messages: Sequence[AgentMessage]) -> int | None:
    """Tokens the next request will take; None while no answer has told us since the last compaction.

    The provider's own count of the last good answer, and an estimate of what came after it. Answers from before a
    compaction that were kept by it still carry the size of the old context: they are not believed.
    """
    compacted = max(
        (one.timestamp for one in messages if isinstance(one, CompactionSummaryMessage)), default=0
    )
    since = 0
    for message in reversed(messages):
        if (
            isinstance(message, AssistantMessage)
            and message.stop_reason not in ("error", "aborted")
            and message.usage.total_tokens
        ):
            return None if message.timestamp < compacted else message.usage.total_tokens + since
        since += estimate_message(message)
    return None
