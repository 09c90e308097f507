"""How each server is told how much to think."""

from typing import Any

from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.stream import StreamOptions
from pi_tui.llm.wires.openai_compat import Compat

Fields = dict[str, Any]


def thinking_fields(model: Model, compat: Compat, options: StreamOptions) -> Fields:
    """The request fields for the thinking level; nothing for a model that does not think."""
    if not model.reasoning:
        return {}
    level = model.clamp(options.thinking_level)
    on = level != "off"
    effort = model.thinking_level_map.get(level, level if on else None)
    sent_effort: Fields = {"reasoning_effort": effort} if effort and compat.supports_reasoning_effort else {}
    budget = options.thinking_budgets.get(level) if on else None
    fields: Fields = {}
    match compat.thinking_format:
        case "openrouter":
            fields = {"reasoning": {"effort": effort or "none"}}
        case "deepseek":
            fields = {"thinking": {"type": "enabled" if on else "disabled"}, **(sent_effort if on else {})}
        case "zai":
            fields = {"thinking": {"type": "enabled" if on else "disabled"}}
        case "together":
            fields = {"reasoning": {"enabled": on}, **(sent_effort if on else {})}
        case "qwen":
            fields = {"enable_thinking": on}
        case "qwen-chat-template":
            fields = {"chat_template_kwargs": {"enable_thinking": on, "preserve_thinking": True}}
        case "chat-template":
            fields = {"chat_template_kwargs": _filled(compat.chat_template_kwargs, on, effort, budget)}
        case "baseten":
            arguments = _filled(compat.chat_template_args, on, effort, budget)
            fields = {"chat_template_args": arguments, **sent_effort}
        case "string-thinking":
            fields = {"thinking": effort or ("enabled" if on else "disabled")}
        case "ant-ling":
            fields = {"reasoning": {"effort": effort}} if effort else {}
        case _:
            fields = sent_effort
    if compat.thinking_token_budget_field and budget:
        fields[compat.thinking_token_budget_field] = budget
    return fields


def _filled(template: Fields, on: bool, effort: str | ThinkingLevel | None, budget: int | None) -> Fields:
    """`template` with each `{"$var": …}` replaced; variables without a value leave their key out."""
    values: Fields = {"thinking.enabled": on, "thinking.effort": effort, "thinking.budget": budget}
    filled: Fields = {}
    for key, value in template.items():
        known = values.get(value["$var"]) if isinstance(value, dict) and "$var" in value else value
        if known is not None:
            filled[key] = known
    return filled
