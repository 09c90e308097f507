import pytest

from pi_tui.llm.messages import (
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
from pi_tui.llm.wires.responses_request import request_body, request_headers

TOOLS = [ToolSpec("read", "Reads.", {"type": "object", "properties": {}})]
OPENAI = "https://api.openai.com/v1"
SEALED = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"}'


def model(base_url: str = OPENAI, **fields: object) -> Model:
    return Model(**{"id": "m", "provider": "p", "api": "openai-responses", "base_url": base_url, **fields})  # type: ignore[arg-type]


def body(given: Model, *messages: object, tools: list[ToolSpec] = TOOLS, **options: object) -> dict:
    history = to_wire(list(messages) or [UserMessage("hello")], given)  # type: ignore[arg-type]
    return request_body(given, Context("Be brief.", history, tools), StreamOptions(**options))  # type: ignore[arg-type]


def said(*blocks: object, stop: str = "toolUse", **fields: str) -> AssistantMessage:
    origin = {"api": "openai-responses", "provider": "p", "model": "m", **fields}
    return AssistantMessage(list(blocks), stop_reason=stop, **origin)  # type: ignore[arg-type]


CALL = ToolCall("call_1|fc_1", "read", {"path": "a"})
RESULT = ToolResultMessage("call_1|fc_1", "read", [TextContent("x")], False)
TEXT = TextContent("I read.", '{"v":1,"id":"msg_1","phase":"commentary"}')


def test_nothing_is_stored_there_and_reasoning_comes_back_sealed() -> None:
    sent = body(model(reasoning=True), thinking_level="high", session_id="s1")
    assert sent["store"] is False
    assert sent["include"] == ["reasoning.encrypted_content"]
    assert sent["reasoning"] == {"effort": "high", "summary": "auto"}
    assert sent["prompt_cache_key"] == "s1"
    assert sent["input"] == [
        {"role": "developer", "content": "Be brief."},
        {"role": "user", "content": [{"type": "input_text", "text": "hello"}]},
    ]
    assert sent["tools"][0]["strict"] is False


def test_a_model_that_does_not_think_is_not_asked_to() -> None:
    sent = body(model(), thinking_level="high")
    assert "reasoning" not in sent
    assert "include" not in sent
    assert sent["input"][0]["role"] == "system"


def test_items_of_the_same_model_go_back_as_they_came() -> None:
    items = body(
        model(reasoning=True), UserMessage("go"), said(ThinkingContent("", SEALED), TEXT, CALL), RESULT
    )
    thought, message, call, output = items["input"][2:]
    assert (thought["id"], thought["encrypted_content"]) == ("rs_1", "sealed")
    assert (message["id"], message["phase"]) == ("msg_1", "commentary")
    assert (call["id"], call["call_id"]) == ("fc_1", "call_1")
    assert output == {"type": "function_call_output", "call_id": "call_1", "output": "x"}


@pytest.mark.parametrize(
    "answer",
    [
        said(ThinkingContent("hm", SEALED), TEXT, CALL, model="another"),
        said(ThinkingContent("hm", "sig"), TEXT, CALL, api="anthropic-messages"),
        said(ThinkingContent("hm", SEALED), TEXT, CALL, stop="aborted"),
        said(ThinkingContent("hm", '{"type":"reasoning","id":"rs_1","summary":[]}'), TEXT, CALL),
        said(ThinkingContent("hm"), TEXT, CALL),
    ],
    ids=["another model", "another service", "cut off", "not sealed", "not signed"],
)
def test_without_its_reasoning_no_item_goes_by_its_id(answer: AssistantMessage) -> None:
    items = body(model(reasoning=True), UserMessage("go"), answer, RESULT)["input"][2:]
    assert [item["type"] for item in items] == ["message", "message", "function_call", "function_call_output"]
    assert not any("id" in item for item in items)
    assert items[0]["content"][0]["text"] == "hm"
    assert items[-2]["call_id"] == items[-1]["call_id"] == "call_1"


def test_reasoning_without_what_followed_it_is_left_out() -> None:
    history = [UserMessage("go"), said(TEXT, ThinkingContent("hm", SEALED), stop="stop"), UserMessage("and?")]
    kinds = [item.get("type", item.get("role")) for item in body(model(reasoning=True), *history)["input"]]
    assert kinds == ["developer", "user", "message", "user"]


def test_an_image_in_a_result_stays_in_it() -> None:
    result = ToolResultMessage("call_1|fc_1", "read", [ImageContent("QUJD", "image/png")], False)
    sent = body(model(input=("text", "image")), UserMessage("go"), said(CALL), result)["input"][-1]
    assert sent["output"] == [
        {"type": "input_image", "detail": "auto", "image_url": "data:image/png;base64,QUJD"}
    ]


def test_switches_of_models_json() -> None:
    assert "max_output_tokens" not in body(model(compat={"supportsMaxOutputTokens": False}))
    assert "strict" not in body(model(compat={"supportsStrictMode": False}))["tools"][0]
    plain = body(model(reasoning=True, compat={"supportsDeveloperRole": False}))
    assert plain["input"][0]["role"] == "system"
    assert "prompt_cache_key" not in body(model(compat={"promptCacheKeyMode": "disabled"}), session_id="s")
    assert body(model(sampling_params={"top_p": 0.5}))["top_p"] == 0.5


def test_a_level_is_sent_in_the_providers_words() -> None:
    mapped = model(reasoning=True, thinking_level_map={"off": "none", "minimal": None, "xhigh": "xhigh"})
    assert body(mapped, thinking_level="off")["reasoning"] == {"effort": "none"}
    assert body(mapped, thinking_level="max")["reasoning"]["effort"] == "xhigh"
    assert "reasoning" not in body(model(reasoning=True), thinking_level="off")


def test_the_servers_learn_which_session_it_is() -> None:
    options = StreamOptions(session_id="s1")
    assert request_headers(model(), options) == {"session-id": "s1", "x-client-request-id": "s1"}
    assert request_headers(model("http://127.0.0.1:8080/v1"), options) == {}
    assert request_headers(model(compat={"sessionAffinityFormat": "openrouter"}), options) == {
        "x-session-id": "s1"
    }
