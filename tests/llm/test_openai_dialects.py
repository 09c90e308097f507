"""Streams of servers that are compatible in their own way."""

import json
from typing import Any

import pytest

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import TextContent, ThinkingContent, ToolCall
from pi_tui.llm.wires.openai_completions import usage_of
from tests.support.fakellm import FakeLLM
from tests.support.responses import Received, model_at, respond


async def streamed(
    fake_llm: FakeLLM, *deltas: Any, finish: str | None = "stop", compat: dict | None = None
) -> Received:
    chunks = [{"choices": [{"index": 0, "delta": delta}]} for delta in deltas]
    chunks += [{"choices": [{"index": 0, "delta": {}, "finish_reason": finish}]}]
    lines = [json.dumps(chunk) for chunk in chunks] + ["[DONE]"]
    fake_llm.push({"raw": "".join(f"data: {line}\n\n" for line in lines)})
    return await respond(model_at(fake_llm.base_url, "openai-completions", compat=compat or {}))


def calls_of(received: Received) -> list[tuple[str, dict]]:
    return [(call.name, call.arguments) for call in received.message.tool_calls]


def call(name: str | None, arguments: Any, **fields: Any) -> dict:
    function = {"name": name, "arguments": arguments} if name else {"arguments": arguments}
    return {"tool_calls": [{**fields, "function": function}]}


async def test_calls_without_an_index_are_told_apart_by_id(fake_llm: FakeLLM) -> None:
    received = await streamed(
        fake_llm,
        call("read", '{"path":', id="a"),
        call(None, '"x"}', id="a"),
        call("read", '{"path":"y"}', id="b"),
    )
    assert calls_of(received) == [("read", {"path": "x"}), ("read", {"path": "y"})]
    assert received.message.stop_reason == "toolUse"


async def test_calls_without_index_and_id_follow_one_another(fake_llm: FakeLLM) -> None:
    received = await streamed(
        fake_llm, call("read", '{"path":'), call(None, '"x"}'), call("read", '{"path":"y"}')
    )
    assert calls_of(received) == [("read", {"path": "x"}), ("read", {"path": "y"})]
    ids = [one.id for one in received.message.tool_calls]
    assert len(set(ids)) == 2
    assert all(ids)


async def test_whole_calls_that_all_have_index_0_are_several(fake_llm: FakeLLM) -> None:
    received = await streamed(
        fake_llm,
        call("read", '{"path":"x"}', index=0, id="a"),
        call("read", '{"path":"y"}', index=0, id="b"),
    )
    assert calls_of(received) == [("read", {"path": "x"}), ("read", {"path": "y"})]


async def test_deltas_of_parallel_calls_may_interleave(fake_llm: FakeLLM) -> None:
    received = await streamed(
        fake_llm,
        call("read", "", index=0, id="a"),
        call("read", "", index=1, id="b"),
        call(None, '{"path":"x"}', index=0),
        call(None, '{"path":"y"}', index=1),
    )
    assert calls_of(received) == [("read", {"path": "x"}), ("read", {"path": "y"})]


async def test_arguments_may_be_an_object_and_come_before_the_name(fake_llm: FakeLLM) -> None:
    received = await streamed(
        fake_llm,
        call("read", {"path": "x"}, index=0, id="a"),
        call(None, '{"path":', index=1, id="b"),
        call("read", '"y"}', index=1, id="b"),
    )
    assert calls_of(received) == [("read", {"path": "x"}), ("read", {"path": "y"})]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
async def test_thinking_under_its_several_names(fake_llm: FakeLLM, field: str) -> None:
    received = await streamed(
        fake_llm, {field: "h"}, {field: "m"}, {"content": "yes"}, {field: "", "content": "!"}
    )
    assert received.message.content == [ThinkingContent("hm", field), TextContent("yes!")]


async def test_thinking_under_two_names_at_once_is_taken_once(fake_llm: FakeLLM) -> None:
    received = await streamed(fake_llm, {"reasoning": "hm", "reasoning_content": "hm"}, {"content": "yes"})
    assert received.message.content[0] == ThinkingContent("hm", "reasoning_content")


async def test_content_in_parts(fake_llm: FakeLLM) -> None:
    thinking = {"type": "thinking", "thinking": [{"type": "text", "text": "hm"}]}
    received = await streamed(
        fake_llm, {"content": [thinking]}, {"content": [{"type": "text", "text": "yes"}]}
    )
    assert received.message.content == [ThinkingContent("hm", "reasoning_content"), TextContent("yes")]


async def test_the_signature_of_a_call_is_kept(fake_llm: FakeLLM) -> None:
    signed = {"google": {"thought_signature": "sig"}}
    received = await streamed(fake_llm, call("read", "{}", index=0, id="a", extra_content=signed))
    assert received.message.content == [ToolCall("a", "read", {}, thought_signature="sig")]


async def test_a_server_without_finish_reasons_needs_the_switch(fake_llm: FakeLLM) -> None:
    received = await streamed(
        fake_llm, {"content": "yes"}, finish=None, compat={"supportsFinishReason": False}
    )
    assert received.message.stop_reason == "stop"
    with pytest.raises(ProviderError) as caught:
        await streamed(fake_llm, {"content": "yes"}, finish=None)
    assert caught.value.kind is ErrorKind.NETWORK


async def test_an_error_beside_the_choices(fake_llm: FakeLLM) -> None:
    error = {"error": {"code": 429, "message": "slow down"}, "choices": [{"delta": {}}]}
    fake_llm.push({"raw": f"data: {json.dumps(error)}\n\n"})
    with pytest.raises(ProviderError, match="slow down") as caught:
        await respond(model_at(fake_llm.base_url, "openai-completions"))
    assert caught.value.kind is ErrorKind.RATE_LIMIT


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}, (10, 5, 0, 0)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "prompt_cache_hit_tokens": 8}, (2, 5, 8, 0)),
        ({"prompt_tokens": 10, "completion_tokens": 5, "cached_tokens": 8}, (2, 5, 8, 0)),
        (
            {
                "prompt_tokens": 10,
                "completion_tokens": 5,
                "prompt_tokens_details": {"cached_tokens": 4, "cache_write_tokens": 3},
            },
            (3, 5, 4, 3),
        ),
        ({"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 40}, (10, 30, 0, 0)),
        ({"prompt_tokens": None, "completion_tokens": 5, "prompt_tokens_details": None}, (0, 5, 0, 0)),
    ],
)
def test_usage_in_its_several_forms(given: dict, expected: tuple[int, int, int, int]) -> None:
    usage = usage_of(given)
    assert (usage.input, usage.output, usage.cache_read, usage.cache_write) == expected
