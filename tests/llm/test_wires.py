"""Both wire formats against the scripted server, which refuses what the real services refuse."""

import asyncio
import traceback
from contextlib import aclosing

import pytest

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.llm.model import ModelCost
from pi_tui.llm.stream import Context, MessageAssembler, StreamOptions, TextDelta, ToolCallEnd, ToolCallStart
from pi_tui.llm.wires.registry import stream_function
from tests.support.fakellm import FakeLLM
from tests.support.responses import APIS, history_in, model_at, respond, texts

PIXEL = ImageContent("iVBORw0KGgo=", "image/png")

pytestmark = pytest.mark.parametrize("api", APIS)


async def test_text_comes_in_deltas_and_whole(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "Grüße aus 東京 🎉", "usage": {"input": 12, "output": 7}})
    received = await respond(model_at(fake_llm.base_url, api))
    assert [event.delta for event in received.events if isinstance(event, TextDelta)] == [
        "Grüß",
        "e au",
        "s 東京",
        " 🎉",
    ]
    assert texts(received.message) == ["Grüße aus 東京 🎉"]
    assert received.message.stop_reason == "stop"
    assert received.message.response_model == "fake-1"
    assert (received.message.usage.input, received.message.usage.output) == (12, 7)


async def test_thinking_goes_back_to_the_model_that_thought(fake_llm: FakeLLM, api: str) -> None:
    model = model_at(fake_llm.base_url, api, reasoning=True)
    fake_llm.push({"thinking": "Let me see.", "signature": "sig-1", "text": "Yes."}, {"text": "Good."})
    first = await respond(model, "well?", thinking_level="high")
    assert isinstance(first.message.content[0], ThinkingContent)
    assert first.message.content[0].thinking == "Let me see."
    await respond(model, "well?", first.message, "sure?", thinking_level="high")
    replayed = history_in(fake_llm.bodies()[-1])[-2]
    if api == "openai-responses":
        thought, said = history_in(fake_llm.bodies()[-1])[-3:-1]
        assert (thought["type"], thought["encrypted_content"]) == ("reasoning", "sealed-sig-1")
        assert (said["type"], said["id"][:4]) == ("message", "msg_")
    elif api == "anthropic-messages":
        assert replayed["content"][0] == {"type": "thinking", "thinking": "Let me see.", "signature": "sig-1"}
    else:
        assert replayed["reasoning_content"] == "Let me see."


async def test_parallel_tool_calls_and_their_results_go_round(fake_llm: FakeLLM, api: str) -> None:
    model = model_at(fake_llm.base_url, api)
    calls = [
        {"name": "read", "arguments": {"path": "a"}},
        {"name": "read", "arguments": {"path": "b", "n": 2}},
    ]
    fake_llm.push({"text": "Reading.", "tool_calls": calls}, {"text": "Both read."})
    first = await respond(model, "read both")
    assert first.message.stop_reason == "toolUse"
    assert [call.arguments for call in first.message.tool_calls] == [{"path": "a"}, {"path": "b", "n": 2}]
    assert [type(event) for event in first.events if isinstance(event, ToolCallStart | ToolCallEnd)].count(
        ToolCallEnd
    ) == 2
    results = [
        ToolResultMessage(call.id, call.name, [TextContent(f"content {call.id}")], False)
        for call in first.message.tool_calls
    ]
    second = await respond(model, "read both", first.message, *results, "and now?")
    assert second.message.text == "Both read."


async def test_images_from_the_user_and_from_tools_arrive(fake_llm: FakeLLM, api: str) -> None:
    model = model_at(fake_llm.base_url, api, input=("text", "image"))
    shown = AssistantMessage([ToolCall("c1", "read", {"path": "a.png"})], stop_reason="toolUse")
    result = ToolResultMessage("c1", "read", [TextContent("an image"), PIXEL], False)
    fake_llm.push({"text": "I see."})
    await respond(model, UserMessage([TextContent("look"), PIXEL]), shown, result, "and?")
    sent = str(history_in(fake_llm.bodies()[-1]))
    assert sent.count(PIXEL.data) == 2


