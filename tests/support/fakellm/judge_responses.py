"""What OpenAI's responses API refuses, after its reference and refusals users reported."""

import json
import re
from typing import Any

from .judge import NAME, Json, only, require, tool_names

ID_LENGTH = 64
PREFIXES = {"message": "msg", "reasoning": "rs", "function_call": "fc"}
ID = re.compile(r"[a-zA-Z0-9_-]+\Z")
FIELDS = {
    *("model", "input", "instructions", "stream", "store", "include", "reasoning", "tools", "tool_choice"),
    *("parallel_tool_calls", "max_output_tokens", "temperature", "top_p", "text", "truncation", "metadata"),
    *("prompt_cache_key", "prompt_cache_retention", "prompt_cache_options", "safety_identifier", "user"),
    *("service_tier", "previous_response_id", "top_k"),
}
INPUT_PARTS = {"input_text": ("text",), "input_image": ("image_url", "detail")}
AFTER_REASONING = "_thought"
"""How the ids end that this server gives to items that came after an item of reasoning."""
EFFORTS = {"none", "minimal", "low", "medium", "high", "xhigh", "max"}


def judge(body: Json) -> None:
    only("", body, FIELDS)
    require(isinstance(body.get("model"), str) and body["model"], "Missing required parameter: 'model'.")
    require(body.get("store") is False, "this client never stores responses at the service")
    if "reasoning" in body:
        only("reasoning", body["reasoning"], ("effort", "summary"))
        require(body["reasoning"].get("effort") in EFFORTS, "Invalid value for 'reasoning.effort'.")
    require(body.get("max_output_tokens", 16) >= 16, "'max_output_tokens': expected a value >= 16")
    require(len(body.get("prompt_cache_key", "")) <= 64, "'prompt_cache_key': string too long")
    _tools(body.get("tools"))
    items = body.get("input")
    require(isinstance(items, list) and items, "Missing required parameter: 'input'.")
    for index, item in enumerate(items):
        _item(f"input[{index}]", item)
    _ids(items)
    _pairs(items)
    _reasoning(items)


def _item(where: str, item: Json) -> None:
    kind = item.get("type", "message")
    if kind == "message" and item.get("role") == "assistant":
        only(where, item, ("type", "id", "role", "status", "content", "phase"))
        _content(where, item["content"], {"output_text": ("text", "annotations"), "refusal": ("refusal",)})
    elif kind == "message":
        require(item.get("role") in ("user", "system", "developer"), f"{where}.role: invalid value")
        only(where, item, ("type", "role", "content"))
        _content(where, item.get("content"), INPUT_PARTS)
    elif kind == "function_call":
        only(where, item, ("type", "id", "call_id", "name", "arguments", "status"))
        require(NAME.match(item.get("name") or ""), f"{where}.name does not match ^[a-zA-Z0-9_-]+$")
        try:
            arguments = json.loads(item.get("arguments"))
        except (TypeError, ValueError):
            arguments = None
        require(isinstance(arguments, dict), f"{where}.arguments is not a JSON object")
    elif kind == "function_call_output":
        only(where, item, ("type", "call_id", "output"))
        if isinstance(item.get("output"), list):
            _content(where, item["output"], INPUT_PARTS)
        else:
            require(isinstance(item.get("output"), str), f"{where}.output is required")
    elif kind == "reasoning":
        only(where, item, ("type", "id", "summary", "content", "encrypted_content"))
        require(isinstance(item.get("summary"), list), f"Missing required parameter: '{where}.summary'.")
        sealed = item.get("encrypted_content") or item.get("content")
        require(
            sealed,
            f"Item with id '{item.get('id')}' not found. Items are not persisted when `store` is false.",
        )
        require(item.get("id"), f"Missing required parameter: '{where}.id'.")
    else:
        require(False, f"{where}.type: invalid value {kind!r}")


def _content(where: str, content: Any, kinds: dict[str, tuple[str, ...]]) -> None:
    if isinstance(content, str):
        require(content, f"{where}.content is empty")
        return
    require(isinstance(content, list) and content, f"{where}.content: expected a non-empty array")
    for part in content:
        require(part.get("type") in kinds, f"{where}.content: Invalid value: {part.get('type')!r}")
        only(f"{where}.content", part, ("type", *kinds[part["type"]]))
        if part["type"] == "input_image":
            url = part.get("image_url", "")
            require(url.startswith("data:image/") and ";base64," in url, f"{where}: bad image_url")
        elif "text" in part:
            require(part["text"], f"{where}.content: text parts must not be empty")


def _ids(items: list[Json]) -> None:
    seen: set[str] = set()
    for index, item in enumerate(items):
        item_id = item.get("id")
        if item_id is None:
            continue
        prefix = PREFIXES[item.get("type", "message")]
        where = f"input[{index}].id"
        require(item_id.startswith(prefix), f"Invalid '{where}': Expected an ID that begins with '{prefix}'.")
        require(ID.match(item_id), f"Invalid '{where}': letters, numbers, underscores, or dashes.")
        require(len(item_id) <= ID_LENGTH, f"Invalid '{where}': string too long (maximum 64)")
        require(item_id not in seen, f"Duplicate item found with id {item_id}.")
        seen.add(item_id)


def _pairs(items: list[Json]) -> None:
    waiting: list[str] = []
    seen: set[str] = set()
    for item in items:
        call_id = item.get("call_id")
        match item.get("type", "message"):
            case "function_call":
                require(
                    call_id and ID.match(call_id) and len(call_id) <= ID_LENGTH, f"bad call_id {call_id!r}"
                )
                require(call_id not in seen, f"call_id {call_id} is used twice")
                seen.add(call_id)
                waiting.append(call_id)
            case "function_call_output":
                require(
                    call_id in waiting, f"No tool call found for function call output with call_id {call_id}."
                )
                waiting.remove(call_id)
            case "message" if item["role"] in ("user", "assistant"):
                require(
                    not waiting or item["role"] == "assistant",
                    f"No tool output found for function call {', '.join(waiting)}.",
                )
    require(not waiting, f"No tool output found for function call {', '.join(waiting)}.")


def _reasoning(items: list[Json]) -> None:
    """A reasoning item needs the item it came with, which needs it too if it goes by its id."""
    for index, item in enumerate(items):
        if (item.get("id") or "").endswith(AFTER_REASONING):
            require(
                index and items[index - 1].get("type") == "reasoning",
                f"Item '{item['id']}' was provided without its required 'reasoning' item.",
            )
        if item.get("type") == "reasoning":
            following = items[index + 1] if index + 1 < len(items) else {}
            made = (
                following.get("type") in ("function_call", "reasoning")
                or following.get("role") == "assistant"
            )
            require(
                made,
                f"Item '{item['id']}' of type 'reasoning' was provided without its required following item.",
            )


def _tools(tools: Any) -> None:
    for tool in tools or []:
        only("tools", tool, ("type", "name", "description", "parameters", "strict"))
        require(tool.get("type") == "function", "tools[].type must be 'function'")
        require(tool.get("strict") is not None, "tools[].strict is true where it is left out")
        require(
            (tool.get("parameters") or {}).get("type") == "object", "tools[].parameters: type must be object"
        )
    tool_names([tool.get("name") for tool in tools or []])
