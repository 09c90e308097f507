"""What OpenAI's responses API puts on the wire."""

import json
import time
from collections.abc import Iterator

from .judge_responses import AFTER_REASONING
from .openai_chat import pieces
from .script import Json

INCOMPLETE = {"length": "max_output_tokens", "filter": "content_filter"}


def sse(data: Json | str) -> bytes:
    if isinstance(data, str):
        return f"data: {data}\n\n".encode()
    if data.get("type") == "error" and "error" in data:
        error = data["error"]
        data = {"type": "error", "code": error["type"], "message": error["message"], "param": None}
    return f"event: {data['type']}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def events(
    response: Json, body: Json, blocks: list[Json], usage: dict[str, int], number: int
) -> Iterator[tuple[bool, bytes]]:
    """Server-sent events, each with whether it is a delta."""
    sequence = 0

    def event(kind: str, **fields: object) -> bytes:
        nonlocal sequence
        sequence += 1
        if response.get("unnumbered"):
            fields.pop("output_index", None)
        return sse({"type": f"response.{kind}", "sequence_number": sequence, **fields})

    begun = _response(body, number, "in_progress", [])
    yield False, event("created", response=begun)
    yield False, event("in_progress", response=begun)
    items = _items(blocks, number)
    stop = response.get("stop") or "stop"
    for index, (block, item) in enumerate(zip(blocks, items, strict=True)):
        cut = stop == "length" and index == len(items) - 1
        yield False, event("output_item.added", output_index=index, item=_empty(item))
        place = {"item_id": item["id"], "output_index": index}
        match block["type"]:
            case "text":
                part = {"type": "output_text", "text": "", "annotations": []}
                yield False, event("content_part.added", **place, content_index=0, part=part)
                for piece in pieces(block["text"], response):
                    yield True, event("output_text.delta", **place, content_index=0, delta=piece)
                yield False, event("output_text.done", **place, content_index=0, text=block["text"])
            case "thinking":
                part = {"type": "summary_text", "text": ""}
                yield False, event("reasoning_summary_part.added", **place, summary_index=0, part=part)
                for piece in pieces(block["thinking"], response):
                    yield True, event("reasoning_summary_text.delta", **place, summary_index=0, delta=piece)
            case _:
                for piece in pieces(block["arguments_raw"], response):
                    yield True, event("function_call_arguments.delta", **place, delta=piece)
                if not cut:
                    given = block["arguments_raw"]
                    yield False, event("function_call_arguments.done", **place, arguments=given)
        if cut:
            item["status"] = "incomplete"
        yield False, event("output_item.done", output_index=index, item=item)
    if stop == "none":
        return
    ended = "incomplete" if stop in INCOMPLETE else "completed"
    done = _response(body, number, ended, items)
    if stop in INCOMPLETE:
        done["incomplete_details"] = {"reason": INCOMPLETE[stop]}
    if not response.get("no_usage"):
        done["usage"] = wire_usage(usage)
    yield False, event(ended, response=done)


def whole(response: Json, body: Json, blocks: list[Json], usage: dict[str, int], number: int) -> Json:
    """The answer to a request without `stream`."""
    items = _items(blocks, number)
    return {**_response(body, number, "completed", items), "usage": wire_usage(usage)}


def wire_usage(usage: dict[str, int]) -> Json:
    prompt = usage["input"] + usage["cache_read"] + usage["cache_write"]
    return {
        "input_tokens": prompt,
        "input_tokens_details": {
            "cached_tokens": usage["cache_read"],
            "cache_write_tokens": usage["cache_write"],
        },
        "output_tokens": usage["output"],
        "output_tokens_details": {"reasoning_tokens": usage["reasoning"]},
        "total_tokens": prompt + usage["output"],
    }


def _response(body: Json, number: int, status: str, output: list[Json]) -> Json:
    return {
        "id": f"resp_fake{number:05d}",
        "object": "response",
        "created_at": int(time.time()),
        "status": status,
        "model": body.get("model"),
        "output": output,
        "error": None,
        "incomplete_details": None,
        "usage": None,
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }


def _items(blocks: list[Json], number: int) -> list[Json]:
    thought = [False, *(block["type"] == "thinking" for block in blocks)]
    return [
        _item(block, f"{number:05d}_{index:02d}{AFTER_REASONING if thought[index] else ''}")
        for index, block in enumerate(blocks)
    ]


def _item(block: Json, place: str) -> Json:
    """A block as the item it is when it is done."""
    match block["type"]:
        case "text":
            content = [{"type": "output_text", "text": block["text"], "annotations": []}]
            return {
                "id": f"msg_{place}",
                "type": "message",
                "role": "assistant",
                "status": "completed",
                "content": content,
            }
        case "thinking":
            summary = [{"type": "summary_text", "text": block["thinking"]}]
            sealed = f"sealed-{block.get('signature', 'fake')}"
            return {
                "id": f"rs_{place}",
                "type": "reasoning",
                "summary": summary,
                "encrypted_content": sealed,
            }
        case _:
            return {
                "id": f"fc_{place}",
                "type": "function_call",
                "status": "completed",
                "call_id": block["id"],
                "name": block["name"],
                "arguments": block["arguments_raw"],
            }


def _empty(item: Json) -> Json:
    """The same before anything of it has come."""
    emptied = {
        "content": [],
        "summary": [],
        "arguments": "",
        "status": "in_progress",
        "encrypted_content": "",
    }
    return {name: emptied.get(name, value) for name, value in item.items()}
