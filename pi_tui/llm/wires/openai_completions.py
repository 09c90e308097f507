"""The `openai-completions` wire: OpenAI chat completions and the many servers that speak it."""

from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from uuid import uuid4

import msgspec
from msgspec import Struct

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.failures import failure_of_body
from pi_tui.llm.messages import Usage
from pi_tui.llm.model import Model
from pi_tui.llm.pricing import settle
from pi_tui.llm.stream import CUT_CALL, AssistantEvent, Context, MessageAssembler, StreamOptions, ToolCallEnd
from pi_tui.llm.wires.connection import stream_response
from pi_tui.llm.wires.openai_compat import compat_of
from pi_tui.llm.wires.openai_request import REASONING_FIELDS, request_body, request_headers

STOP_REASONS = {
    "stop": "stop",
    "end": "stop",
    "eos": "stop",
    "length": "length",
    "max_tokens": "length",
    "model_length": "length",
    "tool_calls": "toolUse",
    "function_call": "toolUse",
}


def stream(
    model: Model, context: Context, options: StreamOptions, message: MessageAssembler
) -> AsyncIterator[AssistantEvent]:
    """Streams one response of a chat completions API."""
    body = partial(request_body, model, context, options)
    headers = partial(request_headers, model, options)
    return stream_response(model, options, "/chat/completions", body, headers, reader=_Reader(message, model))


class _Function(Struct):
    name: str | None = None
    arguments: Any = None


