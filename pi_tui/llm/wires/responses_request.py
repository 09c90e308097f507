"""The body and headers of an OpenAI responses request."""

from typing import Any

import msgspec

from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolResultMessage,
    ToolSpec,
    UserBlock,
    UserMessage,
    WireMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.output_limit import output_limit
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires.cache_retention import cache_retention
from pi_tui.llm.wires.responses_compat import Compat, compat_of
from pi_tui.llm.wires.responses_items import Item, message_fields, reasoning_item

LEAST_OUTPUT = 16
"""The service refuses a lower limit (tokens)."""
CACHE_KEY_LENGTH = 64
ENCRYPTED_REASONING = "reasoning.encrypted_content"


def request_body(model: Model, context: Context, options: StreamOptions) -> dict[str, Any]:
    compat = compat_of(model)
    body: dict[str, Any] = {
        "model": model.id,
        "input": _system(model, context, compat) + input_items(context.messages),
        "stream": True,
        # Nothing is kept there: what the model thought comes back encrypted, and is sent with the next request.
        "store": False,
    }
    if compat.supports_max_output_tokens:
        body["max_output_tokens"] = max(LEAST_OUTPUT, output_limit(model, context, options))
    if context.tools:
        body["tools"] = [_tool(tool, compat) for tool in context.tools]
    if options.temperature is not None:
        body["temperature"] = options.temperature
    body |= _reasoning(model, options) | _caching(compat, options)
    level = model.clamp(options.thinking_level)
    return body | model.sampling_params | model.sampling_params_by_thinking_level.get(level, {})


def request_headers(model: Model, options: StreamOptions) -> dict[str, str]:
    if not options.session_id or cache_retention(options) == "none":
        return {}
    match compat_of(model).session_affinity_format:
        case None:
            names = []
        case "openrouter":
            names = ["x-session-id"]
        case "openai-nosession":
            names = ["x-client-request-id"]
        case _:
            names = ["session-id", "x-client-request-id"]
    return dict.fromkeys(names, options.session_id)


def input_items(messages: list[WireMessage]) -> list[Item]:
    """The history as items. An id that comes a second time is left out: it would be refused."""
    items: list[Item] = []
    for message in messages:
        match message:
            case UserMessage():
                items.append({"role": "user", "content": _parts(message.content)})
            case AssistantMessage():
                items += _answer(message)
            case ToolResultMessage():
                output = _output(message)
                items.append(
                    {"type": "function_call_output", "call_id": message.tool_call_id, "output": output}
                )
    used: set[str] = set()
    for item in items:
        item_id = item.get("id")
        if item_id in used:
            del item["id"]
        elif item_id:
            used.add(item_id)
    return [item for item in items if item.get("type") != "reasoning" or "id" in item]


def _answer(message: AssistantMessage) -> list[Item]:
    items: list[Item] = []
    for block in message.content:
        match block:
            case ThinkingContent():
                item = reasoning_item(block.thinking_signature)
                if item is not None:
                    items.append(item)
            case TextContent():
                items.append(_said(block))
            case _:
                arguments = msgspec.json.encode(block.arguments).decode()
                call: Item = {
                    "type": "function_call",
                    "call_id": block.id,
                    "name": block.name,
                    "arguments": arguments,
                }
                if block.thought_signature:
                    call["id"] = block.thought_signature
                items.append(call)
    return items


def _said(block: TextContent) -> Item:
    fields = message_fields(block.text_signature)
    content = [{"type": "output_text", "text": block.text, "annotations": []}]
    return {"type": "message", "role": "assistant", "status": "completed", "content": content, **fields}


def _output(message: ToolResultMessage) -> str | list[Item]:
    if any(isinstance(block, ImageContent) for block in message.content):
        return [_part(block) for block in message.content]
    return "\n".join(block.text for block in message.content if isinstance(block, TextContent))


def _parts(content: str | list[UserBlock]) -> list[Item]:
    blocks: list[UserBlock] = [TextContent(content)] if isinstance(content, str) else content
    return [_part(block) for block in blocks]


def _part(block: UserBlock) -> Item:
    if isinstance(block, ImageContent):
        url = f"data:{block.mime_type};base64,{block.data}"
        return {"type": "input_image", "detail": "auto", "image_url": url}
    return {"type": "input_text", "text": block.text}


def _system(model: Model, context: Context, compat: Compat) -> list[Item]:
    if not context.system.strip():
        return []
    role = "developer" if model.reasoning and compat.supports_developer_role else "system"
    return [{"role": role, "content": context.system}]


def _tool(tool: ToolSpec, compat: Compat) -> Item:
    given: Item = {
        "type": "function",
        "name": tool.name,
        "description": tool.description,
        "parameters": tool.parameters,
    }
    if compat.supports_strict_mode:
        # Left out, the service would take the schema as strict and refuse optional fields.
        given["strict"] = False
    return given


def _reasoning(model: Model, options: StreamOptions) -> dict[str, Any]:
    if not model.reasoning:
        return {}
    level = model.clamp(options.thinking_level)
    effort = model.thinking_level_map.get(level, level if level != "off" else None)
    fields: dict[str, Any] = {"include": [ENCRYPTED_REASONING]}
    if effort:
        fields["reasoning"] = {"effort": effort} if level == "off" else {"effort": effort, "summary": "auto"}
    return fields


def _caching(compat: Compat, options: StreamOptions) -> dict[str, Any]:
    retention = cache_retention(options)
    if retention == "none":
        return {}
    fields: dict[str, Any] = {}
    if options.session_id and compat.prompt_cache_key_mode != "disabled":
        fields["prompt_cache_key"] = options.session_id[:CACHE_KEY_LENGTH]
    if retention == "long" and compat.supports_long_cache_retention:
        if compat.supports_explicit_prompt_cache_mode:
            fields["prompt_cache_options"] = {"ttl": "30m"}
        else:
            fields["prompt_cache_retention"] = "24h"
    return fields
