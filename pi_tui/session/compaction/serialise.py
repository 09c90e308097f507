"""A conversation as text, so that the model that summarises it does not go on with it."""

from collections.abc import Iterable
from typing import Any

import msgspec

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
)

MAX_RESULT = 2_000
"""Characters of a tool result."""
MAX_ARGUMENT = 1_000
"""Characters of one argument of a call: most are paths, some whole files."""
MAX_TEXT = 40_000
"""Characters of anything else that was said."""


def serialise(messages: Iterable[AgentMessage]) -> list[str]:
    """The messages as text, one or two parts each; thinking and images are left out."""
    return [part for message in messages for part in _parts(message)]


def shortened(text: str, limit: int) -> str:
    """`text` with its middle cut out if it is longer: the error stands at the end of an output."""
    if len(text) <= limit:
        return text
    head, tail = limit - limit // 2, limit // 2
    return f"{text[:head]}\n[... {len(text) - limit:,} characters left out ...]\n{text[-tail:]}"


def _parts(message: AgentMessage) -> list[str]:
    match message:
        case UserMessage() | CustomMessage():
            return _said("User", _text(message.content))
        case BashExecutionMessage():
            if message.exclude_from_context:
                return []
            output = shortened(message.output.strip("\n"), MAX_RESULT) or "(no output)"
            return [f"[User]: I ran `{message.command}`:\n{output}"]
        case BranchSummaryMessage():
            return _said("User", f"(summary of a side branch)\n{message.summary}")
        case CompactionSummaryMessage():
            return _said("User", f"(summary of what came before)\n{message.summary}")
        case AssistantMessage():
            return _answer(message)
        case ToolResultMessage():
            text = shortened(_text(message.content), MAX_RESULT) or "(no output)"
            failed = "(failed) " if message.is_error else ""
            return [f"[Tool result]: {failed}{text}"]
    return []


def _answer(message: AssistantMessage) -> list[str]:
    if message.stop_reason in ("error", "aborted") and not message.tool_calls:
        return []
    parts = _said("Assistant", message.text)
    if message.tool_calls:
        parts.append(f"[Assistant tool calls]: {'; '.join(map(_call, message.tool_calls))}")
    return parts


def _said(who: str, text: str) -> list[str]:
    return [f"[{who}]: {shortened(text.strip(), MAX_TEXT)}"] if text.strip() else []


def _text(content: str | list[UserBlock]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join("(an image)" if isinstance(block, ImageContent) else block.text for block in content)


def _call(call: ToolCall) -> str:
    arguments = ", ".join(f"{name}={_argument(value)}" for name, value in call.arguments.items())
    return f"{call.name}({arguments})"


def _argument(value: Any) -> str:
    return shortened(msgspec.json.encode(value).decode(), MAX_ARGUMENT)


def text_of_user(message: UserMessage) -> str:
    """What the user wrote, images left out."""
    if isinstance(message.content, str):
        return message.content
    return "\n".join(block.text for block in message.content if isinstance(block, TextContent))
