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
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires.openai_request import request_body, request_headers

TOOLS = [ToolSpec("read", "Reads.", {"type": "object", "properties": {}})]
OPENAI = "https://api.openai.com/v1"
OPENROUTER = "https://openrouter.ai/api/v1"


def model(base_url: str = "http://127.0.0.1:8080/v1", **fields: object) -> Model:
    return Model(**{"id": "m", "provider": "p", "api": "openai-completions", "base_url": base_url, **fields})  # type: ignore[arg-type]


def body(given: Model, *messages: object, tools: list[ToolSpec] = TOOLS, **options: object) -> dict:
    context = Context("Be brief.", list(messages) or [UserMessage("hello")], tools)  # type: ignore[arg-type]
    return request_body(given, context, StreamOptions(**options))  # type: ignore[arg-type]


def after_call(*results: ToolResultMessage) -> list[object]:
    calls = [ToolCall(result.tool_call_id, "read", {"path": "a"}) for result in results]
    return [UserMessage("go"), AssistantMessage(list(calls)), *results]


def test_a_plain_server_gets_plain_fields() -> None:
    sent = body(model(reasoning=True), thinking_level="high")
    assert sent["messages"] == [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "hello"},
    ]
    assert sent["max_tokens"] == 16_384
    assert sent["reasoning_effort"] == "high"
    assert sent["stream_options"] == {"include_usage": True}
    assert "store" not in sent


def test_openai_itself_gets_what_only_it_knows() -> None:
    sent = body(model(OPENAI, reasoning=True), session_id="s1")
    assert sent["messages"][0]["role"] == "developer"
    assert sent["max_completion_tokens"] == 16_384
    assert "max_tokens" not in sent
    assert (sent["store"], sent["prompt_cache_key"]) == (False, "s1")


def test_images_of_results_follow_in_a_user_message_with_what_is_said_next() -> None:
    image = ImageContent("QUJD", "image/png")
    results = [
        ToolResultMessage("a", "read", [image], False),
        ToolResultMessage("b", "read", [TextContent("x")], False),
    ]
    sent = body(model(input=("text", "image")), *after_call(*results), UserMessage("and?"))["messages"]
    assert [message["role"] for message in sent] == ["system", "user", "assistant", "tool", "tool", "user"]
    kinds = [part["type"] for part in sent[-1]["content"]]
    assert kinds == ["text", "image_url", "text"]
    assert sent[-1]["content"][1]["image_url"]["url"] == "data:image/png;base64,QUJD"
    assert sent[3]["content"]


def test_two_user_messages_in_a_row_are_one() -> None:
    sent = body(model(), UserMessage("one"), UserMessage([TextContent("two")]))["messages"]
    assert sent[1:] == [{"role": "user", "content": "one\n\ntwo"}]


@pytest.mark.parametrize("field", ["reasoning_content", "reasoning", "reasoning_text"])
def test_thinking_goes_back_under_the_name_it_came(field: str) -> None:
    thought = AssistantMessage([ThinkingContent("hm", field), TextContent("yes")])
    assert body(model(), UserMessage("go"), thought)["messages"][-1] == {
        "role": "assistant",
        field: "hm",
        "content": "yes",
    }


def test_switches_of_models_json_for_the_history() -> None:
    history = [*after_call(ToolResultMessage("a", "read", [TextContent("x")], False)), UserMessage("and?")]
    named = body(model(compat={"requiresToolResultName": True}), *history)["messages"]
    assert named[3]["name"] == "read"
    between = body(model(compat={"requiresAssistantAfterToolResult": True}), *history)["messages"]
    assert [message["role"] for message in between][-3:] == ["tool", "assistant", "user"]
    filled = body(model(compat={"requiresNonNullAssistantContent": True}), *history)["messages"]
    assert filled[2]["content"] == ""
    assert body(model(), *history)["messages"][2]["content"] is None
    assert body(model(compat={"requiresToolsWithToolHistory": True}), *history, tools=[])["tools"] == []
    assert "tools" not in body(model(), *history, tools=[])


def test_thinking_as_text() -> None:
    thought = AssistantMessage([ThinkingContent("hm", "reasoning"), TextContent("yes")])
    sent = body(model(compat={"requiresThinkingAsText": True}), UserMessage("go"), thought)["messages"][-1]
    assert sent == {"role": "assistant", "content": "<thinking>\nhm\n</thinking>\nyes"}


