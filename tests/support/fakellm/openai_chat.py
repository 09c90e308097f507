"""What OpenAI chat completions puts on the wire."""

import json
import time
from collections.abc import Iterator
from typing import Any

from .script import Json

FINISH = {"stop": "stop", "tool": "tool_calls", "length": "length", "filter": "content_filter", "none": None}


def sse(data: Json | str) -> bytes:
    return f"data: {data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)}\n\n".encode()


def events(
    response: Json, body: Json, blocks: list[Json], usage: dict[str, int], number: int
) -> Iterator[tuple[bool, bytes]]:
    """Server-sent events, each with whether it is a delta."""
    base = {
        "id": f"chatcmpl-fake{number:05d}",
        "object": "chat.completion.chunk",
        "created": int(time.time()),
        "model": body.get("model", "fake"),
    }

    def chunk(delta: Json, finish: str | None = None) -> bytes:
        return sse({**base, "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]})

    yield False, chunk({"role": "assistant", "content": ""})
    calls = 0
    for block in blocks:
        if block["type"] == "tool":
            for delta in _call_deltas(response, block, calls):
                yield True, chunk({"tool_calls": [delta]})
            calls += 1
        else:
            thinking = block["type"] == "thinking"
            field = response.get("reasoning_field", "reasoning_content") if thinking else "content"
            for piece in pieces(block[block["type"]], response):
                yield True, chunk({field: piece})
    stop = response.get("stop") or ("tool" if calls else "stop")
    if stop != "none":
        yield False, chunk({}, FINISH.get(stop, stop))
    if not response.get("no_usage") and (body.get("stream_options") or {}).get("include_usage"):
        yield False, sse({**base, "choices": [], "usage": wire_usage(usage)})
    yield False, sse("[DONE]")


def whole(response: Json, body: Json, blocks: list[Json], usage: dict[str, int], number: int) -> Json:
    """The answer to a request without `stream`."""
    text = "".join(block["text"] for block in blocks if block["type"] == "text")
    calls = [block for block in blocks if block["type"] == "tool"]
    message: Json = {"role": "assistant", "content": text or None}
    if calls:
        message["tool_calls"] = [_call(block) for block in calls]
    stop = response.get("stop") or ("tool" if calls else "stop")
    return {
        "id": f"chatcmpl-fake{number:05d}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": body.get("model"),
        "choices": [{"index": 0, "message": message, "finish_reason": FINISH.get(stop, stop)}],
        "usage": wire_usage(usage),
    }


def pieces(text: str, response: Json) -> list[str]:
    size = max(1, int(response.get("chunk", 4)))
    return [text[start : start + size] for start in range(0, len(text), size)]


def wire_usage(usage: dict[str, int]) -> Json:
    prompt = usage["input"] + usage["cache_read"] + usage["cache_write"]
    return {
        "prompt_tokens": prompt,
        "completion_tokens": usage["output"],
        "total_tokens": prompt + usage["output"],
        "prompt_tokens_details": {"cached_tokens": usage["cache_read"]},
        "completion_tokens_details": {"reasoning_tokens": usage["reasoning"]},
    }


def _call(block: Json) -> Json:
    function = {"name": block["name"], "arguments": block["arguments_raw"]}
    return {"id": block["id"], "type": "function", "function": function}


def _call_deltas(response: Json, block: Json, index: int) -> Iterator[dict[str, Any]]:
    if response.get("whole_calls"):
        yield _call(block)
        return
    head = {"name": block["name"], "arguments": ""}
    yield {"index": index, "id": block["id"], "type": "function", "function": head}
    for piece in pieces(block["arguments_raw"], response):
        yield {"index": index, "function": {"arguments": piece}}
