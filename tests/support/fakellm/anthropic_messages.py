"""What Anthropic messages puts on the wire."""

import json
from collections.abc import Iterator

from .openai_chat import pieces
from .script import Json

STOP = {"stop": "end_turn", "tool": "tool_use", "length": "max_tokens", "filter": "refusal", "none": None}


def sse(data: Json) -> bytes:
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def events(
    response: Json, body: Json, blocks: list[Json], usage: dict[str, int], number: int
) -> Iterator[tuple[bool, bytes]]:
    """Server-sent events, each with whether it is a delta."""
    counted = wire_usage(dict.fromkeys(usage, 0) if response.get("no_usage") else {**usage, "output": 1})
    message = {
        **_envelope(body, number),
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": counted,
    }
    yield False, sse({"type": "message_start", "message": message})
    yield False, sse({"type": "ping"})
    for index, block in enumerate(blocks):
        yield False, sse({"type": "content_block_start", "index": index, "content_block": _opening(block)})
        for delta in _deltas(block, response):
            is_delta = delta["type"] != "signature_delta"
            yield is_delta, sse({"type": "content_block_delta", "index": index, "delta": delta})
        yield False, sse({"type": "content_block_stop", "index": index})
    delta = {"stop_reason": _stop(response, blocks), "stop_sequence": None}
    output = 0 if response.get("no_usage") else usage["output"]
    yield False, sse({"type": "message_delta", "delta": delta, "usage": {"output_tokens": output}})
    yield False, sse({"type": "message_stop"})


def whole(response: Json, body: Json, blocks: list[Json], usage: dict[str, int], number: int) -> Json:
    """The answer to a request without `stream`."""
    content = []
    for block in blocks:
        if block["type"] == "thinking":
            signature = block.get("signature", "sig-fake")
            content.append({"type": "thinking", "thinking": block["thinking"], "signature": signature})
        elif block["type"] == "text":
            content.append({"type": "text", "text": block["text"]})
        else:
            content.append(
                {
                    "type": "tool_use",
                    **{key: block[key] for key in ("id", "name")},
                    "input": block["arguments"],
                }
            )
    stop = {"stop_reason": _stop(response, blocks), "stop_sequence": None}
    return {**_envelope(body, number), "content": content, **stop, "usage": wire_usage(usage)}


def wire_usage(usage: dict[str, int]) -> Json:
    return {
        "input_tokens": usage["input"],
        "output_tokens": usage["output"],
        "cache_read_input_tokens": usage["cache_read"],
        "cache_creation_input_tokens": usage["cache_write"],
    }


def _envelope(body: Json, number: int) -> Json:
    return {
        "id": f"msg_fake{number:05d}",
        "type": "message",
        "role": "assistant",
        "model": body.get("model", "fake"),
    }


def _stop(response: Json, blocks: list[Json]) -> str | None:
    called = any(block["type"] == "tool" for block in blocks)
    stop = response.get("stop") or ("tool" if called else "stop")
    return STOP.get(stop, stop)


def _opening(block: Json) -> Json:
    if block["type"] == "thinking":
        return {"type": "thinking", "thinking": "", "signature": ""}
    if block["type"] == "redacted_thinking":
        return dict(block)
    if block["type"] == "text":
        return {"type": "text", "text": ""}
    return {"type": "tool_use", "id": block["id"], "name": block["name"], "input": {}}


def _deltas(block: Json, response: Json) -> Iterator[Json]:
    if block["type"] == "thinking":
        for piece in pieces(block["thinking"], response):
            yield {"type": "thinking_delta", "thinking": piece}
        yield {"type": "signature_delta", "signature": block.get("signature", "sig-fake")}
    elif block["type"] == "text":
        for piece in pieces(block["text"], response):
            yield {"type": "text_delta", "text": piece}
    elif block["type"] == "tool":
        for piece in pieces(block["arguments_raw"], response):
            yield {"type": "input_json_delta", "partial_json": piece}
