"""The body and headers of an Anthropic messages request."""

from typing import Any

from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    WireMessage,
)
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.output_limit import output_limit
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires.anthropic_compat import Compat, compat_of
from pi_tui.llm.wires.cache_retention import cache_retention

THINKING_BUDGETS = {
    "minimal": 1024,
    "low": 2048,
    "medium": 8192,
    "high": 16_384,
    "xhigh": 32_768,
    "max": 65_536,
}
"""Tokens."""
LEAST_BUDGET = 1024
INTERLEAVED_THINKING = "interleaved-thinking-2025-05-14"
FINE_GRAINED_TOOLS = "fine-grained-tool-streaming-2025-05-14"
EFFORTS = {"minimal": "low", "low": "low", "medium": "medium", "high": "high", "xhigh": "xhigh", "max": "max"}

Block = dict[str, Any]


def request_body(model: Model, context: Context, options: StreamOptions) -> dict[str, Any]:
    compat = compat_of(model)
    level = model.clamp(options.thinking_level)
    mark = _cache_mark(compat, options)
    body: dict[str, Any] = {
        "model": model.id,
        "max_tokens": output_limit(model, context, options),
        "messages": wire_messages(context.messages),
        "stream": True,
    }
    if context.system.strip():
        body["system"] = [{"type": "text", "text": context.system}]
    if context.tools:
        eager = {"eager_input_streaming": True} if compat.supports_eager_tool_input_streaming else {}
        body["tools"] = [
            {
                "name": tool.name,
                "description": tool.description,
                "input_schema": _schema(tool.parameters),
                **eager,
            }
            for tool in context.tools
        ]
    if mark is not None:
        _mark(body, mark, tools=compat.supports_cache_control_on_tools)
    _think(body, model, compat, level, options)
    thinks = body.get("thinking", {}).get("type") in ("enabled", "adaptive")
    if options.temperature is not None and not thinks and compat.supports_temperature:
        body["temperature"] = options.temperature
    return body


def request_headers(model: Model, context: Context, options: StreamOptions) -> dict[str, str]:
    compat = compat_of(model)
    betas = []
    budgeted = (
        model.reasoning
        and not compat.force_adaptive_thinking
        and model.clamp(options.thinking_level) != "off"
    )
    if budgeted and context.tools:
        betas.append(INTERLEAVED_THINKING)
    if context.tools and not compat.supports_eager_tool_input_streaming:
        betas.append(FINE_GRAINED_TOOLS)
    headers = {"anthropic-beta": ",".join(betas)} if betas else {}
    affine = options.session_id and compat.send_session_affinity_headers
    if affine and cache_retention(options) != "none":
        name = "x-session-id" if compat.session_affinity_format == "openrouter" else "x-session-affinity"
        headers[name] = options.session_id or ""
    return headers


def wire_messages(messages: list[WireMessage]) -> list[dict[str, Any]]:
    """The history in Anthropic's two roles; all results of a response are in one message."""
    turns: list[dict[str, Any]] = []
    for message in messages:
        if isinstance(message, AssistantMessage):
            role, blocks = "assistant", [_assistant_block(block) for block in message.content]
        elif isinstance(message, ToolResultMessage):
            role, blocks = "user", [_result(message)]
        elif isinstance(message.content, str):
            role, blocks = "user", [{"type": "text", "text": message.content}]
        else:
            role, blocks = "user", [_user_block(block) for block in message.content]
        if turns and turns[-1]["role"] == role:
            turns[-1]["content"] += blocks
        else:
            turns.append({"role": role, "content": blocks})
    return turns


def _user_block(block: UserBlock) -> Block:
    if isinstance(block, ImageContent):
        source = {"type": "base64", "media_type": block.mime_type, "data": block.data}
        return {"type": "image", "source": source}
    return {"type": "text", "text": block.text}


def _assistant_block(block: TextContent | ThinkingContent | ToolCall) -> Block:
    match block:
        case ThinkingContent(redacted=True):
            return {"type": "redacted_thinking", "data": block.thinking_signature or ""}
        case ThinkingContent():
            return {
                "type": "thinking",
                "thinking": block.thinking,
                "signature": block.thinking_signature or "",
            }
        case ToolCall():
            return {"type": "tool_use", "id": block.id, "name": block.name, "input": block.arguments}
        case _:
            return {"type": "text", "text": block.text}


def _result(message: ToolResultMessage) -> Block:
    content = [_user_block(block) for block in message.content]
    result: Block = {"type": "tool_result", "tool_use_id": message.tool_call_id, "content": content}
    if message.is_error:
        result["is_error"] = True
    return result


def _schema(parameters: dict[str, Any]) -> dict[str, Any]:
    return parameters if parameters.get("type") == "object" else {"type": "object", **parameters}


def _cache_mark(compat: Compat, options: StreamOptions) -> dict[str, str] | None:
    retention = cache_retention(options)
    if retention == "none":
        return None
    lasting = retention == "long" and compat.supports_long_cache_retention
    return {"type": "ephemeral", "ttl": "1h"} if lasting else {"type": "ephemeral"}


def _mark(body: dict[str, Any], mark: dict[str, str], *, tools: bool) -> None:
    """Marks the ends of the stable prefixes: the tools, the system prompt, the last user message."""
    if tools and "tools" in body:
        body["tools"][-1]["cache_control"] = mark
    if "system" in body:
        body["system"][-1]["cache_control"] = mark
    user = next((turn for turn in reversed(body["messages"]) if turn["role"] == "user"), None)
    if user is not None and user["content"]:
        user["content"][-1]["cache_control"] = mark


def _think(
    body: dict[str, Any], model: Model, compat: Compat, level: ThinkingLevel, options: StreamOptions
) -> None:
    if not model.reasoning:
        return
    if compat.force_adaptive_thinking:
        if level == "off":
            body["thinking"] = {"type": "disabled"}
            return
        body["thinking"] = {"type": "adaptive", "display": "summarized"}
        body["output_config"] = {"effort": model.thinking_level_map.get(level) or EFFORTS[level]}
        return
    if level == "off":
        return
    budget = options.thinking_budgets.get(level) or THINKING_BUDGETS[level]
    # The budget comes out of max_tokens, and something must be left for the answer.
    budget = min(budget, body["max_tokens"] - LEAST_BUDGET)
    if budget >= LEAST_BUDGET:
        body["thinking"] = {"type": "enabled", "budget_tokens": budget, "display": "summarized"}