async def test_a_model_without_eyes_gets_a_note(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "I cannot see."})
    await respond(model_at(fake_llm.base_url, api), UserMessage([TextContent("look"), PIXEL]))
    sent = str(history_in(fake_llm.bodies()[-1]))
    assert PIXEL.data not in sent
    assert "takes no images" in sent


async def test_a_call_cut_at_the_output_limit_is_marked_broken(fake_llm: FakeLLM, api: str) -> None:
    cut = {"name": "read", "arguments_raw": '{"path": "/etc/pass'}
    fake_llm.push({"tool_calls": [cut], "stop": "length"})
    received = await respond(model_at(fake_llm.base_url, api))
    assert received.message.stop_reason == "length"
    assert list(received.broken_calls) == [received.message.tool_calls[0].id]


async def test_a_call_cut_before_its_arguments_is_marked_broken_too(fake_llm: FakeLLM, api: str) -> None:
    if api == "anthropic-messages":
        block = '{"type":"tool_use","id":"t1","name":"rm"}'
        start = f'{{"type":"content_block_start","index":0,"content_block":{block}}}'
        end = '{"type":"message_delta","delta":{"stop_reason":"max_tokens"},"usage":{"output_tokens":9}}'
    elif api == "openai-responses":
        item = '{"type":"function_call","id":"","call_id":"t1","name":"rm"}'
        start = f'{{"type":"response.output_item.added","output_index":0,"item":{item}}}'
        end = (
            '{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}'
        )
    else:
        start = '{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"t1","function":{"name":"rm"}}]}}]}'
        end = '{"choices":[{"delta":{},"finish_reason":"length"}]}'
    fake_llm.push({"raw": f"data: {start}\n\ndata: {end}\n\n"})
    assert list((await respond(model_at(fake_llm.base_url, api))).broken_calls) == ["t1"]


async def test_arguments_that_are_not_json_are_marked_broken(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"tool_calls": [{"name": "read", "arguments_raw": '{"path": }'}]})
    received = await respond(model_at(fake_llm.base_url, api))
    assert received.message.tool_calls[0].arguments == {}
    assert "not valid JSON" in next(iter(received.broken_calls.values()))


async def test_usage_is_priced_with_the_cached_part_apart(fake_llm: FakeLLM, api: str) -> None:
    prices = ModelCost(input=3, output=15, cache_read=0.3, cache_write=3.75)
    usage = {"input": 1000, "output": 200, "cache_read": 10_000}
    fake_llm.push({"text": "x", "usage": usage})
    counted = (await respond(model_at(fake_llm.base_url, api, cost=prices))).message.usage
    assert (counted.input, counted.cache_read, counted.output, counted.total_tokens) == (
        1000,
        10_000,
        200,
        11_200,
    )
    assert counted.cost.total == pytest.approx(0.003 + 0.003 + 0.003)


async def test_an_abort_closes_the_stream_and_keeps_what_came(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "one two three", "hang_after": 2})
    model = model_at(fake_llm.base_url, api)
    assembler, begun = MessageAssembler(model), asyncio.Event()

    async def run() -> None:
        context = Context("", [UserMessage("go")])
        stream = stream_function(api)(model, context, StreamOptions(api_key="k"), assembler)
        async for event in stream:
            if isinstance(event, TextDelta) and event.delta == "two ":
                begun.set()

    task = asyncio.create_task(run())
    await begun.wait()
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert assembler.aborted().text == "one two "
    while not (finished := fake_llm.requests()):
        await asyncio.sleep(0)
    assert finished[0]["end"] == "client_closed"


async def test_closing_the_generator_closes_the_stream(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "one two three", "hang_after": 2})
    model = model_at(fake_llm.base_url, api)
    context, assembler = Context("", [UserMessage("go")]), MessageAssembler(model)
    async with aclosing(stream_function(api)(model, context, StreamOptions(), assembler)) as stream:  # type: ignore[type-var]
        async for _ in stream:
            break
    while not (finished := fake_llm.requests()):
        await asyncio.sleep(0)
    assert finished[0]["end"] == "client_closed"


