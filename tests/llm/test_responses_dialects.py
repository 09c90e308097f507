"""How servers of the responses API differ from OpenAI."""

import json
from typing import Any

import pytest

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import TextContent, ThinkingContent
from tests.support.fakellm import FakeLLM
from tests.support.responses import Received, model_at, respond

DONE = {"type": "response.completed", "response": {"status": "completed"}}


async def read(fake_llm: FakeLLM, *events: dict[str, Any]) -> Received:
    fake_llm.push({"raw": "".join(f"data: {json.dumps(event)}\n\n" for event in events)})
    return await respond(model_at(fake_llm.base_url, "openai-responses"))


async def test_items_without_a_number_are_told_apart_by_their_ids(fake_llm: FakeLLM) -> None:
    calls = [{"name": "read", "arguments": {"path": path}} for path in ("a", "b")]
    fake_llm.push({"thinking": "Hm.", "text": "Reading.", "tool_calls": calls, "unnumbered": True})
    message = (await respond(model_at(fake_llm.base_url, "openai-responses"))).message
    assert message.text == "Reading."
    assert [call.arguments for call in message.tool_calls] == [{"path": "a"}, {"path": "b"}]


async def test_two_calls_may_grow_at_once(fake_llm: FakeLLM) -> None:
    def event(kind: str, index: int, **fields: Any) -> dict[str, Any]:
        return {"type": f"response.{kind}", "output_index": index, **fields}

    items = [{"type": "function_call", "id": f"fc_{n}", "call_id": f"c{n}", "name": "read"} for n in (0, 1)]
    received = await read(
        fake_llm,
        *(event("output_item.added", n, item=items[n]) for n in (0, 1)),
        event("function_call_arguments.delta", 0, delta='{"path":'),
        event("function_call_arguments.delta", 1, delta='{"path":"b"}'),
        event("function_call_arguments.delta", 0, delta='"a"}'),
        *(event("output_item.done", n, item=items[n]) for n in (1, 0)),
        DONE,
    )
    assert [call.arguments["path"] for call in received.message.tool_calls] == ["a", "b"]
    assert received.message.stop_reason == "toolUse"


async def test_items_that_come_whole_are_read_too(fake_llm: FakeLLM) -> None:
    summary = [{"type": "summary_text", "text": "One."}, {"type": "summary_text", "text": "Two."}]
    items = [
        {"type": "reasoning", "id": "rs_1", "summary": summary, "encrypted_content": "sealed"},
        {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hello."}]},
        {"type": "function_call", "id": "fc_1", "call_id": "c1", "name": "read", "arguments": '{"path":"a"}'},
    ]
    done = [
        {"type": "response.output_item.done", "output_index": n, "item": one} for n, one in enumerate(items)
    ]
    message = (await read(fake_llm, *done, DONE)).message
    thought, text, call = message.content
    assert isinstance(thought, ThinkingContent)
    assert thought.thinking == "One.\n\nTwo."
    assert json.loads(thought.thinking_signature or "")["encrypted_content"] == "sealed"
    assert isinstance(text, TextContent)
    assert (text.text, json.loads(text.text_signature or "")["id"]) == ("Hello.", "msg_1")
    assert call == message.tool_calls[0]
    assert call.id == "c1|fc_1"


async def test_parts_of_a_summary_are_paragraphs(fake_llm: FakeLLM) -> None:
    kind = "response.reasoning_summary_text.delta"
    deltas = [
        {"type": kind, "item_id": "rs_1", "summary_index": index, "delta": text}
        for index, text in ((0, "On"), (0, "e."), (1, "Two."))
    ]
    item = {"type": "reasoning", "id": "rs_1"}
    begun = {"type": "response.output_item.added", "item": item}
    ended = {"type": "response.output_item.done", "item": item}
    message = (await read(fake_llm, begun, *deltas, ended, DONE)).message
    assert isinstance(message.content[0], ThinkingContent)
    assert message.content[0].thinking == "One.\n\nTwo."


async def test_reasoning_without_a_word_keeps_its_seal(fake_llm: FakeLLM) -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "sealed"}
    said = {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hi."}]}
    done = [
        {"type": "response.output_item.done", "output_index": n, "item": one}
        for n, one in enumerate((item, said))
    ]
    message = (await read(fake_llm, *done, DONE)).message
    assert isinstance(message.content[0], ThinkingContent)
    assert "sealed" in (message.content[0].thinking_signature or "")


@pytest.mark.parametrize(
    ("error", "kind"),
    [
        ({"code": "rate_limit_exceeded", "message": "slow down"}, ErrorKind.RATE_LIMIT),
        ({"code": "server_error", "message": "oh"}, ErrorKind.OVERLOADED),
        ({"code": "context_length_exceeded", "message": "too long"}, ErrorKind.CONTEXT_OVERFLOW),
        ({"code": "insufficient_quota", "message": "pay"}, ErrorKind.QUOTA),
    ],
)
async def test_a_failed_response_is_sorted(fake_llm: FakeLLM, error: dict[str, str], kind: ErrorKind) -> None:
    with pytest.raises(ProviderError) as caught:
        await read(fake_llm, {"type": "response.failed", "response": {"status": "failed", "error": error}})
    assert caught.value.kind is kind
    with pytest.raises(ProviderError) as caught:
        await read(fake_llm, {"type": "error", **error})
    assert caught.value.kind is kind


async def test_a_refusal_is_the_answer(fake_llm: FakeLLM) -> None:
    delta = {"type": "response.refusal.delta", "item_id": "msg_1", "delta": "I cannot help with that."}
    assert (await read(fake_llm, delta, DONE)).message.text == "I cannot help with that."
