"""The body and headers of an OpenAI chat completions request."""

from typing import Any

import msgspec

from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    WireMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.output_limit import output_limit
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires.cache_retention import cache_retention
from pi_tui.llm.wires.openai_compat import Compat, compat_of
from pi_tui.llm.wires.openai_thinking import thinking_fields

REASONING_FIELDS = ("reasoning_content", "reasoning", "reasoning_text")
"""The names under which servers send thinking; the one that was used is the block's signature."""
IMAGES_FOLLOW = "(see the image below)"
IMAGES_OF_TOOLS = "Images from the tool results above:"
AFTER_RESULTS = "I have read the tool results."

Message = dict[str, Any]


def request_body(model: Model, context: Context, options: StreamOptions) -> dict[str, Any]:
    compat = compat_of(model)
    body: dict[str, Any] = {
        "model": model.id,
        "messages": _system(model, context, compat) + wire_messages(model, context.messages, compat),
        "stream": True,
        compat.max_tokens_field: output_limit(model, context, options),
    }
    if compat.supports_usage_in_streaming:
        body["stream_options"] = {"include_usage": True}
    if compat.supports_store:
        body["store"] = False
    if context.tools:
        body["tools"] = [_tool(tool, compat) for tool in context.tools]
        if compat.zai_tool_stream:
            body["tool_stream"] = True
    elif compat.requires_tools_with_tool_history and any(
        isinstance(message, ToolResultMessage) for message in context.messages
    ):
        body["tools"] = []
    if options.temperature is not None:
        body["temperature"] = options.temperature
    body |= thinking_fields(model, compat, options)
    body |= _routing(model, compat, options)
    retention = cache_retention(options)
    if retention != "none" and compat.cache_control_format == "anthropic":
        _mark(body, lasting=retention == "long" and compat.supports_long_cache_retention)
    level = model.clamp(options.thinking_level)
    return body | model.sampling_params | model.sampling_params_by_thinking_level.get(level, {})


def request_headers(model: Model, options: StreamOptions) -> dict[str, str]:
    compat = compat_of(model)
    if not (options.session_id and compat.send_session_affinity_headers):
        return {}
    if cache_retention(options) == "none":
        return {}
    match compat.session_affinity_format:
        case "openrouter":
            names = ["x-session-id"]
        case "openai-nosession":
            names = ["x-client-request-id", "x-session-affinity"]
        case _:
            names = ["session_id", "x-client-request-id", "x-session-affinity"]
    return dict.fromkeys(names, options.session_id)


def wire_messages(model: Model, messages: list[WireMessage], compat: Compat) -> list[Message]:
    """The history in OpenAI's roles. Images of tool results follow the last of them in a user message."""
    wire: list[Message] = []
    images: list[ImageContent] = []
    for position, message in enumerate(messages):
        if isinstance(message, ToolResultMessage):
            wire.append(_result(message, compat))
            images += [block for block in message.content if isinstance(block, ImageContent)]
            following = messages[position + 1] if position + 1 < len(messages) else None
            if images and not isinstance(following, ToolResultMessage):
                _say(wire, [TextContent(IMAGES_OF_TOOLS), *images], compat)
                images = []
        elif isinstance(message, UserMessage):
            content = message.content
            _say(wire, [TextContent(content)] if isinstance(content, str) else content, compat)
        else:
            _answer(wire, _assistant(model, message, compat))
    return wire


def _say(wire: list[Message], blocks: list[UserBlock], compat: Compat) -> None:
    """Adds to what the user says; two user messages in a row become one, as strict chat templates want it."""
    parts = [_part(block) for block in blocks]
    last = wire[-1] if wire else None
    if last is not None and last["role"] == "user":
        before = last["content"]
        parts = ([{"type": "text", "text": before}] if isinstance(before, str) else before) + parts
        del wire[-1]
    elif last is not None and last["role"] == "tool" and compat.requires_assistant_after_tool_result:
        wire.append({"role": "assistant", "content": AFTER_RESULTS})
    plain = all(part["type"] == "text" for part in parts)
    content = "\n\n".join(part["text"] for part in parts) if plain else parts
    wire.append({"role": "user", "content": content})


def _answer(wire: list[Message], message: Message) -> None:
    last = wire[-1] if wire else None
    if last is None or last["role"] != "assistant" or last.get("tool_calls"):
        wire.append(message)
        return
    texts = [text for text in (last.get("content"), message.get("content")) if text]
    wire[-1] = {**last, **message, "content": "\n\n".join(texts) or None}


