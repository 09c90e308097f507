"""A session's active branch as a Markdown document."""

from collections.abc import Callable, Iterator
from functools import singledispatch
from typing import TYPE_CHECKING

import msgspec

from pi_tui.export.markdown_text import fence, inline, nested, quoted, summary
from pi_tui.llm.messages import (
    AssistantMessage,
    BashExecutionMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    text_of,
)
from pi_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
)

if TYPE_CHECKING:
    from pi_tui.session.log import SessionLog

UNNAMED = "A session"
BASE64_SIGNS_FOR_3_BYTES = 4


def markdown_of(log: "SessionLog") -> Iterator[str]:
    """The document in parts, each of whole lines.

    Its headings of the first and second level are its own, its HTML is that of folds; whatever the session holds
    lies below them.
    """
    path = log.branch()
    yield f"# {inline(log.name or UNNAMED)}\n\n"
    yield f"- Session: {inline(log.id)}\n- Folder: {inline(str(log.cwd))}\n- Begun: {inline(log.header.timestamp)}\n"
    reader = log.reader()
    heading = ""
    for entry_id in path:
        entry = reader(entry_id)
        parts = list(_parts(entry))
        if not parts:
            continue
        title = _heading(entry)
        if title and title != heading:
            yield f"\n## {title}\n"
            heading = title
        label = log.labels.get(entry_id)
        if label:
            yield f"\n*Label: {inline(label)}*\n"
        for part in parts:
            yield "\n" + part


def _heading(entry: Entry) -> str:
    """Under which heading an entry stands; empty under the one before."""
    match entry:
        case MessageEntry(message=UserMessage()):
            return f"User, {inline(entry.timestamp)}"
        case MessageEntry(message=AssistantMessage(model=model)):
            return f"Assistant, {inline(model)}" if model else "Assistant"
        case MessageEntry(message=BashExecutionMessage()):
            return "Command of the user"
        case CustomMessageEntry(custom_type=kind):
            return f"Message of an extension, {inline(kind)}"
        case CompactionEntry():
            return "Summary of what was before"
        case BranchSummaryEntry():
            return "Summary of another branch"
    return ""


@singledispatch
def _parts(entry: object) -> Iterator[str]:
    """The blocks an entry gives; none for those that only keep a state."""
    yield from ()


@_parts.register
def _(entry: MessageEntry) -> Iterator[str]:
    yield from _parts(entry.message)


@_parts.register
def _(entry: ModelChangeEntry) -> Iterator[str]:
    yield f"*Model: {inline(entry.provider)}/{inline(entry.model_id)}*\n"


@_parts.register
def _(entry: ThinkingLevelChangeEntry) -> Iterator[str]:
    yield f"*Thinking: {inline(entry.thinking_level)}*\n"


@_parts.register
def _(entry: CompactionEntry) -> Iterator[str]:
    yield nested(entry.summary)


@_parts.register
def _(entry: BranchSummaryEntry) -> Iterator[str]:
    yield nested(entry.summary)


@_parts.register
def _(entry: CustomMessageEntry) -> Iterator[str]:
    if entry.display:
        yield from _user_blocks(entry.content, nested)


@_parts.register
def _(message: SystemMessage) -> Iterator[str]:
    sections = [text for text in (message.sections or {}).values() if text]
    tools = ", ".join(tool.name for tool in message.tools_added or [])
    text = "\n\n".join(filter(None, [text_of(message.content), *sections, tools and f"Tools: {tools}"]))
    if text.strip():
        yield _fold("System prompt", fence(text))


@_parts.register
def _(message: UserMessage) -> Iterator[str]:
    yield from _user_blocks(message.content, quoted)


@_parts.register
def _(message: AssistantMessage) -> Iterator[str]:
    for block in message.content:
        match block:
            case TextContent(text=text) if text.strip():
                yield nested(text)
            case ThinkingContent(thinking=thinking, redacted=redacted) if thinking.strip() or redacted:
                yield _fold("Thinking", "(sealed by the provider)\n" if redacted else nested(thinking))
            case ToolCall():
                yield from _call(block)
    if message.stop_reason == "error":
        yield f"**The model failed:** {inline(message.error_message or 'it did not say why')}\n"
    elif message.stop_reason == "aborted":
        yield "**Stopped by the user.**\n"
    elif message.stop_reason == "length":
        yield "**Cut off: the model reached its output limit.**\n"


@_parts.register
def _(message: ToolResultMessage) -> Iterator[str]:
    state = ", failed" if message.is_error else ""
    diff = message.details.get("diff") if isinstance(message.details, dict) else None
    parts = [fence(diff, "diff")] if isinstance(diff, str) and diff.strip() else []
    parts += _literal_blocks(message.content)
    yield _fold(f"Result of {message.tool_name}{state}", "\n".join(parts) or "(empty)\n")


@_parts.register
def _(message: BashExecutionMessage) -> Iterator[str]:
    yield fence(message.command, "sh")
    ending = "cancelled" if message.cancelled else f"exit code {message.exit_code}"
    yield _fold(f"Output, {ending}", fence(message.output))


def _call(call: ToolCall) -> Iterator[str]:
    """What a tool was called with: long texts as they are, the rest as JSON."""
    long = {name: value for name, value in call.arguments.items() if isinstance(value, str) and "\n" in value}
    short = {name: value for name, value in call.arguments.items() if name not in long}
    yield f"**Tool {inline(call.name)}**\n"
    if short:
        yield fence(msgspec.json.format(msgspec.json.encode(short)).decode(), "json")
    for name, value in long.items():
        yield f"Argument {inline(name)}:\n"
        yield fence(value)


def _user_blocks(content: str | list[UserBlock], shown: Callable[[str], str]) -> Iterator[str]:
    for block in [TextContent(content)] if isinstance(content, str) else content:
        match block:
            case TextContent(text=text) if text.strip():
                yield shown(text)
            case ImageContent():
                yield _image(block)


def _literal_blocks(content: list[UserBlock]) -> Iterator[str]:
    for block in content:
        match block:
            case TextContent(text=text) if text.strip():
                yield fence(text)
            case ImageContent():
                yield _image(block)


def _image(image: ImageContent) -> str:
    size = len(image.data) * 3 // BASE64_SIGNS_FOR_3_BYTES
    return f"*(an image: {inline(image.mime_type)}, {size:,} bytes)*\n"


def _fold(title: str, body: str) -> str:
    return f"<details>\n<summary>{summary(title)}</summary>\n\n{body}\n</details>\n"
