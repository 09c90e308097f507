"""The beginning of a long message: as much as a preview has room for."""

from typing import Any, Final, TypeVar

import msgspec

from pi_tui.llm.messages import AgentMessage, TextContent, ThinkingContent, ToolCall

MAX_CHARACTERS: Final = 4_000

M = TypeVar("M", bound=AgentMessage)


def excerpt(message: M, more: str, lines: int) -> M:
    """The message with each of its long texts cut, or the message itself.

    Args:
        message: It stays as it is.
        more: What to say where something was cut.
        lines: As many are left of each text.
    """
    changes: dict[str, Any] = {}
    content = getattr(message, "content", None)
    if isinstance(content, str):
        changes["content"] = _cut(content, more, lines)
    elif content is not None:
        changes["content"] = [_cut_block(block, more, lines) for block in content]
    for name in ("summary", "output"):
        text = getattr(message, name, None)
        if text is not None:
            changes[name] = _cut(text, more, lines)
    details = getattr(message, "details", None)
    if isinstance(details, dict):
        changes["details"] = _cut_values(details, more, lines)
    return msgspec.structs.replace(message, **changes)


def _cut_block(block: Any, more: str, lines: int) -> Any:
    match block:
        case TextContent(text=text):
            return TextContent(_cut(text, more, lines))
        case ThinkingContent(thinking=text):
            return ThinkingContent(_cut(text, more, lines))
        case ToolCall():
            return msgspec.structs.replace(block, arguments=_cut_values(block.arguments, more, lines))
    return block


def _cut_values(values: dict[str, Any], more: str, lines: int) -> dict[str, Any]:
    return {
        name: _cut(value, more, lines) if isinstance(value, str) else value for name, value in values.items()
    }


def _cut(text: str, more: str, lines: int) -> str:
    if len(text) <= MAX_CHARACTERS and text.count("\n") < lines:
        return text
    kept = text[:MAX_CHARACTERS].split("\n", lines)[:lines]
    return "\n".join([*kept, f"… {more}"])
