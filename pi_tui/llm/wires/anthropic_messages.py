"""The `anthropic-messages` wire: Anthropic, and the servers that speak its messages API."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any

import msgspec
from msgspec import Struct

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.failures import failure_of_body
from pi_tui.llm.model import Model
from pi_tui.llm.pricing import settle
from pi_tui.llm.stream import CUT_CALL, AssistantEvent, Context, MessageAssembler, StreamOptions, ToolCallEnd
from pi_tui.llm.wires.anthropic_request import request_body, request_headers
from pi_tui.llm.wires.connection import stream_response

STOP_REASONS = {
    "end_turn": "stop",
    "stop_sequence": "stop",
    "pause_turn": "stop",
    "tool_use": "toolUse",
    "max_tokens": "length",
    "model_context_window_exceeded": "length",
}


def stream(
    model: Model, context: Context, options: StreamOptions, message: MessageAssembler
) -> AsyncIterator[AssistantEvent]:
    """Streams one response of a messages API."""
    body = partial(request_body, model, context, options)
    headers = partial(request_headers, model, context, options)
    return stream_response(model, options, "/v1/messages", body, headers, reader=_Reader(message, model))


class _Delta(Struct):
    type: str = ""
    text: str = ""
    thinking: str = ""
    signature: str = ""
    partial_json: str = ""
    stop_reason: str | None = None


class _Event(Struct):
    type: str = ""
    index: int = 0
    delta: _Delta | None = None
    content_block: dict[str, Any] | None = None
    message: dict[str, Any] | None = None
    usage: dict[str, Any] | None = None
    error: Any = None


_decoder = msgspec.json.Decoder(_Event)


class _Reader:
    """Tells the assembler what each event says."""

    def __init__(self, message: MessageAssembler, model: Model) -> None:
        self._message = message
        self._model = model
        self.done = False

    def read(self, data: bytes) -> list[AssistantEvent]:
        event = _decoder.decode(data)
        match event.type:
            case "content_block_delta":
                return self._delta(event.index, event.delta or _Delta())
            case "content_block_start":
                return self._start(event.index, event.content_block or {})
            case "content_block_stop":
                if self._message.has_call(event.index):
                    return self._message.end_call(event.index)
                return self._message.end_prose()
            case "message_start":
                self._begin(event.message or {})
            case "message_delta":
                self._count(event.usage or {})
                self._stop((event.delta or _Delta()).stop_reason)
            case "message_stop":
                self.done = True
            case "error" | "":
                raise failure_of_body(data)
            case _:
                pass
        return []

    def finish(self) -> list[AssistantEvent]:
        """Ends the message.

        Raises:
            ProviderError: The stream was cut, or the model refused.
        """
        message = self._message
        if message.raw_stop_reason == "refusal":
            raise ProviderError(
                ErrorKind.CONTENT_FILTER, "The model declined to answer (stop reason: refusal)."
            )
        if message.stop_reason is None:
            raise ProviderError(ErrorKind.NETWORK, "The response ended before it was complete.")
        events = message.end()
        if message.stop_reason == "length":
            for event in events:
                if isinstance(event, ToolCallEnd):
                    message.broken_calls.setdefault(event.tool_call.id, CUT_CALL)
        return events

    def _begin(self, started: dict[str, Any]) -> None:
        self._message.response_id = started.get("id")
        self._message.response_model = started.get("model")
        self._count(started.get("usage") or {})

    def _start(self, index: int, block: dict[str, Any]) -> list[AssistantEvent]:
        message = self._message
        match block.get("type"):
            case "text":
                return message.text(block.get("text") or "")
            case "thinking":
                events = message.thinking(block.get("thinking") or "")
                message.sign(block.get("signature") or "")
                return events
            case "redacted_thinking":
                return message.redacted_thinking(block.get("data") or "")
            case "tool_use":
                events = message.tool_call(
                    index, block.get("id") or f"toolu_{index}", block.get("name") or ""
                )
                if given := block.get("input"):
                    events += message.arguments(index, msgspec.json.encode(given).decode())
                return events
            case _:
                return []

    def _delta(self, index: int, delta: _Delta) -> list[AssistantEvent]:
        match delta.type:
            case "text_delta":
                return self._message.text(delta.text)
            case "thinking_delta":
                return self._message.thinking(delta.thinking)
            case "input_json_delta" if self._message.has_call(index):
                return self._message.arguments(index, delta.partial_json)
            case "signature_delta":
                self._message.sign(delta.signature)
        return []

    def _stop(self, reason: str | None) -> None:
        if reason is not None:
            self._message.raw_stop_reason = reason
            self._message.stop_reason = STOP_REASONS.get(reason, "stop")

    def _count(self, usage: dict[str, Any]) -> None:
        """Counts are cumulative: a later one replaces an earlier one."""
        total = self._message.usage
        for field, name in (
            ("input", "input_tokens"),
            ("output", "output_tokens"),
            ("cache_read", "cache_read_input_tokens"),
            ("cache_write", "cache_creation_input_tokens"),
        ):
            if isinstance(usage.get(name), int):
                setattr(total, field, usage[name])
        lasting = (usage.get("cache_creation") or {}).get("ephemeral_1h_input_tokens")
        if isinstance(lasting, int) and lasting:
            total.cache_write1h = lasting
        reasoning = (usage.get("output_tokens_details") or {}).get("thinking_tokens")
        if isinstance(reasoning, int):
            total.reasoning = reasoning
        settle(total, self._model.cost)
