"""What Anthropic messages refuses, after its reference and refusals users reported."""

import json
import re

from .judge import Json, alternates, only, require, tool_names

ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
CACHE_MARKS = 4
IMAGE_TYPES = ("image/jpeg", "image/png", "image/gif", "image/webp")
FIELDS = {
    *(
        "model",
        "messages",
        "max_tokens",
        "system",
        "stream",
        "tools",
        "tool_choice",
        "thinking",
        "temperature",
    ),
    *("top_p", "top_k", "stop_sequences", "metadata", "service_tier", "output_config", "container"),
}


def judge(body: Json) -> None:
    only("", body, FIELDS)
    require(isinstance(body.get("model"), str) and body["model"], "model: Field required")
    require(isinstance(body.get("max_tokens"), int) and body["max_tokens"] > 0, "max_tokens: Field required")
    require(
        isinstance(body.get("messages"), list) and body["messages"],
        "messages: at least one message is required",
    )
    _thinking(body)
    for block in body["system"] if isinstance(body.get("system"), list) else []:
        _block("system", block, {"text"})
    for tool in body.get("tools") or []:
        only(
            "tools",
            tool,
            (
                "type",
                "name",
                "description",
                "input_schema",
                "cache_control",
                "strict",
                "eager_input_streaming",
            ),
        )
        require(
            tool.get("input_schema", {}).get("type") == "object", "tools.input_schema.type: Field required"
        )
    tool_names([tool.get("name") for tool in body.get("tools") or []])
    require(
        json.dumps(body).count('"cache_control"') <= CACHE_MARKS, "A maximum of 4 blocks with cache_control"
    )
    alternates("messages", [message.get("role") for message in body["messages"]])
    waiting: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(body["messages"]):
        where = f"messages.{index}"
        only(where, message, ("role", "content"))
        content = message.get("content")
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        require(blocks, f"{where}: all messages must have non-empty content")
        if message["role"] == "user":
            _results(where, blocks, waiting)
            waiting = []
        else:
            waiting = _assistant(where, blocks, seen)
    require(not waiting, _without_result(f"messages.{len(body['messages']) - 1}", waiting))


def _thinking(body: Json) -> None:
    thinking = body.get("thinking") or {"type": "disabled"}
    kind = thinking.get("type")
    require(kind in ("enabled", "adaptive", "disabled"), f"thinking.type: {kind!r} is not known")
    only("thinking", thinking, ("type", "budget_tokens", "display"))
    if kind == "enabled":
        budget = thinking.get("budget_tokens", 0)
        require(
            budget >= 1024, "thinking.enabled.budget_tokens: Input should be greater than or equal to 1024"
        )
        require(budget < body["max_tokens"], "`max_tokens` must be greater than `thinking.budget_tokens`")
    if kind != "disabled":
        require(
            body.get("temperature", 1) == 1, "`temperature` may only be set to 1 when thinking is enabled"
        )


def _without_result(where: str, ids: list[str]) -> str:
    return (
        f"{where}: `tool_use` ids were found without `tool_result` blocks immediately after: "
        f"{', '.join(ids)}. Each `tool_use` block must have a corresponding `tool_result` block in "
        "the next message."
    )


def _results(where: str, blocks: list[Json], waiting: list[str]) -> None:
    answered: list[str] = []
    for position, block in enumerate(blocks):
        _block(where, block, {"text", "image", "tool_result"})
        if block["type"] == "tool_result":
            require(position == len(answered), f"{where}: tool_result blocks must come first")
            answered.append(block.get("tool_use_id", ""))
            require(
                answered[-1] in waiting,
                f"{where}: unexpected `tool_use_id` found in `tool_result` blocks: {answered[-1]}. Each "
                "`tool_result` block must have a corresponding `tool_use` block in the previous message.",
            )
    require(len(set(answered)) == len(answered), f"{where}: each tool_use must have a single result")
    missing = [call for call in waiting if call not in answered]
    require(not missing, _without_result(where, missing))


def _assistant(where: str, blocks: list[Json], seen: set[str]) -> list[str]:
    calls = []
    for block in blocks:
        _block(where, block, {"text", "thinking", "redacted_thinking", "tool_use"})
        if block["type"] == "tool_use":
            require(block["id"] not in seen, f"{where}: `tool_use` ids must be unique")
            seen.add(block["id"])
            calls.append(block["id"])
    require(
        blocks[-1]["type"] not in ("thinking", "redacted_thinking"),
        f"{where}: The final block in an assistant message cannot be `thinking`.",
    )
    return calls


def _block(where: str, block: Json, kinds: set[str]) -> None:
    kind = block.get("type")
    require(kind in kinds, f"{where}.content: Input tag {kind!r} does not match any of the expected tags")
    match kind:
        case "text":
            only(where, block, ("type", "text", "cache_control"))
            require(block.get("text"), f"{where}: text content blocks must be non-empty")
            require(block["text"].strip(), f"{where}: text content blocks must contain non-whitespace text")
        case "image":
            only(where, block, ("type", "source", "cache_control"))
            only(where, block["source"], ("type", "media_type", "data"))
            require(
                block["source"].get("media_type") in IMAGE_TYPES,
                f"{where}.image.source.media_type is not known",
            )
        case "thinking":
            only(where, block, ("type", "thinking", "signature"))
            require(block.get("signature"), f"{where}.thinking.signature: Field required")
        case "redacted_thinking":
            only(where, block, ("type", "data"))
        case "tool_use":
            only(where, block, ("type", "id", "name", "input", "cache_control"))
            require(
                ID.match(block.get("id") or ""),
                f"{where}.tool_use.id: should match ^[a-zA-Z0-9_-]+$",
            )
            require(
                isinstance(block.get("input"), dict), f"{where}.tool_use.input: Input should be an object"
            )
        case "tool_result":
            only(where, block, ("type", "tool_use_id", "content", "is_error", "cache_control"))
            if isinstance(block.get("content"), list):
                for part in block["content"]:
                    _block(f"{where}.tool_result", part, {"text", "image"})