def test_switches_of_models_json_for_the_request() -> None:
    sent = body(model(compat={"supportsUsageInStreaming": False, "maxTokensField": "max_completion_tokens"}))
    assert "stream_options" not in sent
    assert "max_completion_tokens" in sent
    assert body(model(compat={"vllmPriority": 3}))["priority"] == 3
    assert body(model(OPENROUTER, compat={"openRouterRouting": {"only": ["x"]}}))["provider"] == {
        "only": ["x"]
    }
    assert body(model(sampling_params={"top_k": 20}))["top_k"] == 20
    by_level = {"off": {"top_k": 1}, "high": {"top_p": 0.5}}
    sampled = model(reasoning=True, sampling_params={"top_k": 20}, sampling_params_by_thinking_level=by_level)
    assert body(sampled, thinking_level="off")["top_k"] == 1
    high = body(sampled, thinking_level="high")
    assert (high["top_k"], high["top_p"]) == (20, 0.5)


@pytest.mark.parametrize(
    ("style", "on", "off"),
    [
        ("openai", {"reasoning_effort": "low"}, {}),
        ("openrouter", {"reasoning": {"effort": "low"}}, {"reasoning": {"effort": "none"}}),
        (
            "deepseek",
            {"thinking": {"type": "enabled"}, "reasoning_effort": "low"},
            {"thinking": {"type": "disabled"}},
        ),
        ("zai", {"thinking": {"type": "enabled"}}, {"thinking": {"type": "disabled"}}),
        (
            "together",
            {"reasoning": {"enabled": True}, "reasoning_effort": "low"},
            {"reasoning": {"enabled": False}},
        ),
        ("qwen", {"enable_thinking": True}, {"enable_thinking": False}),
        (
            "qwen-chat-template",
            {"chat_template_kwargs": {"enable_thinking": True, "preserve_thinking": True}},
            {"chat_template_kwargs": {"enable_thinking": False, "preserve_thinking": True}},
        ),
        ("ant-ling", {"reasoning": {"effort": "low"}}, {}),
    ],
)
def test_each_server_is_told_in_its_own_way_how_much_to_think(style: str, on: dict, off: dict) -> None:
    thinker = model(reasoning=True, compat={"thinkingFormat": style})
    plain = set(body(model(compat={"thinkingFormat": style}), thinking_level="low"))
    for level, expected in (("low", on), ("off", off)):
        sent = body(thinker, thinking_level=level)
        assert {key: value for key, value in sent.items() if key not in plain} == expected


def test_template_arguments_are_filled_in() -> None:
    template = {"think": {"$var": "thinking.enabled"}, "budget": {"$var": "thinking.budget"}, "fixed": 1}
    compat = {"thinkingFormat": "chat-template", "chatTemplateKwargs": template}
    sent = body(model(reasoning=True, compat=compat), thinking_level="low")
    assert sent["chat_template_kwargs"] == {"think": True, "fixed": 1}


def test_levels_are_sent_in_the_providers_words() -> None:
    mapped = model(reasoning=True, thinking_level_map={"off": "none", "minimal": None, "xhigh": "ultra"})
    assert body(mapped, thinking_level="off")["reasoning_effort"] == "none"
    assert body(mapped, thinking_level="xhigh")["reasoning_effort"] == "ultra"
    assert body(mapped, thinking_level="minimal")["reasoning_effort"] == "none"


def test_claude_behind_openrouter_gets_cache_marks() -> None:
    sent = body(model(OPENROUTER, id="anthropic/claude-x"))
    marked = {"type": "text", "text": "hello", "cache_control": {"type": "ephemeral"}}
    assert sent["messages"][-1]["content"] == [marked]
    assert sent["messages"][0]["content"][0]["cache_control"]
    assert "cache_control" not in str(body(model(OPENROUTER, id="anthropic/claude-x"), cache=False))


def test_gemini_gets_the_signature_of_a_call_back() -> None:
    call = AssistantMessage([ToolCall("a", "read", {}, thought_signature="sig")])
    result = ToolResultMessage("a", "read", [TextContent("x")], False)
    sent = body(model(), UserMessage("go"), call, result)["messages"][2]["tool_calls"][0]
    assert sent["extra_content"] == {"google": {"thought_signature": "sig"}}


def test_a_gateway_learns_which_session_it_is() -> None:
    options = StreamOptions(session_id="s1")
    assert request_headers(model(OPENROUTER), options) == {"x-session-id": "s1"}
    assert request_headers(model(), options) == {}
