"""The beginning of a long message: as much as a preview has room for."""

from typing import Any, Final, TypeVar

import msgspec

from pi_tui.llm.messages import AgentMessage, TextContent, ThinkingContent, ToolCall

MAX_LINES: Final = 80
MAX_CHARACTERS: Final = 4_000

M = TypeVar("M", bound=AgentMessage)


def excerpt(message: M, more: str) -> M:
    """The message with each of its long texts cut, or the message itself.

    Args:
        message: It stays as it is.
        more: What to say where something was cut.
    """
    changes: dict[str, Any] = {}
    content = getattr(message, "content", None)
    if isinstance(content, str):
        changes["content"] = _cut(content, more)
    elif content is not None:
        changes["content"] = [_cut_block(block, more) for block in content]
    for name in ("summary", "output"):
        text = getattr(message, name, None)
        if text is not None:
            changes[name] = _cut(text, more)
    details = getattr(message, "details", None)
    if isinstance(details, dict):
        changes["details"] = _cut_values(details, more)
    return msgspec.structs.replace(message, **changes)


def _cut_block(block: Any, more: str) -> Any:
    match block:
        case TextContent(text=text):
            return TextContent(_cut(text, more))
        case ThinkingContent(thinking=text):
            return ThinkingContent(_cut(text, more))
        case ToolCall():
            return msgspec.structs.replace(block, arguments=_cut_values(block.arguments, more))
    return block


def _cut_values(values: dict[str, Any], more: str) -> dict[str, Any]:
    return {name: _cut(value, more) if isinstance(value, str) else value for name, value in values.items()}


def _cut(text: str, more: str) -> str:
    if len(text) <= MAX_CHARACTERS and text.count("\n") <= MAX_LINES:
        return text
    lines = text[:MAX_CHARACTERS].split("\n", MAX_LINES)[:MAX_LINES]
    return "\n".join([*lines, f"… {more}"])
