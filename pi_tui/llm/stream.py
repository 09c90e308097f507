"""One streamed response: the events that tell of it and the message that grows from them.

A wire format is one async generator that tells a `MessageAssembler` what came and passes on the events it
answers with. Whoever owns the assembler has the partial message at any moment, also after an abort.
"""

import json
from collections.abc import AsyncIterator
from typing import Any, Protocol, TypeAlias

import msgspec
from msgspec import Struct

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import (
    AssistantBlock,
    AssistantMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolSpec,
    Usage,
    WireMessage,
    now_ms,
)
from pi_tui.llm.model import Model, ThinkingLevel

CUT_CALL = "the response was cut off at the output limit before the call was complete"
"""Why a tool call is not run, where the wire tells that its arguments are not whole."""


class _Event(Struct, tag_field="type", rename="camel"):
    content_index: int


class TextStart(_Event, tag="text_start"):
    pass


class TextDelta(_Event, tag="text_delta"):
    delta: str


class TextEnd(_Event, tag="text_end"):
    content: str


class ThinkingStart(_Event, tag="thinking_start"):
    pass


class ThinkingDelta(_Event, tag="thinking_delta"):
    delta: str


class ThinkingEnd(_Event, tag="thinking_end"):
    content: str


class ToolCallStart(_Event, tag="toolcall_start"):
    id: str
    tool_name: str


class ToolCallDelta(_Event, tag="toolcall_delta"):
    delta: str


class ToolCallEnd(_Event, tag="toolcall_end"):
    tool_call: ToolCall


AssistantEvent: TypeAlias = (
    TextStart
    | TextDelta
    | TextEnd
    | ThinkingStart
    | ThinkingDelta
    | ThinkingEnd
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
)


class Context(Struct):
    """What one request sends: the system prompt, a history legal for the wire, and the tools."""

    system: str
    messages: list[WireMessage]
    tools: list[ToolSpec] = msgspec.field(default_factory=list)


class StreamOptions(Struct, kw_only=True):
    api_key: str | None = None
    thinking_level: ThinkingLevel = "off"
    max_tokens: int | None = None
    """Output limit of this request in tokens; the model's own where None."""
    temperature: float | None = None
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    session_id: str | None = None
    cache: bool = True
    """False switches off prompt-cache writes (summary requests)."""
    thinking_budgets: dict[str, int] = msgspec.field(default_factory=dict)
    """Tokens per thinking level, over the built-in budgets."""
    connect_timeout: float | None = 15.0
    """Seconds; None waits for ever."""
    idle_timeout: float | None = 300.0
    """Seconds of silence in a stream that count as a network error; None waits for ever."""
    proxy: str | None = None
    max_retries: int = 0
    """How often the SDK sends a failed request again by itself, before anybody hears of it."""


class StreamFunction(Protocol):
    """A wire format. Raises `ProviderError` for all that goes wrong; being cancelled closes the stream."""

    def __call__(
        self, model: Model, context: Context, options: StreamOptions, message: "MessageAssembler"
    ) -> AsyncIterator[AssistantEvent]: ...


class _Open:
    """A content block that still grows."""

    __slots__ = ("call_id", "index", "kind", "name", "parts", "signature")

    def __init__(self, kind: str, index: int, call_id: str = "", name: str = "") -> None:
        self.kind = kind
        self.index = index
        self.parts: list[str] = []
        self.signature: str | None = None
        self.call_id = call_id
        self.name = name


