"""Every switch of models.json's `compat`: what it changes in a request, or that it is refused with a reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from pi_tui.llm.compat_check import SWITCHES, WITHOUT_EFFECT, check
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.models_file import ModelsFile
from pi_tui.llm.replay import to_wire
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires import anthropic_request, openai_request, responses_request
from tests.support.responses import READ

CALLED: list[AgentMessage] = [
    UserMessage("go"),
    AssistantMessage(
        [ThinkingContent("hm", "reasoning_content"), ToolCall("c1", "read", {"path": "a"})],
        api="openai-completions",
        provider="p",
        model="m",
        stop_reason="toolUse",
    ),
    ToolResultMessage("c1", "read", [TextContent("x")], False),
    UserMessage("and?"),
]
PLAIN: list[AgentMessage] = [UserMessage("hello")]
EVERY = {"session_id": "s1", "thinking_level": "high", "thinking_budgets": {"high": 5000}, "temperature": 0.5}


def sent(api: str, compat: dict[str, Any], history: list[AgentMessage], **options: Any) -> dict[str, Any]:
    """The request and its headers, as one object."""
    fields = {
        "tools": [READ],
        "reasoning": True,
        "base_url": "http://10.0.0.1/v1",
        **options.pop("model", {}),
    }
    tools = fields.pop("tools")
    model = Model(id="m", provider="p", api=api, compat=compat, **fields)
    context, given = (
        Context("Be brief.", to_wire(history, model), tools),
        StreamOptions(**{**EVERY, **options}),
    )
    match api:
        case "anthropic-messages":
            body = anthropic_request.request_body(model, context, given)
            headers = anthropic_request.request_headers(model, context, given)
        case "openai-completions":
            body = openai_request.request_body(model, context, given)
            headers = openai_request.request_headers(model, given)
        case _:
            body = responses_request.request_body(model, context, given)
            headers = responses_request.request_headers(model, given)
    return json.loads(json.dumps({**body, "headers": headers}))


def at(request: Any, path: str) -> Any:
    """The value at a dotted path; None where there is none."""
    for part in path.split("."):
        if isinstance(request, list):
            request = request[int(part)] if int(part) < len(request) else None
        else:
            request = request.get(part) if isinstance(request, dict) else None
    return request


MARK = {"type": "ephemeral"}
HOUR = {"type": "ephemeral", "ttl": "1h"}
LONG = {"PI_CACHE_RETENTION": "long"}
COMPLETIONS: list[tuple[str, Any, str, Any, Any, dict[str, Any]]] = [
    ("supportsStore", True, "store", None, False, {}),
    ("supportsDeveloperRole", True, "messages.0.role", "system", "developer", {}),
    ("supportsReasoningEffort", False, "reasoning_effort", "high", None, {}),
    ("supportsUsageInStreaming", False, "stream_options", {"include_usage": True}, None, {}),
    ("maxTokensField", "max_completion_tokens", "max_completion_tokens", None, 16_384, {}),
    ("requiresToolResultName", True, "messages.3.name", None, "read", {}),
    ("requiresAssistantAfterToolResult", True, "messages.4.role", "user", "assistant", {}),
    ("requiresNonNullAssistantContent", True, "messages.2.content", None, "", {}),
    ("requiresToolsWithToolHistory", True, "tools", None, [], {"model": {"tools": []}}),
    ("requiresThinkingAsText", True, "messages.2.content", None, "<thinking>\nhm\n</thinking>\n", {}),
    (
        "requiresReasoningContentOnAssistantMessages",
        True,
        "messages.2.reasoning_content",
        None,
        "",
        {"history": [CALLED[0], AssistantMessage([TextContent("x")], "a", "b", "c"), CALLED[3]]},
    ),
    ("thinkingFormat", "openai", "reasoning_effort", "high", "high", {}),
    ("thinkingFormat", "openrouter", "reasoning", None, {"effort": "high"}, {}),
    ("thinkingFormat", "deepseek", "thinking", None, {"type": "enabled"}, {}),
    ("thinkingFormat", "together", "reasoning", None, {"enabled": True}, {}),
    ("thinkingFormat", "baseten", "chat_template_args", None, {}, {}),
    ("thinkingFormat", "zai", "thinking", None, {"type": "enabled"}, {}),
    ("thinkingFormat", "qwen", "enable_thinking", None, True, {}),
    ("thinkingFormat", "chat-template", "chat_template_kwargs", None, {}, {}),
    ("thinkingFormat", "qwen-chat-template", "chat_template_kwargs.enable_thinking", None, True, {}),
    ("thinkingFormat", "string-thinking", "thinking", None, "high", {}),
    ("thinkingFormat", "ant-ling", "reasoning", None, {"effort": "high"}, {}),
    (
        "chatTemplateKwargs",
        {"think": {"$var": "thinking.enabled"}, "n": {"$var": "thinking.budget"}, "x": 1},
        "chat_template_kwargs",
        {},
        {"think": True, "n": 5000, "x": 1},
        {"besides": {"thinkingFormat": "chat-template"}},
    ),
    (
        "chatTemplateArgs",
        {"effort": {"$var": "thinking.effort"}},
        "chat_template_args",
        {},
        {"effort": "high"},
        {"besides": {"thinkingFormat": "baseten"}},
    ),
    ("openRouterRouting", {"only": ["a"]}, "provider", None, {"only": ["a"]}, {}),
    ("vercelGatewayRouting", {"only": ["a"]}, "providerOptions", None, {"gateway": {"only": ["a"]}}, {}),
    ("zaiToolStream", True, "tool_stream", None, True, {}),
    ("thinkingTokenBudgetField", "thinking_budget", "thinking_budget", None, 5000, {}),
    ("supportsThinkingTokenBudget", True, "thinking_token_budget", None, 5000, {}),
    ("supportsStrictMode", True, "tools.0.function.strict", None, False, {}),
    ("cacheControlFormat", "anthropic", "messages.0.content.0.cache_control", None, MARK, {}),
    ("cacheControlFormat", "anthropic", "tools.0.cache_control", None, MARK, {}),
    ("sendSessionAffinityHeaders", True, "headers.x-session-affinity", None, "s1", {}),
    (
        "sessionAffinityFormat",
        "openrouter",
        "headers",
        {"session_id": "s1", "x-client-request-id": "s1", "x-session-affinity": "s1"},
        {"x-session-id": "s1"},
        {"besides": {"sendSessionAffinityHeaders": True}},
    ),
    (
        "sessionAffinityFormat",
        "openai-nosession",
        "headers.session_id",
        "s1",
        None,
        {"besides": {"sendSessionAffinityHeaders": True}},
    ),
    ("promptCacheKeyMode", "enabled", "prompt_cache_key", None, "s1", {}),
    (
        "promptCacheKeyMode",
        "disabled",
        "prompt_cache_key",
        "s1",
        None,
        {"model": {"base_url": "https://api.openai.com/v1"}},
    ),
    ("supportsLongCacheRetention", True, "prompt_cache_retention", None, "24h", {"environ": LONG}),
    (
        "supportsLongCacheRetention",
        True,
        "tools.0.cache_control",
        MARK,
        HOUR,
        {"environ": LONG, "besides": {"cacheControlFormat": "anthropic"}},
    ),
    ("vllmPriority", -5, "priority", None, -5, {}),
]
RESPONSES: list[tuple[str, Any, str, Any, Any, dict[str, Any]]] = [
    ("supportsDeveloperRole", False, "input.0.role", "developer", "system", {}),
    ("sessionAffinityFormat", "openai", "headers", {}, {"session-id": "s1", "x-client-request-id": "s1"}, {}),
    ("sessionAffinityFormat", "openai-nosession", "headers", {}, {"x-client-request-id": "s1"}, {}),
    ("sessionAffinityFormat", "openrouter", "headers", {}, {"x-session-id": "s1"}, {}),
    ("promptCacheKeyMode", "disabled", "prompt_cache_key", "s1", None, {}),
    ("promptCacheKeyMode", "enabled", "prompt_cache_key", "s1", "s1", {}),
    ("supportsLongCacheRetention", False, "prompt_cache_retention", "24h", None, {"environ": LONG}),
    ("supportsStrictMode", False, "tools.0.strict", False, None, {}),
    (
        "supportsExplicitPromptCacheMode",
        True,
        "prompt_cache_options",
        None,
        {"ttl": "30m"},
        {"environ": LONG},
    ),
    ("supportsMaxOutputTokens", False, "max_output_tokens", 16_384, None, {}),
]
ANTHROPIC: list[tuple[str, Any, str, Any, Any, dict[str, Any]]] = [
    ("supportsEagerToolInputStreaming", False, "tools.0.eager_input_streaming", True, None, {}),
    (
        "supportsEagerToolInputStreaming",
        False,
        "headers.anthropic-beta",
        None,
        "fine-grained-tool-streaming-2025-05-14",
        {"model": {"reasoning": False}},
    ),
    ("supportsLongCacheRetention", False, "system.0.cache_control", HOUR, MARK, {"environ": LONG}),
    ("sendSessionAffinityHeaders", True, "headers.x-session-affinity", None, "s1", {}),
    (
        "sessionAffinityFormat",
        "openrouter",
        "headers.x-session-id",
        None,
        "s1",
        {"besides": {"sendSessionAffinityHeaders": True}},
    ),
    ("supportsCacheControlOnTools", False, "tools.0.cache_control", MARK, None, {}),
    ("supportsTemperature", False, "temperature", 0.5, None, {"thinking_level": "off"}),
    ("forceAdaptiveThinking", True, "thinking.type", "enabled", "adaptive", {}),
    ("allowEmptySignature", True, "messages.1.content.0.type", "text", "thinking", {}),
]
TABLE = [
    pytest.param(api, *row, id=f"{api}-{row[0]}-{row[1]}-{row[2]}")
    for api, rows in (
        ("openai-completions", COMPLETIONS),
        ("openai-responses", RESPONSES),
        ("anthropic-messages", ANTHROPIC),
    )
    for row in rows
]
UNSIGNED: list[AgentMessage] = [
    UserMessage("go"),
    AssistantMessage(
        [ThinkingContent("hm", ""), TextContent("x")], api="anthropic-messages", provider="p", model="m"
    ),
    UserMessage("and?"),
]


@pytest.mark.parametrize(("api", "switch", "value", "path", "usual", "changed", "more"), TABLE)
def test_a_switch_changes_the_request(
    monkeypatch: pytest.MonkeyPatch,
    api: str,
    switch: str,
    value: Any,
    path: str,
    usual: Any,
    changed: Any,
    more: dict[str, Any],
) -> None:
    more = dict(more)
    for name, given in more.pop("environ", {}).items():
        monkeypatch.setenv(name, given)
    besides = more.pop("besides", {})
    history = more.pop("history", UNSIGNED if switch == "allowEmptySignature" else CALLED)
    assert check({switch: value}, api) == ({switch: value}, {})
    assert at(sent(api, besides, history, **more), path) == usual
    assert at(sent(api, {**besides, switch: value}, history, **more), path) == changed


READ_FROM_THE_ANSWER = {("openai-completions", "supportsFinishReason")}
"""Pinned in test_openai_dialects.py."""


def test_the_table_has_every_switch() -> None:
    tested = {(row.values[0], row.values[1]) for row in TABLE} | READ_FROM_THE_ANSWER
    assert tested == {(api, switch) for api, switches in SWITCHES.items() for switch in switches}


def test_every_way_to_ask_for_thinking_is_in_the_table() -> None:
    import typing

    formats = typing.get_args(SWITCHES["openai-completions"]["thinkingFormat"])
    assert {row[1] for row in COMPLETIONS if row[0] == "thinkingFormat"} == set(formats)


@pytest.mark.parametrize(
    ("api", "switch"), [(api, one) for api in WITHOUT_EFFECT for one in sorted(WITHOUT_EFFECT[api])]
)
def test_a_switch_without_effect_says_so_unless_it_is_off(api: str, switch: str) -> None:
    good, wrong = check({switch: True}, api)
    assert good == {}
    assert "has no effect" in wrong[switch]
    assert check({switch: False}, api)[1] == {}


@pytest.mark.parametrize(
    ("api", "given", "said"),
    [
        ("openai-completions", {"supportStore": True}, "is supportsStore meant?"),
        ("openai-completions", {"supportsStore": "yes"}, "expected `bool`, got `str`"),
        ("openai-completions", {"thinkingFormat": "telepathy"}, "invalid enum value 'telepathy'"),
        ("openai-completions", {"allowEmptySignature": True}, "is a switch of anthropic-messages"),
        ("anthropic-messages", {"sessionAffinityFormat": "openai"}, "invalid enum value 'openai'"),
        (None, {"vllmPriority": "high"}, "expected `int"),
        (None, {"nonsense": 1}, "is no switch that is known"),
    ],
)
def test_a_switch_that_cannot_be_used_is_refused_with_a_reason(
    api: str | None, given: Any, said: str
) -> None:
    good, wrong = check(given, api)
    assert good == {}
    assert said in next(iter(wrong.values()))


def test_at_a_provider_a_switch_of_any_wire_is_right() -> None:
    """Its models may speak several; each takes what is for its own."""
    given = {"sessionAffinityFormat": "openai", "supportsStore": True, "forceAdaptiveThinking": None}
    assert check(given) == (given, {})
    request = sent("anthropic-messages", {**given, "sendSessionAffinityHeaders": True}, PLAIN)
    assert request["headers"]["x-session-affinity"] == "s1"


def test_what_is_wrong_is_reported_with_its_line_and_the_rest_counts(tmp_path: Path) -> None:
    path = tmp_path / "models.json"
    path.write_text(
        """{"providers": {"mine": {
  "baseUrl": "http://x/v1", "api": "openai-completions",
  "compat": {
    "supportsStor": true,
    "supportsDeveloperRole": true
  },
  "models": [{"id": "m", "compat": {
    "maxTokensField": "max_words",
    "supportsStore": true
  }}]
}}}"""
    )
    file = ModelsFile(path, {})
    (model,) = file.applied_to([])
    assert [(one.line, one.field) for one in file.problems] == [
        (4, "providers.mine.compat.supportsStor"),
        (8, "providers.mine.models.m.compat.maxTokensField"),
    ]
    assert model.compat == {"supportsDeveloperRole": True, "supportsStore": True}