@pytest.mark.parametrize(
    ("response", "kind"),
    [
        ({"error": "rate_limit"}, ErrorKind.RATE_LIMIT),
        ({"error": "quota"}, ErrorKind.QUOTA),
        ({"error": "overloaded"}, ErrorKind.OVERLOADED),
        ({"error": "server"}, ErrorKind.OVERLOADED),
        ({"error": "unavailable"}, ErrorKind.OVERLOADED),
        ({"error": "html"}, ErrorKind.OVERLOADED),
        ({"error": "auth"}, ErrorKind.AUTHENTICATION),
        ({"error": "overflow"}, ErrorKind.CONTEXT_OVERFLOW),
        ({"error": "too_large"}, ErrorKind.CONTEXT_OVERFLOW),
        ({"error": "bad_request"}, ErrorKind.INVALID_REQUEST),
        ({"text": "abcdefgh", "stop": "filter"}, ErrorKind.CONTENT_FILTER),
        ({"text": "abcdefgh", "disconnect_after": 1, "disconnect_mode": "rst"}, ErrorKind.NETWORK),
        ({"text": "abcdefgh", "disconnect_after": 1, "disconnect_mode": "fin"}, ErrorKind.NETWORK),
        ({"text": "abcdefgh", "disconnect_after": 1, "disconnect_mode": "clean"}, ErrorKind.NETWORK),
        ({"text": "abcdefgh", "garbage_after": 1}, ErrorKind.NETWORK),
        ({"text": "abcdefgh", "sse_error_after": 1}, ErrorKind.OVERLOADED),
        ({"text": "a", "sse_error_after": 0, "sse_error": "rate_limit_error"}, ErrorKind.RATE_LIMIT),
        (
            {"text": "a", "sse_error_after": 0, "sse_error": "x", "message": "prompt too long"},
            ErrorKind.CONTEXT_OVERFLOW,
        ),
        (
            {"status": 200, "body": {"error": {"message": "no", "type": "overloaded_error"}}},
            ErrorKind.OVERLOADED,
        ),
        (
            {"status": 200, "body": "<html><title>Log in</title>", "headers": {"content-type": "text/html"}},
            ErrorKind.OVERLOADED,
        ),
        ({"text": ""}, ErrorKind.OVERLOADED),
    ],
    ids=str,
)
async def test_bad_days_are_sorted(fake_llm: FakeLLM, api: str, response: dict, kind: ErrorKind) -> None:
    fake_llm.push({"usage": {"output": 0}, **response})
    with pytest.raises(ProviderError) as caught:
        await respond(model_at(fake_llm.base_url, api))
    assert caught.value.kind is kind, caught.value
    assert "<" not in caught.value.message
    assert fake_llm.state()["requests"] == 1, "the SDK must not retry: the loop does"


async def test_a_server_that_falls_silent_is_a_network_error(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "abcdefgh", "hang_after": 1})
    with pytest.raises(ProviderError, match=r"No answer.* in time") as caught:
        await respond(model_at(fake_llm.base_url, api), idle_timeout=0.2)
    assert caught.value.kind is ErrorKind.NETWORK


async def test_a_server_that_is_not_there_is_a_network_error(api: str) -> None:
    with pytest.raises(ProviderError, match=r"connection to 127\.0\.0\.1 failed") as caught:
        await respond(model_at("http://127.0.0.1:9/v1", api))
    assert caught.value.kind is ErrorKind.NETWORK


async def test_how_long_to_wait_is_passed_on(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"error": "rate_limit", "retry_after": 7})
    with pytest.raises(ProviderError) as caught:
        await respond(model_at(fake_llm.base_url, api))
    assert caught.value.retry_after == 7


