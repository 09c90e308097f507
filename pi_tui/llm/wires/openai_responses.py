"""The `openai-responses` wire: OpenAI's responses API, and the servers that speak it."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.failures import failure_of_body
from pi_tui.llm.messages import Usage
from pi_tui.llm.model import Model
from pi_tui.llm.pricing import settle
from pi_tui.llm.stream import CUT_CALL, AssistantEvent, Context, MessageAssembler, StreamOptions, ToolCallEnd
from pi_tui.llm.wires.connection import stream_response
from pi_tui.llm.wires.responses_items import Item, joined_id, reasoning_signature, text_signature
from pi_tui.llm.wires.responses_request import request_body, request_headers


def stream(
    model: Model, context: Context, options: StreamOptions, message: MessageAssembler
) -> AsyncIterator[AssistantEvent]:
    """Streams one response of a responses API."""
    body = partial(request_body, model, context, options)
    headers = partial(request_headers, model, options)
    return stream_response(model, options, "/responses", body, headers, reader=_Reader(message, model))


class _Event(Struct):
    type: str = ""
    item_id: str | None = None
    output_index: int | None = None
    summary_index: int | None = None
    delta: Any = None
    item: Item | None = None
    response: Item | None = None


_decoder = msgspec.json.Decoder(_Event)


class _Open(Struct):
    """An output item that still grows."""

    call_id: str = ""
    streamed: bool = False
    """Whether any of its text or arguments came in deltas."""
    part: int | None = None
    """The part of a summary that came last."""


class _Reader:
    """Tells the assembler what each event says.

    Items are told apart by their number, or by their id where a server does not number them.
    """

    def __init__(self, message: MessageAssembler, model: Model) -> None:
        self._message = message
        self._model = model
        self._open: dict[Any, _Open] = {}
        self._called = False
        self.done = False

    def read(self, data: bytes) -> list[AssistantEvent]:
        if data == b"[DONE]":
            return []
        event = _decoder.decode(data)
        match event.type:
            case "response.output_text.delta" | "response.refusal.delta":
                return self._text(event)
            case "response.function_call_arguments.delta":
                return self._arguments(event)
            case "response.reasoning_summary_text.delta" | "response.reasoning_text.delta":
                return self._thinking(event)
            case "response.output_item.added":
                return self._begin(event)
            case "response.output_item.done":
                return self._end(event)
            case "response.created" | "response.in_progress":
                self._name(event.response or {})
            case "response.completed" | "response.incomplete" | "response.failed":
                self._conclude(event.response or {}, event.type.removeprefix("response."))
            case "error" | "":
                raise failure_of_body(data)
        return []

    def finish(self) -> list[AssistantEvent]:
        """Ends the message.

        Raises:
            ProviderError: The stream was cut, or a filter stopped it.
        """
        message = self._message
        if message.raw_stop_reason == "content_filter":
            raise ProviderError(ErrorKind.CONTENT_FILTER, "The provider's content filter stopped the answer.")
        if message.stop_reason is None:
            raise ProviderError(ErrorKind.NETWORK, "The response ended before it was complete.")
        if message.stop_reason == "stop" and self._called:
            message.stop_reason = "toolUse"
        events = message.end()
        for event in events:
            # A call that was not ended by the server is not whole, even if it looks so.
            if isinstance(event, ToolCallEnd) and message.stop_reason == "length":
                message.broken_calls.setdefault(event.tool_call.id, CUT_CALL)
        return events

    def _begin(self, event: _Event) -> list[AssistantEvent]:
        item = event.item or {}
        opened = self._open[_key(event, item)] = _Open()
        match item.get("type"):
            case "function_call":
                return self._call(opened, _key(event, item), item)
            case "reasoning":
                return self._message.thinking("")
        return []

    def _end(self, event: _Event) -> list[AssistantEvent]:
        item = event.item or {}
        key = _key(event, item)
        opened = self._open.pop(key, None)
        message, events = self._message, []
        match item.get("type"):
            case "function_call":
                if opened is None:
                    opened = _Open()
                    events += self._call(opened, key, item)
                if not opened.streamed:
                    events += message.arguments(key, item.get("arguments") or "")
                events += message.end_call(key)
                if item.get("status") == "incomplete":
                    message.broken_calls.setdefault(opened.call_id, CUT_CALL)
            case "reasoning":
                if opened is None or not opened.streamed:
                    events += message.thinking(_reasoning_text(item))
                message.sign(reasoning_signature(item))
                events += message.end_prose()
            case "message":
                text = "" if opened is not None and opened.streamed else _message_text(item)
                if text:
                    events += message.text(text)
                if text or (opened is not None and opened.streamed):
                    message.sign(text_signature(item) or "")
                    events += message.end_prose()
        return events

    def _call(self, opened: _Open, key: Any, item: Item) -> list[AssistantEvent]:
        self._called = True
        opened.call_id = joined_id(item.get("call_id") or item.get("id") or f"call_{key}", item.get("id"))
        return self._message.tool_call(key, opened.call_id, item.get("name") or "")

    def _text(self, event: _Event) -> list[AssistantEvent]:
        opened = self._opened(event)
        opened.streamed = True
        return self._message.text(event.delta or "")

    def _thinking(self, event: _Event) -> list[AssistantEvent]:
        opened = self._opened(event)
        another_part = opened.part is not None and event.summary_index != opened.part
        opened.streamed, opened.part = True, event.summary_index
        return self._message.thinking(f"\n\n{event.delta or ''}" if another_part else event.delta or "")

    def _arguments(self, event: _Event) -> list[AssistantEvent]:
        opened = self._opened(event)
        key = _key(event, {})
        if not self._message.has_call(key):
            return []
        opened.streamed = True
        return self._message.arguments(key, event.delta or "")

    def _opened(self, event: _Event) -> _Open:
        return self._open.setdefault(_key(event, {}), _Open())

    def _name(self, response: Item) -> None:
        self._message.response_id = response.get("id") or self._message.response_id
        self._message.response_model = response.get("model") or self._message.response_model

    def _conclude(self, response: Item, ended: str) -> None:
        message = self._message
        self._name(response)
        if isinstance(response.get("usage"), dict):
            usage = usage_of(response["usage"])
            tier = response.get("service_tier") or self._model.asked_service_tier
            settle(usage, self._model.cost, tier)
            message.usage = usage
        if ended == "failed" or response.get("error"):
            raise failure_of_body({"error": response.get("error") or {"message": "The response failed."}})
        reason = (response.get("incomplete_details") or {}).get("reason")
        message.raw_stop_reason = reason or response.get("status") or ended
        message.stop_reason = "length" if ended == "incomplete" else "stop"
        self.done = True


def _key(event: _Event, item: Item) -> Any:
    # The number first: behind some gateways the id of an item is another one in every event.
    return event.output_index if event.output_index is not None else item.get("id") or event.item_id


def _reasoning_text(item: Item) -> str:
    parts = item.get("summary") or item.get("content") or []
    return "\n\n".join(part.get("text") or "" for part in parts)


def _message_text(item: Item) -> str:
    return "".join(part.get("text") or part.get("refusal") or "" for part in item.get("content") or [])


def usage_of(given: Item) -> Usage:
    """Tokens from the usage of a response, the cached part apart."""

    def number(holder: Any, name: str) -> int:
        value = holder.get(name) if isinstance(holder, dict) else None
        return value if isinstance(value, int) else 0

    details = given.get("input_tokens_details")
    read, write = number(details, "cached_tokens"), number(details, "cache_write_tokens")
    usage = Usage(
        input=max(0, number(given, "input_tokens") - read - write),
        output=number(given, "output_tokens"),
        cache_read=read,
        cache_write=write,
    )
    reasoning = number(given.get("output_tokens_details"), "reasoning_tokens")
    if reasoning:
        usage.reasoning = reasoning
    return usage
