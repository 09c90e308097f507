import pytest

from pi_tui.llm.messages import (
    AssistantMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires.anthropic_request import request_body, request_headers

SCHEMA = {"type": "object", "properties": {}}
TOOLS = [ToolSpec("read", "Reads.", SCHEMA), ToolSpec("bash", "Runs.", SCHEMA)]
MARK = {"type": "ephemeral"}


def model(**fields: object) -> Model:
    given = {"id": "claude", "provider": "anthropic", "api": "anthropic-messages", "context_window": 200_000}
    return Model(**{**given, "max_tokens": 32_000, **fields})  # type: ignore[arg-type]


def body(claude: Model, *messages: object, **options: object) -> dict:
    context = Context("Be brief.", list(messages) or [UserMessage("hello")], TOOLS)  # type: ignore[arg-type]
    return request_body(claude, context, StreamOptions(**options))  # type: ignore[arg-type]


def test_system_last_tool_and_last_user_message_are_marked_for_the_cache() -> None:
    sent = body(model(), UserMessage("one"), AssistantMessage([TextContent("two")]), UserMessage("three"))
    assert sent["system"] == [{"type": "text", "text": "Be brief.", "cache_control": MARK}]
    assert [tool.get("cache_control") for tool in sent["tools"]] == [None, MARK]
    assert [turn["content"][-1].get("cache_control") for turn in sent["messages"]] == [None, None, MARK]


def test_a_summary_request_writes_no_cache() -> None:
    assert "cache_control" not in str(body(model(), cache=False))


def test_the_cache_lasts_an_hour_if_asked_to(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CACHE_RETENTION", "long")
    assert body(model())["system"][0]["cache_control"] == {"type": "ephemeral", "ttl": "1h"}
    short = model(compat={"supportsLongCacheRetention": False})
    assert body(short)["system"][0]["cache_control"] == MARK


def test_results_of_parallel_calls_and_the_next_words_are_one_user_message() -> None:
    calls = AssistantMessage([ToolCall("a", "read", {}), ToolCall("b", "read", {})])
    results = [ToolResultMessage(one, "read", [TextContent(one)], one == "b") for one in "ab"]
    turns = body(model(), UserMessage("go"), calls, *results, UserMessage("and?"), cache=False)["messages"]
    assert [turn["role"] for turn in turns] == ["user", "assistant", "user"]
    assert turns[-1]["content"] == [
        {"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "a"}]},
        {
            "type": "tool_result",
            "tool_use_id": "b",
            "content": [{"type": "text", "text": "b"}],
            "is_error": True,
        },
        {"type": "text", "text": "and?"},
    ]


@pytest.mark.parametrize(
    ("level", "budget"), [("minimal", 1024), ("low", 2048), ("medium", 8192), ("high", 16_384)]
)
def test_thinking_has_a_budget_per_level(level: str, budget: int) -> None:
    thinking = body(model(reasoning=True), thinking_level=level)["thinking"]
    assert (thinking["type"], thinking["budget_tokens"]) == ("enabled", budget)


def test_the_budget_leaves_room_for_the_answer() -> None:
    sent = body(model(reasoning=True, max_tokens=4096), thinking_level="high")
    assert sent["thinking"]["budget_tokens"] == 4096 - 1024
    assert "thinking" not in body(model(reasoning=True, max_tokens=1500), thinking_level="high")


def test_budgets_of_the_settings_count() -> None:
    sent = body(model(reasoning=True), thinking_level="low", thinking_budgets={"low": 5000})
    assert sent["thinking"]["budget_tokens"] == 5000


def test_no_thinking_is_asked_of_a_model_that_has_none() -> None:
    assert "thinking" not in body(model(), thinking_level="high")
    assert "thinking" not in body(model(reasoning=True), thinking_level="off")


def test_adaptive_models_get_an_effort() -> None:
    adaptive = model(
        reasoning=True, compat={"forceAdaptiveThinking": True}, thinking_level_map={"max": "max"}
    )
    sent = body(adaptive, thinking_level="medium")
    assert (sent["thinking"]["type"], sent["output_config"]) == ("adaptive", {"effort": "medium"})
    assert body(adaptive, thinking_level="max")["output_config"] == {"effort": "max"}
    assert body(adaptive, thinking_level="off")["thinking"] == {"type": "disabled"}


def test_a_model_that_always_thinks_is_never_told_not_to() -> None:
    always = model(reasoning=True, compat={"forceAdaptiveThinking": True}, thinking_level_map={"off": None})
    assert body(always, thinking_level="off")["thinking"]["type"] == "adaptive"


def test_a_temperature_is_left_out_where_it_is_refused() -> None:
    assert body(model(), temperature=0.2)["temperature"] == 0.2
    assert "temperature" not in body(model(reasoning=True), temperature=0.2, thinking_level="low")
    assert "temperature" not in body(model(compat={"supportsTemperature": False}), temperature=0.2)


def test_tool_arguments_stream_eagerly() -> None:
    assert all(tool["eager_input_streaming"] for tool in body(model())["tools"])
    older = model(compat={"supportsEagerToolInputStreaming": False})
    assert not any("eager_input_streaming" in tool for tool in body(older)["tools"])
    headers = request_headers(older, Context("", [], TOOLS), StreamOptions())
    assert headers == {"anthropic-beta": "fine-grained-tool-streaming-2025-05-14"}


def test_the_output_limit_fits_the_window() -> None:
    small = model(context_window=8000, max_tokens=8000)
    assert body(small)["max_tokens"] < 8000
    full = body(small, UserMessage("word " * 8000))
    assert full["max_tokens"] == 1024