async def test_a_key_in_a_refusal_is_hidden(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"error": "auth", "message": "Incorrect API key provided: topsecret-key-1."})
    with pytest.raises(ProviderError) as caught:
        await respond(model_at(fake_llm.base_url, api), api_key="topsecret-key-1")
    assert "topsecret" not in caught.value.message
    assert "Incorrect API key" in caught.value.message


async def test_a_key_that_comes_back_inside_a_stream_is_hidden(fake_llm: FakeLLM, api: str) -> None:
    secret = "tenant-secret"
    fake_llm.push({"text": "abcdefgh", "sse_error_after": 1, "message": f"no such tenant: {secret}"})
    with pytest.raises(ProviderError, match="no such tenant") as caught:
        await respond(model_at(fake_llm.base_url, api), headers={"X-Tenant": secret})
    assert secret not in "".join(traceback.format_exception(caught.value))


async def test_a_key_with_a_line_break_is_a_key_problem(fake_llm: FakeLLM, api: str) -> None:
    key = "topsecret-key-1\nx"
    with pytest.raises(ProviderError) as caught:
        await respond(model_at(fake_llm.base_url, api), api_key=key)
    assert caught.value.kind is ErrorKind.AUTHENTICATION
    assert "topsecret" not in "".join(traceback.format_exception(caught.value))


async def test_one_connection_serves_a_conversation(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "a"}, {"text": "b"})
    model = model_at(fake_llm.base_url, api)
    await respond(model)
    await respond(model)
    first, second = (request["client"] for request in fake_llm.requests())
    assert first == second


async def test_lone_surrogates_do_not_stop_a_request(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "fine"})
    call = AssistantMessage([ToolCall("c", "read", {"path": "\udce9"})], stop_reason="toolUse")
    received = await respond(model_at(fake_llm.base_url, api), "a\ud83d", call, system="s\udc00")
    assert received.message.text == "fine"


async def test_headers_of_model_and_request_are_sent(fake_llm: FakeLLM, api: str) -> None:
    fake_llm.push({"text": "a"})
    await respond(model_at(fake_llm.base_url, api, headers={"X-One": "1"}), headers={"X-Two": "2"})
    sent = {name.lower(): value for name, value in fake_llm.requests()[0]["headers"].items()}
    assert (sent["x-one"], sent["x-two"]) == ("1", "2")


@pytest.mark.parametrize("bearer", [False, True])
async def test_the_key_is_sent_in_the_header_the_server_knows(
    fake_llm: FakeLLM, api: str, bearer: bool
) -> None:
    fake_llm.push({"text": "a"})
    await respond(model_at(fake_llm.base_url, api, auth_header=bearer), api_key="the-key")
    sent = {name.lower(): value for name, value in fake_llm.requests()[0]["headers"].items()}
    in_own_header = api == "anthropic-messages" and not bearer
    assert sent.get("x-api-key") == ("the-key" if in_own_header else None)
    assert sent.get("authorization") == (None if in_own_header else "Bearer the-key")


async def test_keys_of_the_environment_go_nowhere_by_themselves(
    fake_llm: FakeLLM, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "not-for-you")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "not-for-you")
    monkeypatch.setenv("ANTHROPIC_AUTH_TOKEN", "not-for-you")
    fake_llm.push({"text": "a"})
    await respond(model_at(fake_llm.base_url, api), api_key=None)
    assert "not-for-you" not in str(fake_llm.requests()[0]["headers"])


async def test_a_proxy_is_used_for_others_and_not_for_this_machine(
    fake_llm: FakeLLM, api: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://127.0.0.1:9")
    fake_llm.push({"text": "direct"})
    assert (await respond(model_at(fake_llm.base_url, api))).message.text == "direct"
    fake_llm.push({"text": "by proxy"})
    received = await respond(model_at("http://models.example/v1", api), proxy=fake_llm.url)
    assert received.message.text == "by proxy"
    assert fake_llm.requests()[-1]["path"].startswith("http://models.example/v1/")
