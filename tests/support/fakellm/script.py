"""Which response a request gets, and the blocks in it."""

import json
from typing import Any

from .markdown import markdown

Json = dict[str, Any]


class Script:
    """Rules first, then the queue, then the default. Not thread-safe: the server holds a lock."""

    def __init__(self) -> None:
        self.queue: list[Json] = []
        self._rules: list[Json] = []
        self._default: Json | None = None
        self._whole: list[Json] | None = None

    def load(self, script: list[Json] | Json) -> None:
        if isinstance(script, list):
            script = {"responses": script}
        self.queue = _repeated(script.get("responses", []))
        self._rules = [dict(rule) for rule in script.get("rules", [])]
        self._default = script.get("default")
        self._whole = list(self.queue) if script.get("loop") else None

    def push(self, responses: Json | list[Json]) -> None:
        self.queue += _repeated(responses if isinstance(responses, list) else [responses])

    def peek(self, body: Json, path: str) -> Json:
        """The response this request would get."""
        for rule in self._rules:
            if _matches(rule.get("when", {}), body, path):
                return rule
        if not self.queue and self._whole:
            self.queue = list(self._whole)
        if self.queue:
            return self.queue[0]
        return self._default or {"text": "echo: {{last_user}}", "name": "echo"}

    def take(self, response: Json) -> None:
        """Uses up what `peek` gave."""
        if self.queue and self.queue[0] is response:
            del self.queue[0]
        elif "times" in response:
            response["times"] -= 1
            if response["times"] <= 0 and response in self._rules:
                self._rules.remove(response)


def blocks_of(response: Json, body: Json, number: int) -> list[Json]:
    """The content of a response as `text`, `thinking` and `tool` blocks, in order."""
    blocks = [dict(block) for block in response.get("blocks", [])]
    if not blocks:
        if response.get("thinking"):
            signature = response.get("signature", "sig-fake")
            blocks.append({"type": "thinking", "thinking": response["thinking"], "signature": signature})
        text = markdown(int(response["text_tokens"])) if response.get("text_tokens") else response.get("text")
        if text:
            blocks.append({"type": "text", "text": text})
        blocks += [{"type": "tool", **call} for call in response.get("tool_calls", [])]
    for index, block in enumerate(blocks):
        if block["type"] == "text":
            block["text"] = _filled(block.get("text", ""), body, number)
        elif block["type"] == "tool":
            block.setdefault("id", f"call_{number:05d}_{index:02d}")
            block.setdefault("arguments", {})
            block.setdefault("arguments_raw", json.dumps(block["arguments"]))
    return blocks


def usage_of(response: Json, body: Json, blocks: list[Json]) -> dict[str, int]:
    """Tokens; `input` is without the cached part."""
    given = response.get("usage") or {}
    written = sum(
        len(block.get("text", "") + block.get("thinking", "") + block.get("arguments_raw", ""))
        for block in blocks
    )
    return {
        "input": given.get("input", max(1, len(json.dumps(body)) // 4 - given.get("cache_read", 0))),
        "output": given.get("output", max(1, written // 4)),
        "cache_read": given.get("cache_read", 0),
        "cache_write": given.get("cache_write", 0),
        "reasoning": given.get("reasoning", 0),
    }


def content_text(content: Any) -> str:
    """The text in a message's content, tool results included."""
    if isinstance(content, str):
        return content
    texts = []
    for block in content or []:
        if block.get("type") in ("text", "input_text", "output_text"):
            texts.append(block.get("text", ""))
        elif block.get("type") == "tool_result":
            texts.append(content_text(block.get("content")))
    return "\n".join(texts)


def messages_of(body: Json) -> list[Json]:
    """The messages of a request with role and content, whatever the wire."""
    if "messages" in body:
        return body["messages"]
    given = body.get("input") or []
    if isinstance(given, str):
        return [{"role": "user", "content": given}]
    roles = {"function_call": "assistant", "function_call_output": "tool", "reasoning": "assistant"}
    return [
        {"role": item.get("role") or roles[item["type"]], "content": item.get("content", item.get("output"))}
        for item in given
    ]


def _repeated(responses: list[Json]) -> list[Json]:
    return [dict(response) for response in responses for _ in range(int(response.get("repeat", 1)))]


def _last_user(body: Json) -> str:
    texts = (
        content_text(message.get("content"))
        for message in reversed(messages_of(body))
        if message["role"] == "user"
    )
    return next((text for text in texts if text), "")


def _system_text(body: Json) -> str:
    if "system" in body:
        return content_text(body["system"])
    system = [message for message in messages_of(body) if message.get("role") in ("system", "developer")]
    return "\n".join(content_text(message.get("content")) for message in system)


def _matches(when: Json, body: Json, path: str) -> bool:
    messages = messages_of(body) or [{}]
    tests = {
        "contains": lambda wanted: wanted in content_text(messages[-1].get("content")),
        "any_contains": lambda wanted: wanted in json.dumps(body, ensure_ascii=False),
        "system_contains": lambda wanted: wanted in _system_text(body),
        "model": lambda wanted: body.get("model") == wanted,
        "path": lambda wanted: wanted in path,
        "has_tools": lambda wanted: bool(body.get("tools")) == wanted,
    }
    return all(tests[key](wanted) for key, wanted in when.items())


def _filled(text: str, body: Json, number: int) -> str:
    if "{{" not in text:
        return text
    text = text.replace("{{last_user}}", _last_user(body)[:400])
    return text.replace("{{n}}", str(number)).replace("{{model}}", str(body.get("model")))