class _CallDelta(Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None
    extra_content: Any = None


class _Delta(Struct):
    content: Any = None
    reasoning_content: Any = None
    reasoning: Any = None
    reasoning_text: Any = None
    refusal: Any = None
    tool_calls: list[_CallDelta] | None = None


class _Choice(Struct):
    delta: _Delta | None = None
    finish_reason: str | None = None
    usage: Any = None
    error: Any = None


class _Chunk(Struct):
    id: str | None = None
    model: str | None = None
    choices: list[_Choice] | None = None
    usage: Any = None
    error: Any = None
    service_tier: Any = None


_decoder = msgspec.json.Decoder(_Chunk)


class _Call:
    """A tool call as the server names it: by index, by id, or not at all."""

    __slots__ = ("early", "id", "key", "started")

    def __init__(self, key: int, call_id: str | None) -> None:
        self.key = key
        self.id = call_id
        self.early = ""
        """Arguments that came before the name."""
        self.started = False


class _Reader:
    """Tells the assembler what each chunk says."""

    def __init__(self, message: MessageAssembler, model: Model) -> None:
        self._message = message
        self._model = model
        self._calls: list[_Call] = []
        self._at: dict[int, _Call] = {}
        self._signed = False
        self._tier = model.asked_service_tier
        self.done = False

    def read(self, data: bytes) -> list[AssistantEvent]:
        if data == b"[DONE]":
            self.done = True
            return []
        chunk = _decoder.decode(data)
        if chunk.error:
            raise failure_of_body(data)
        if isinstance(chunk.service_tier, str):
            self._tier = chunk.service_tier
        if chunk.usage:
            self._count(chunk.usage)
        if not chunk.choices:
            return []
        choice = chunk.choices[0]
        if choice.error:
            raise failure_of_body({"error": choice.error})
        message = self._message
        if message.response_id is None:
            message.response_id, message.response_model = chunk.id, chunk.model
        if choice.usage:
            self._count(choice.usage)
        events = self._delta(choice.delta) if choice.delta is not None else []
        if choice.finish_reason:
            message.raw_stop_reason = choice.finish_reason
            message.stop_reason = STOP_REASONS.get(choice.finish_reason, "stop")
        return events

    def finish(self) -> list[AssistantEvent]:
        """Ends the message.

        Raises:
            ProviderError: The stream was cut, or a filter stopped it.
        """
        message = self._message
        match message.raw_stop_reason:
            case "content_filter":
                raise ProviderError(
                    ErrorKind.CONTENT_FILTER, "The provider's content filter stopped the answer."
                )
            case "error" | "insufficient_system_resource":
                raise ProviderError(ErrorKind.OVERLOADED, "The provider broke the answer off with an error.")
            case None if self.done and not compat_of(self._model).supports_finish_reason:
                message.stop_reason = "stop"
            case None:
                raise ProviderError(ErrorKind.NETWORK, "The response ended before it was complete.")
        called = any(call.started for call in self._calls)
        if message.stop_reason != "length":
            message.stop_reason = "toolUse" if called else "stop"
        events = message.end()
        if message.stop_reason == "length":
            last = events[-1] if events else None
            if isinstance(last, ToolCallEnd) and not last.tool_call.arguments:
                message.broken_calls.setdefault(last.tool_call.id, CUT_CALL)
        return events

    def _delta(self, delta: _Delta) -> list[AssistantEvent]:
        events: list[AssistantEvent] = []
        for field in REASONING_FIELDS:
            thought = getattr(delta, field)
            if isinstance(thought, str) and thought:
                events += self._thinking(thought, field)
                break
        if isinstance(delta.content, str):
            if delta.content:
                events += self._text(delta.content)
        elif delta.content:
            events += self._parts(delta.content)
        if isinstance(delta.refusal, str) and delta.refusal:
            events += self._text(delta.refusal)
        for call in delta.tool_calls or ():
            events += self._call(call)
        return events

    def _text(self, text: str) -> list[AssistantEvent]:
        self._signed = False
        return self._message.text(text)

    def _thinking(self, text: str, field: str) -> list[AssistantEvent]:
        events = self._message.thinking(text)
        if not self._signed:
            self._message.sign(field)
            self._signed = True
        return events

    def _parts(self, parts: Any) -> list[AssistantEvent]:
        """Content in parts, as Mistral's thinking models send it."""
        events: list[AssistantEvent] = []
        for part in parts if isinstance(parts, list) else ():
            thinking = part.get("thinking")
            if isinstance(thinking, list):
                thinking = "".join(piece.get("text", "") for piece in thinking)
            if thinking:
                events += self._thinking(thinking, REASONING_FIELDS[0])
            elif part.get("text"):
                events += self._text(part["text"])
        return events

    def _call(self, delta: _CallDelta) -> list[AssistantEvent]:
        self._signed = False
        function = delta.function or _Function()
        call = self._known(delta, function) or self._new_call(delta)
        arguments = function.arguments
        if arguments is not None and not isinstance(arguments, str):
            arguments = msgspec.json.encode(arguments).decode()
        events: list[AssistantEvent] = []
        if not call.started and function.name:
            call.id = call.id or delta.id or f"call_{uuid4().hex[:24]}"
            events += self._message.tool_call(call.key, call.id, function.name)
            call.started = True
            if signature := _thought_signature(delta.extra_content):
                self._message.sign_call(call.key, signature)
            arguments = call.early + (arguments or "")
        if not call.started:
            call.early += arguments or ""
        elif arguments:
            events += self._message.arguments(call.key, arguments)
        return events

    def _known(self, delta: _CallDelta, function: _Function) -> _Call | None:
        """The call that goes on: servers leave out the index, the id, or give every call the same index."""
        if delta.index is not None:
            call = self._at.get(delta.index)
        elif delta.id:
            call = next((one for one in self._calls if one.id == delta.id), None)
        else:
            call = self._calls[-1] if self._calls and not function.name else None
        another = call is not None and delta.id and call.id and delta.id != call.id and function.name
        return None if another else call

    def _new_call(self, delta: _CallDelta) -> _Call:
        call = _Call(len(self._calls), delta.id)
        self._calls.append(call)
        if delta.index is not None:
            self._at[delta.index] = call
        return call

    def _count(self, given: Any) -> None:
        usage = usage_of(given)
        settle(usage, self._model.cost, self._tier)
        charged = given.get("cost")
        if isinstance(charged, int | float) and not usage.cost.total:
            # OpenRouter says what it charges, also for models whose prices are not known here.
            usage.cost.total = float(charged)
        self._message.usage = usage


def _thought_signature(extra: Any) -> str | None:
    """Gemini's, which its endpoint wants back with the call."""
    google = extra.get("google") if isinstance(extra, dict) else None
    signature = google.get("thought_signature") if isinstance(google, dict) else None
    return signature if isinstance(signature, str) else None


def usage_of(given: dict[str, Any]) -> Usage:
    """Tokens from a usage object in any of the forms in use."""

    def number(value: Any) -> int:
        return int(value) if isinstance(value, int | float) else 0

    prompt_details = given.get("prompt_tokens_details") or {}
    output_details = given.get("completion_tokens_details") or {}
    prompt, output = number(given.get("prompt_tokens")), number(given.get("completion_tokens"))
    read = number(
        prompt_details.get("cached_tokens")
        or given.get("prompt_cache_hit_tokens")
        or given.get("cached_tokens")
    )
    write = number(prompt_details.get("cache_write_tokens"))
    # Google and xAI count thinking in the total, but not among the completion tokens.
    output = max(output, number(given.get("total_tokens")) - prompt)
    usage = Usage(input=max(0, prompt - read - write), output=output, cache_read=read, cache_write=write)
    reasoning = number(output_details.get("reasoning_tokens"))
    if reasoning:
        usage.reasoning = reasoning
    return usage
