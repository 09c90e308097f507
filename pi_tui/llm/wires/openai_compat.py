"""How servers that speak OpenAI chat completions differ: models.json's `compat`, with defaults by address."""

from typing import Any, Literal

import msgspec
from msgspec import Struct

from pi_tui.llm.model import Model
from pi_tui.llm.wires.switches import fitting


class Compat(Struct, rename="camel", kw_only=True):
    """The switches of models.json for `openai-completions`; field names there are camelCase."""

    supports_store: bool = False
    supports_developer_role: bool = False
    supports_reasoning_effort: bool = True
    supports_usage_in_streaming: bool = True
    supports_finish_reason: bool = True
    supports_strict_mode: bool = False
    supports_long_cache_retention: bool = False
    max_tokens_field: Literal["max_tokens", "max_completion_tokens"] = "max_tokens"
    requires_tool_result_name: bool = False
    requires_assistant_after_tool_result: bool = False
    requires_non_null_assistant_content: bool = False
    requires_tools_with_tool_history: bool = False
    requires_thinking_as_text: bool = False
    requires_reasoning_content_on_assistant_messages: bool = False
    thinking_format: Literal[
        "openai",
        "openrouter",
        "deepseek",
        "together",
        "baseten",
        "zai",
        "qwen",
        "chat-template",
        "qwen-chat-template",
        "string-thinking",
        "ant-ling",
    ] = "openai"
    chat_template_kwargs: dict[str, Any] = msgspec.field(default_factory=dict)
    chat_template_args: dict[str, Any] = msgspec.field(default_factory=dict)
    supports_thinking_token_budget: bool = False
    """The older name for `thinkingTokenBudgetField: "thinking_token_budget"`."""
    thinking_token_budget_field: (
        Literal["thinking_token_budget", "thinking_budget", "thinking_budget_tokens"] | None
    ) = None
    open_router_routing: dict[str, Any] | None = None
    vercel_gateway_routing: dict[str, Any] | None = None
    zai_tool_stream: bool = False
    cache_control_format: Literal["anthropic"] | None = None
    send_session_affinity_headers: bool = False
    session_affinity_format: Literal["openai", "openai-nosession", "openrouter"] = "openai"
    prompt_cache_key_mode: Literal["auto", "enabled", "disabled"] = "auto"
    vllm_priority: int | None = None


_OPENAI = {
    "supportsStore": True,
    "supportsDeveloperRole": True,
    "supportsLongCacheRetention": True,
    "maxTokensField": "max_completion_tokens",
}
_BY_ADDRESS: dict[str, dict[str, Any]] = {
    "api.openai.com": _OPENAI,
    "openrouter.ai": {
        "thinkingFormat": "openrouter",
        "sendSessionAffinityHeaders": True,
        "sessionAffinityFormat": "openrouter",
    },
    "api.deepseek.com": {"thinkingFormat": "deepseek", "requiresReasoningContentOnAssistantMessages": True},
    "api.z.ai": {"thinkingFormat": "zai", "supportsReasoningEffort": False, "zaiToolStream": True},
    "open.bigmodel.cn": {"thinkingFormat": "zai", "supportsReasoningEffort": False, "zaiToolStream": True},
    "api.moonshot": {"thinkingFormat": "zai", "supportsReasoningEffort": False},
    "api.x.ai": {"supportsReasoningEffort": False},
    "api.together": {"thinkingFormat": "together"},
    "dashscope": {"thinkingFormat": "qwen"},
    "api.cerebras.ai": {"maxTokensField": "max_completion_tokens"},
    "api.groq.com": {"maxTokensField": "max_completion_tokens"},
}


def compat_of(model: Model) -> Compat:
    """What this model's server is known to do, and what models.json says it does."""
    switches: dict[str, Any] = {}
    for address, known in _BY_ADDRESS.items():
        if address in model.base_url:
            switches |= known
    if "openrouter.ai" in model.base_url and model.id.startswith("anthropic/"):
        switches["cacheControlFormat"] = "anthropic"
    if model.compat.get("supportsThinkingTokenBudget") is True:
        switches["thinkingTokenBudgetField"] = "thinking_token_budget"
    given = {name: value for name, value in model.compat.items() if value is not None}
    return fitting(Compat, {**switches, **given})
