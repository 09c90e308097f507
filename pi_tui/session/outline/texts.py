"""What an entry says: in a line of the tree, for a search, for the clipboard."""

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from pi_tui.session.log import SessionLog
from pi_tui.session.payload import lenient_fields, mend

MAX_STEPS_TO_CALL = 64
"""Entries above a tool's result among which its call is looked for."""
TELLING_ARGUMENTS = ("command", "path", "file_path", "pattern", "query", "url")
"""The first of these a call has says what it is about."""


class EntryText(NamedTuple):
    tag: str
    """Who or what: `user`, a tool's name, the type of an entry."""
    text: str
    more: str = ""
    """What a search finds too: the output of a tool."""
    failed: bool = False


class _Block(Struct, rename="camel"):
    type: str = ""
    text: str = ""
    id: str = ""
    name: str = ""
    arguments: dict[str, Any] = {}


class _Message(Struct, rename="camel"):
    role: str = ""
    content: str | list[_Block] = ""
    tool_call_id: str = ""
    tool_name: str = ""
    is_error: bool = False
    stop_reason: str = ""
    error_message: str | None = None
    command: str = ""
    output: str = ""
    exit_code: int | None = None
    custom_type: str = ""
    summary: str = ""


class _Line(Struct, rename="camel"):
    """All that entries are told by; the rest of a line is not decoded."""

    message: _Message | None = None
    content: str | list[_Block] = ""
    custom_type: str = ""
    summary: str = ""
    tokens_before: int = 0
    provider: str = ""
    model_id: str = ""
    model: str = ""
    thinking_level: str = ""
    target_id: str = ""
    label: str | None = None
    name: str | None = None
    kind: str = ""


_decode = msgspec.json.Decoder(_Line).decode


def entry_text(log: SessionLog, entry_id: str) -> EntryText:
    """What an entry says, in full."""
    line = _line(log, entry_id)
    if line.message is not None:
        return _of_message(log, entry_id, line.message)
    return _of_record(log.head(entry_id).type, line)


def call_of(log: SessionLog, result_id: str) -> tuple[str, dict[str, Any]] | None:
    """Name and arguments of the call that a tool's result answers; None if it is not near above it."""
    message = _line(log, result_id).message
    return _call(log, result_id, message.tool_call_id) if message is not None else None


def _line(log: SessionLog, entry_id: str) -> _Line:
    raw = log.raw(entry_id)
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        line: _Line = mend(lenient_fields(raw), _Line)
        return line


def _of_message(log: SessionLog, entry_id: str, message: _Message) -> EntryText:
    match message.role:
        case "user":
            return EntryText("user", _with_images(message.content))
        case "assistant":
            return _of_answer(message)
        case "toolResult":
            call = _call(log, entry_id, message.tool_call_id)
            about = _about(call[1]) if call is not None else ""
            return EntryText(message.tool_name or "tool", about, _text(message.content), message.is_error)
        case "bashExecution":
            return EntryText("!", message.command, message.output, bool(message.exit_code))
        case "custom":
            return EntryText(message.custom_type or "custom", _with_images(message.content))
        case "branchSummary" | "compactionSummary":
            return EntryText("summary", message.summary)
    return EntryText(message.role or "message", _text(message.content))


def _of_answer(message: _Message) -> EntryText:
    text = _text(message.content)
    failed = message.stop_reason == "error"
    if not text.strip() and not isinstance(message.content, str):
        calls = [block for block in message.content if block.type == "toolCall"]
        text = " · ".join(f"{call.name} {_about(call.arguments)}".rstrip() for call in calls)
    if failed:
        text = f"{message.error_message or 'the request failed'} {text}".rstrip()
    elif message.stop_reason == "aborted":
        text = f"{text} (stopped)".lstrip()
    return EntryText("assistant", text, failed=failed)


def _of_record(entry_type: str, line: _Line) -> EntryText:
    tag, text = entry_type, line.custom_type
    match entry_type:
        case "custom_message":
            tag, text = line.custom_type or "custom", _with_images(line.content)
        case "compaction":
            text = f"{line.tokens_before:,} tokens before: {line.summary}"
        case "branch_summary":
            tag, text = "summary of a branch", line.summary
        case "model_change":
            tag, text = "model", f"{line.provider}/{line.model_id}"
        case "thinking_level_change":
            tag, text = "thinking level", line.thinking_level
        case "label":
            text = line.label or f"taken from {line.target_id}"
        case "session_info":
            tag, text = "session name", line.name or "taken away"
        case "context_edit":
            tag, text = "context edit", f"of {line.target_id}"
        case "usage":
            text = f"{line.kind} {line.provider}/{line.model}".lstrip()
    return EntryText(tag, text)


def _call(log: SessionLog, result_id: str, call_id: str) -> tuple[str, dict[str, Any]] | None:
    at = log.parent(result_id)
    for _ in range(MAX_STEPS_TO_CALL):
        if at is None:
            return None
        if log.role(at) == "assistant":
            message = _line(log, at).message
            blocks = message.content if message is not None and isinstance(message.content, list) else []
            for block in blocks:
                if block.type == "toolCall" and block.id == call_id:
                    return block.name, block.arguments
            return None
        at = log.parent(at)
    return None


def _about(arguments: dict[str, Any]) -> str:
    """What a call is about, in a few words."""
    for name in TELLING_ARGUMENTS:
        value = arguments.get(name)
        if isinstance(value, str) and value.strip():
            return value
    return ", ".join(f"{name}={value}" for name, value in arguments.items() if isinstance(value, str | int))


def _text(content: str | list[_Block]) -> str:
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if block.type == "text")


def _with_images(content: str | list[_Block]) -> str:
    images = 0 if isinstance(content, str) else sum(block.type == "image" for block in content)
    text = _text(content)
    if not images:
        return text
    mark = "[image]" if images == 1 else f"[{images} images]"
    return f"{mark} {text}".rstrip()