def _system(model: Model, context: Context, compat: Compat) -> list[Message]:
    if not context.system.strip():
        return []
    role = "developer" if model.reasoning and compat.supports_developer_role else "system"
    return [{"role": role, "content": context.system}]


def _part(block: UserBlock) -> dict[str, Any]:
    if isinstance(block, ImageContent):
        return {"type": "image_url", "image_url": {"url": f"data:{block.mime_type};base64,{block.data}"}}
    return {"type": "text", "text": block.text}


def _result(message: ToolResultMessage, compat: Compat) -> Message:
    texts = [block.text for block in message.content if isinstance(block, TextContent)]
    result = {
        "role": "tool",
        "tool_call_id": message.tool_call_id,
        "content": "\n".join(texts) or IMAGES_FOLLOW,
    }
    if compat.requires_tool_result_name:
        result["name"] = message.tool_name
    return result


def _assistant(model: Model, message: AssistantMessage, compat: Compat) -> Message:
    text = message.text
    thoughts = [block for block in message.content if isinstance(block, ThinkingContent) and block.thinking]
    wire: Message = {"role": "assistant"}
    if thoughts and compat.requires_thinking_as_text:
        thinking = "\n".join(block.thinking for block in thoughts)
        text = f"<thinking>\n{thinking}\n</thinking>\n{text}"
    elif thoughts:
        signature = thoughts[0].thinking_signature
        field = signature if signature in REASONING_FIELDS else REASONING_FIELDS[0]
        wire[field] = "\n".join(block.thinking for block in thoughts)
    elif model.reasoning and compat.requires_reasoning_content_on_assistant_messages:
        wire[REASONING_FIELDS[0]] = ""
    calls = [_call(call.id, call.name, call.arguments, call.thought_signature) for call in message.tool_calls]
    if calls:
        wire["tool_calls"] = calls
    wire["content"] = text or ("" if compat.requires_non_null_assistant_content or not calls else None)
    return wire


def _call(call_id: str, name: str, arguments: dict[str, Any], signature: str | None) -> dict[str, Any]:
    function = {"name": name, "arguments": msgspec.json.encode(arguments).decode()}
    call: dict[str, Any] = {"id": call_id, "type": "function", "function": function}
    if signature:
        # Gemini 3 refuses a call that comes back without the signature of its thoughts.
        call["extra_content"] = {"google": {"thought_signature": signature}}
    return call


def _tool(tool: Any, compat: Compat) -> dict[str, Any]:
    function = {"name": tool.name, "description": tool.description, "parameters": tool.parameters}
    if compat.supports_strict_mode:
        function["strict"] = False
    return {"type": "function", "function": function}


def _routing(model: Model, compat: Compat, options: StreamOptions) -> dict[str, Any]:
    """Fields that tell a gateway or a scheduler where to send the request."""
    fields: dict[str, Any] = {}
    if compat.open_router_routing:
        fields["provider"] = compat.open_router_routing
    if compat.vercel_gateway_routing:
        fields["providerOptions"] = {"gateway": compat.vercel_gateway_routing}
    if compat.vllm_priority is not None:
        fields["priority"] = compat.vllm_priority
    retention = cache_retention(options)
    if retention == "none" or not options.session_id or compat.prompt_cache_key_mode == "disabled":
        return fields
    lasting = retention == "long" and compat.supports_long_cache_retention
    if compat.prompt_cache_key_mode == "enabled" or lasting or "api.openai.com" in model.base_url:
        fields["prompt_cache_key"] = options.session_id
    if lasting:
        fields["prompt_cache_retention"] = "24h"
    return fields


def _mark(body: dict[str, Any], *, lasting: bool) -> None:
    """Anthropic's cache marks, for gateways that pass them on: system, last tool, last message."""
    mark = {"type": "ephemeral", "ttl": "1h"} if lasting else {"type": "ephemeral"}
    if body.get("tools"):
        body["tools"][-1]["cache_control"] = mark
    for message in (body["messages"][0], body["messages"][-1]):
        if isinstance(message.get("content"), str) and message["content"]:
            message["content"] = [{"type": "text", "text": message["content"]}]
        if message.get("content") and message["content"][-1]["type"] == "text":
            message["content"][-1]["cache_control"] = mark
