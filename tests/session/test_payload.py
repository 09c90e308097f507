"""Payloads that the strict decoder refuses are read as far as possible."""

import json
from typing import Any

import msgspec
import pytest

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    Usage,
    UserMessage,
)
from pi_tui.session.entries import CompactionEntry, Head, MessageEntry, ModelChangeEntry, UnknownEntry
from pi_tui.session.payload import decode_entry, encode_entry


def decoded(message: Any) -> AgentMessage:
    fields = {"type": "message", "id": "a", "parentId": None, "timestamp": "t", "message": message}
    entry = decode_entry(Head("message", "a"), json.dumps(fields).encode())
    assert isinstance(entry, MessageEntry)
    return entry.message


TEXT = {"type": "text", "text": "x"}
MENDED: dict[str, tuple[dict[str, Any], AgentMessage]] = {
    "a block of an unknown kind": (
        {"role": "assistant", "content": [{"type": "hologram", "data": 1}, TEXT], "stopReason": "length"},
        AssistantMessage(content=[TextContent("x")], stop_reason="length"),
    ),
    "blocks that are no objects": (
        {"role": "user", "content": [None, 7, TEXT]},
        UserMessage(content=[TextContent("x")]),
    ),
    "arguments as JSON text": (
        {
            "role": "assistant",
            "content": [{"type": "toolCall", "id": "c", "name": "f", "arguments": '{"a":1}'}],
        },
        AssistantMessage(content=[ToolCall(id="c", name="f", arguments={"a": 1})]),
    ),
    "a tool call without arguments": (
        {"role": "assistant", "content": [{"type": "toolCall", "id": "c", "name": "f"}]},
        AssistantMessage(content=[ToolCall(id="c", name="f", arguments={})]),
    ),
    "an image without its data": (
        {"role": "user", "content": [{"type": "image", "mimeType": "image/png"}]},
        UserMessage(content=[ImageContent(data="", mime_type="image/png")]),
    ),
    "counts with a fraction": (
        {"role": "assistant", "content": [], "usage": {"input": 1.0, "output": 2.5, "cost": None}},
        AssistantMessage(content=[], usage=Usage(input=1, output=2)),
    ),
    "nulls": (
        {"role": "assistant", "content": None, "model": None, "usage": None, "stopReason": None},
        AssistantMessage(content=[]),
    ),
    "no content": ({"role": "user"}, UserMessage(content="")),
    "text where blocks belong": (
        {"role": "toolResult", "toolCallId": "c", "toolName": "f", "content": "plain", "isError": "no"},
        ToolResultMessage(tool_call_id="c", tool_name="f", content=[TextContent("plain")], is_error=False),
    ),
    "a lone surrogate": ({"role": "user", "content": "a\ud83d"}, UserMessage(content="a\ufffd")),
    "a time with a fraction": (
        {"role": "bashExecution", "command": "ls", "output": "", "exitCode": 1.0, "timestamp": 1.5},
        BashExecutionMessage(command="ls", output="", exit_code=1, timestamp=1),
    ),
}


@pytest.mark.parametrize("name", MENDED)
def test_a_message_is_mended(name: str) -> None:
    given, wanted = MENDED[name]
    assert decoded(given) == wanted


@pytest.mark.parametrize("message", [{"role": "alien", "content": "x"}, {"content": "x"}, None, [], "x"])
def test_a_message_of_an_unknown_role_is_kept_as_it_is(message: Any) -> None:
    raw = json.dumps({"type": "message", "id": "a", "parentId": None, "timestamp": "t", "message": message})
    entry = decode_entry(Head("message", "a", None, "t"), raw.encode())
    assert entry == UnknownEntry("message", "a", None, "t", {"message": message})


def test_an_unknown_type_keeps_its_fields() -> None:
    raw = b'{"type":"to_come","id":"a","parentId":null,"timestamp":"t","x":[1,{"y":null}]}'
    entry = decode_entry(Head("to_come", "a", None, "t"), raw)
    assert entry == UnknownEntry("to_come", "a", None, "t", {"x": [1, {"y": None}]})


def test_missing_fields_of_an_entry_get_a_plain_value() -> None:
    entry = decode_entry(Head("compaction", "a"), b'{"type":"compaction","id":"a","tokensBefore":12.0}')
    assert entry == CompactionEntry(
        id="a", parent_id=None, timestamp="", summary="", first_kept_entry_id="", tokens_before=12
    )


def test_bytes_that_are_not_utf8_become_replacement_characters() -> None:
    raw = b'{"type":"message","id":"a","timestamp":"t","message":{"role":"user","content":"\xff"}}'
    entry = decode_entry(Head("message", "a"), raw)
    assert isinstance(entry, MessageEntry)
    assert entry.message == UserMessage(content="\ufffd")


def test_what_was_encoded_decodes_to_itself() -> None:
    entry = ModelChangeEntry(id="a", parent_id="b", timestamp="t", provider="p", model_id="m")
    raw = encode_entry(entry)
    assert list(msgspec.json.decode(raw)) == ["type", "id", "parentId", "timestamp", "provider", "modelId"]
    assert decode_entry(Head("model_change", "a"), raw) == entry
