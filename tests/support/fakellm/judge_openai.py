"""What OpenAI chat completions refuses, after its reference and refusals users reported.

It also knows the fields of compatible servers (reasoning replay, thinking switches).
"""

import json
from typing import Any

from .judge import NAME, Json, alternates, only, require, tool_names

ID_LENGTH = 40
FIELDS = {
    *(
        "model",
        "messages",
        "stream",
        "stream_options",
        "tools",
        "tool_choice",
        "parallel_tool_calls",
        "store",
    ),
    *("max_tokens", "max_completion_tokens", "temperature", "top_p", "stop", "seed", "n", "user", "metadata"),
    *(
        "frequency_penalty",
        "presence_penalty",
        "logit_bias",
        "response_format",
        "reasoning_effort",
        "service_tier",
    ),
    *(
        "prompt_cache_key",
        "prompt_cache_retention",
        "verbosity",
        "safety_identifier",
        "modalities",
        "prediction",
    ),
    # compatible servers
    *(
        "reasoning",
        "thinking",
        "enable_thinking",
        "chat_template_kwargs",
        "chat_template_args",
        "tool_stream",
    ),
    *(
        "top_k",
        "min_p",
        "repetition_penalty",
        "provider",
        "priority",
        "thinking_budget",
        "thinking_token_budget",
    ),
    *("thinking_budget_tokens", "providerOptions"),
}


def judge(body: Json) -> None:
    only("", body, FIELDS)
    require(isinstance(body.get("model"), str) and body["model"], "you must provide a model parameter")
    require(isinstance(body.get("messages"), list) and body["messages"], "[] is too short - 'messages'")
    require(
        not ("max_tokens" in body and "max_completion_tokens" in body),
        "Setting 'max_tokens' and 'max_completion_tokens' at the same time is not supported.",
    )
    require(
        body.get("stream") or "stream_options" not in body, "'stream_options' is only allowed with 'stream'"
    )
    _tools(body.get("tools"))
    waiting: list[str] = []
    seen: set[str] = set()
    for index, message in enumerate(body["messages"]):
        where, role = f"messages[{index}]", message.get("role")
        if role == "tool":
            only(where, message, ("role", "tool_call_id", "content", "name"))
            call = message.get("tool_call_id")
            require(
                call in waiting,
                f"{where}: role 'tool' must be a response to a preceding message with 'tool_calls'.",
            )
            waiting.remove(call)
            _content(where, message.get("content"), ("text",), empty=True)
            continue
        require(
            not waiting,
            f"{where}: An assistant message with 'tool_calls' must be followed by tool messages responding "
            f"to each 'tool_call_id'. Not answered: {', '.join(waiting)}",
        )
        if role == "assistant":
            waiting = _assistant(where, message, seen)
        elif role == "user":
            only(where, message, ("role", "content", "name"))
            _content(where, message.get("content"), ("text", "image_url"))
        else:
            require(role in ("system", "developer"), f"Invalid value: '{role}'. {where}.role")
            only(where, message, ("role", "content", "name"))
            _content(where, message.get("content"), ("text",))
    require(not waiting, f"tool_calls without a tool message: {', '.join(waiting)}")
    alternates(
        "messages", [one["role"] for one in body["messages"] if one["role"] in ("user", "assistant", "tool")]
    )


def _assistant(where: str, message: Json, seen: set[str]) -> list[str]:
    reasoning = ("reasoning_content", "reasoning", "reasoning_text", "reasoning_details")
    only(where, message, ("role", "content", "name", "refusal", "tool_calls", *reasoning))
    calls = message.get("tool_calls")
    require(calls is None or calls, f"{where}.tool_calls: [] is too short")
    if message.get("content") in (None, ""):
        require(calls, f"{where}: content is required unless tool_calls is given")
    else:
        _content(where, message["content"], ("text",))
    for call in calls or []:
        only(f"{where}.tool_calls", call, ("id", "type", "function", "extra_content"))
        require(isinstance(call.get("id"), str) and call["id"], f"{where}.tool_calls[].id is required")
        require(len(call["id"]) <= ID_LENGTH, f"{where}.tool_calls[].id: string too long (maximum 40)")
        require(call["id"] not in seen, f"{where}.tool_calls[].id: {call['id']} is used twice")
        seen.add(call["id"])
        function = call.get("function") or {}
        require(NAME.match(function.get("name") or ""), f"{where}.tool_calls[].function.name does not match")
        try:
            arguments = json.loads(function.get("arguments"))
        except (TypeError, ValueError):
            arguments = None
        require(isinstance(arguments, dict), f"{where}.tool_calls[].function.arguments is not a JSON object")
    return [call["id"] for call in calls or []]


def _content(where: str, content: Any, kinds: tuple[str, ...], *, empty: bool = False) -> None:
    if isinstance(content, str):
        require(content or empty, f"{where}.content is empty")
        return
    require(isinstance(content, list) and content, f"{where}.content: expected a string or a non-empty array")
    for part in content:
        require(part.get("type") in kinds, f"{where}.content: invalid part type {part.get('type')!r}")
        if part["type"] == "text":
            only(f"{where}.content", part, ("type", "text", "cache_control"))
            require(part.get("text"), f"{where}.content: text parts must not be empty")
        else:
            only(f"{where}.content", part, ("type", "image_url"))
            url = part["image_url"].get("url", "")
            require(url.startswith("data:image/") and ";base64," in url, f"{where}.content: bad image_url")


def _tools(tools: Any) -> None:
    for tool in tools or []:
        only("tools", tool, ("type", "function", "cache_control"))
        require(tool.get("type") == "function", "tools[].type must be 'function'")
        only("tools.function", tool["function"], ("name", "description", "parameters", "strict"))
    tool_names([tool["function"].get("name") for tool in tools or []])