class MessageAssembler:
    """Grows one assistant message. Each method returns the events that tell of the change.

    Text and thinking follow one another: a delta of one kind ends an open block of the other. Tool calls are
    told apart by a key of the wire's own, since some servers send several at once.
    """

    def __init__(self, model: Model, thinking_level: ThinkingLevel | None = None) -> None:
        self.model = model
        self.usage = Usage()
        self.stop_reason: str | None = None
        self.raw_stop_reason: str | None = None
        self.response_id: str | None = None
        self.response_model: str | None = None
        self.broken_calls: dict[str, str] = {}
        """Tool calls whose arguments are not whole JSON objects, by id: they must never be run."""
        self._thinking_level = thinking_level
        self._started = now_ms()
        self._blocks: list[AssistantBlock | None] = []
        self._prose: _Open | None = None
        self._calls: dict[Any, _Open] = {}

    @property
    def empty(self) -> bool:
        return not self._blocks

    def text(self, delta: str) -> list[AssistantEvent]:
        events = self._prose_of("text")
        assert self._prose is not None
        if delta:
            self._prose.parts.append(delta)
            events.append(TextDelta(self._prose.index, delta))
        return events

    def thinking(self, delta: str) -> list[AssistantEvent]:
        events = self._prose_of("thinking")
        assert self._prose is not None
        if delta:
            self._prose.parts.append(delta)
            events.append(ThinkingDelta(self._prose.index, delta))
        return events

    def sign(self, signature: str) -> None:
        """Adds to the signature of the open text or thinking block."""
        if self._prose is not None:
            self._prose.signature = (self._prose.signature or "") + signature

    def redacted_thinking(self, data: str) -> list[AssistantEvent]:
        """A whole block of encrypted thinking."""
        events = self.end_prose()
        index = len(self._blocks)
        self._blocks.append(ThinkingContent("", data, True))
        return [*events, ThinkingStart(index), ThinkingEnd(index, "")]

    def tool_call(self, key: Any, call_id: str, name: str) -> list[AssistantEvent]:
        events = self.end_prose()
        call = _Open("toolCall", len(self._blocks), call_id, name)
        self._blocks.append(None)
        self._calls[key] = call
        return [*events, ToolCallStart(call.index, call_id, name)]

    def arguments(self, key: Any, delta: str) -> list[AssistantEvent]:
        call = self._calls[key]
        if not delta:
            return []
        call.parts.append(delta)
        return [ToolCallDelta(call.index, delta)]

    def sign_call(self, key: Any, signature: str) -> None:
        """The signature of the thoughts behind an open tool call, which some providers want back."""
        self._calls[key].signature = signature

    def has_call(self, key: Any) -> bool:
        return key in self._calls

    def end_call(self, key: Any) -> list[AssistantEvent]:
        call = self._calls.pop(key)
        block = self._close_call(call)
        self._blocks[call.index] = block
        return [ToolCallEnd(call.index, block)]

    def end_prose(self) -> list[AssistantEvent]:
        """Ends the open text or thinking block, if any."""
        block = self._prose
        if block is None:
            return []
        self._prose = None
        content = "".join(block.parts)
        if block.kind == "text":
            self._blocks[block.index] = TextContent(content, block.signature)
            return [TextEnd(block.index, content)]
        self._blocks[block.index] = ThinkingContent(content, block.signature)
        return [ThinkingEnd(block.index, content)]

    def end(self) -> list[AssistantEvent]:
        """Ends everything that is open."""
        events = self.end_prose()
        for key in list(self._calls):
            events += self.end_call(key)
        return events

    def snapshot(self) -> AssistantMessage:
        """The message so far, as `pending`."""
        return self._message("pending", None)

    def finish(self) -> AssistantMessage:
        """The whole message.

        Raises:
            ProviderError: The stream ended without a stop reason, or with nothing in it.
        """
        if self.stop_reason is None:
            raise ProviderError(ErrorKind.NETWORK, "The response ended before it was complete.")
        if self.empty and self.stop_reason in ("stop", "toolUse") and not self.usage.output:
            raise ProviderError(ErrorKind.OVERLOADED, "The model sent an empty response.")
        return self._message(self.stop_reason, None)

    def failed(self, message: str) -> AssistantMessage:
        """What came before an error, as the message that tells of it."""
        return self._message("error", message)

    def aborted(self) -> AssistantMessage:
        """What came before the user stopped it."""
        return self._message("aborted", "Request was aborted")

    def _prose_of(self, kind: str) -> list[AssistantEvent]:
        if self._prose is not None and self._prose.kind == kind:
            return []
        events = self.end_prose()
        block = _Open(kind, len(self._blocks))
        self._blocks.append(None)
        self._prose = block
        events.append(TextStart(block.index) if kind == "text" else ThinkingStart(block.index))
        return events

    def _close_call(self, call: _Open) -> ToolCall:
        raw = "".join(call.parts)
        arguments: dict[str, Any] = {}
        if raw.strip():
            try:
                # Not strict: models send raw newlines and tabs inside strings.
                decoded = json.loads(raw, strict=False)
            except (ValueError, RecursionError) as error:
                self.broken_calls[call.call_id] = f"the arguments are not valid JSON: {error}"
            else:
                if isinstance(decoded, dict):
                    arguments = decoded
                else:
                    self.broken_calls[call.call_id] = "the arguments are not a JSON object"
        return ToolCall(call.call_id, call.name, arguments, call.signature)

    def _message(self, stop_reason: str, error: str | None) -> AssistantMessage:
        blocks: list[AssistantBlock] = []
        opened = {call.index: call for call in self._calls.values()}
        for index, block in enumerate(self._blocks):
            if block is not None:
                blocks.append(block)
            elif self._prose is not None and index == self._prose.index:
                content = "".join(self._prose.parts)
                if self._prose.kind == "text":
                    blocks.append(TextContent(content, self._prose.signature))
                else:
                    blocks.append(ThinkingContent(content, self._prose.signature))
            elif index in opened and stop_reason == "pending":
                blocks.append(ToolCall(opened[index].call_id, opened[index].name, {}))
        return AssistantMessage(
            content=blocks,
            api=self.model.api,
            provider=self.model.provider,
            model=self.model.id,
            usage=self.usage,
            stop_reason=stop_reason,
            timestamp=self._started,
            error_message=error,
            response_model=self.response_model,
            response_id=self.response_id,
            raw_stop_reason=self.raw_stop_reason,
            duration_ms=None if stop_reason == "pending" else now_ms() - self._started,
            thinking_level=self._thinking_level,
        )
