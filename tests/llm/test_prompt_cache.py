"""A provider's prompt cache holds: what was sent once is sent again byte for byte, and only added to."""

import copy
import json
from typing import Any

import pytest

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.replay import to_wire
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires import anthropic_request, openai_request

ANTHROPIC = Model(
    id="m",
    provider="p",
    api="anthropic-messages",
    reasoning=True,
    input=("text", "image"),
    context_window=10**6,
)
OPENAI = Model(
    id="m",
    provider="p",
    api="openai-completions",
    reasoning=True,
    input=("text", "image"),
    context_window=10**6,
)
TOOLS = [
    ToolSpec(name, name, {"type": "object", "properties": {"path": {"type": "string"}}}) for name in "abc"
]


def conversation(model: Model) -> list[AgentMessage]:
    origin = (model.api, model.provider, model.id)
    messages: list[AgentMessage] = []
    for number in range(4):
        calls = [ToolCall(f"call {number}|{one}", "read", {"path": "é", "n": 1.0}) for one in range(2)]
        messages += [
            UserMessage([TextContent(f"prompt {number}"), ImageContent("AAAA", "image/png")], number),
            AssistantMessage(
                [ThinkingContent("hm", "signed"), TextContent("I look."), *calls],
                *origin,
                stop_reason="toolUse",
            ),
            *(ToolResultMessage(call.id, "read", [TextContent("x")], False) for call in calls),
            AssistantMessage([TextContent("half")], *origin, stop_reason="error"),
            AssistantMessage([TextContent(f"answer {number}")], *origin),
        ]
    return messages


def body(model: Model, messages: list[AgentMessage], level: Any = "high") -> dict[str, Any]:
    context = Context("The system prompt.", to_wire(messages, model), TOOLS)
    options = StreamOptions(thinking_level=level, session_id="s")
    make = anthropic_request if model is ANTHROPIC else openai_request
    return make.request_body(model, context, options)


def unmarked(part: Any) -> Any:
    """Without the cache marks: they move to the newest message, and are no part of what is cached."""
    if isinstance(part, dict):
        return {name: unmarked(value) for name, value in part.items() if name != "cache_control"}
    return [unmarked(one) for one in part] if isinstance(part, list) else part


def written(part: Any) -> str:
    return json.dumps(unmarked(part), ensure_ascii=False)


@pytest.mark.parametrize("model", [ANTHROPIC, OPENAI], ids=lambda model: model.api)
def test_each_request_begins_with_the_one_before(model: Model) -> None:
    messages = conversation(model)
    # A request follows what the user or a tool said.
    ends = [
        place
        for place in range(1, len(messages) + 1)
        if not isinstance(messages[place - 1], AssistantMessage)
        and (place == len(messages) or not isinstance(messages[place], ToolResultMessage))
    ]
    before = body(model, messages[: ends[0]])
    for end in ends[1:]:
        now = body(model, messages[:end])
        assert written(now.get("tools")) == written(before.get("tools"))
        assert written(now.get("system")) == written(before.get("system"))
        assert written(now["messages"]).startswith(written(before["messages"])[:-1])
        before = now


@pytest.mark.parametrize("model", [ANTHROPIC, OPENAI], ids=lambda model: model.api)
def test_the_same_history_read_again_gives_the_same_bytes(model: Model) -> None:
    messages = conversation(model)
    assert json.dumps(body(model, messages)) == json.dumps(body(model, copy.deepcopy(messages)))


def test_the_thinking_level_does_not_change_what_was_sent() -> None:
    messages = conversation(ANTHROPIC)[:-1]
    low, high = body(ANTHROPIC, messages, "low"), body(ANTHROPIC, messages, "high")
    assert written(low["messages"]) == written(high["messages"])


def test_the_newest_message_is_marked_and_nothing_before_it() -> None:
    marked = body(ANTHROPIC, conversation(ANTHROPIC)[:-1])
    places = [place for place, one in enumerate(marked["messages"]) if "cache_control" in json.dumps(one)]
    assert places == [max(place for place, one in enumerate(marked["messages"]) if one["role"] == "user")]
