"""The agent loop: a run of turns, each one response of the model and the tool calls in it.

The loop holds no history. Whoever owns it stores each message on `message_end`, before asking for the next
event, and gives the whole conversation anew with every request.
"""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator, Sequence
from contextlib import aclosing

from msgspec import Struct

from pi_tui.agent.abort import Abort
from pi_tui.agent.calls import ToolCalls
from pi_tui.agent.events import (
    AgentEnd,
    AgentEvent,
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    TurnEnd,
    TurnStart,
)
from pi_tui.agent.queue import MessageQueue
from pi_tui.agent.response import Response, as_provider_error
from pi_tui.agent.surrogates import mended
from pi_tui.agent.tool import Tool, spec_of
from pi_tui.llm.errors import ProviderError
from pi_tui.llm.messages import AgentMessage, AssistantMessage, ToolResultMessage, now_ms
from pi_tui.llm.model import Model
from pi_tui.llm.replay import to_wire
from pi_tui.llm.stream import Context, StreamFunction, StreamOptions


class Request(Struct):
    """What the next response is made from."""

    model: Model
    messages: list[AgentMessage]
    system: str
    tools: Sequence[Tool]
    options: StreamOptions


class RunState(Struct):
    """How the last response of a run ended, for whoever decides what comes next."""

    failure: ProviderError | None = None
    """Set when the run ended with an error; `INTERNAL` for an exception nobody expected."""
    emitted: bool = False
    """Whether anything of that response was shown before it failed."""


async def run(
    *,
    prompts: Sequence[AgentMessage],
    request: Callable[[], Awaitable[Request]],
    stream: StreamFunction,
    queue: MessageQueue,
    abort: Abort,
    state: RunState | None = None,
    model: Model | None = None,
) -> AsyncGenerator[AgentEvent, None]:
    """Runs turns until a response asks for no tool and nothing is queued, or until an error or abort.

    Args:
        prompts: What starts the run; empty to go on with what is there.
        request: Asked before every response; it may take its time, and it may raise.
        stream: Sends a request in the wire format of its model.
        queue: Read between turns; what is left when the run ends stays in it.
        abort: Ends the stream and the tools; each is still answered for in the events.
        state: Filled in for the caller.
        model: Named by a message that ends before the first request is known.
    """
    turns = _Turns(request, stream, abort, state or RunState(), model)
    upcoming = [*prompts, *queue.take_steering()]
    yield AgentStart()
    while True:
        yield TurnStart()
        for message in upcoming:
            for event in turns.add(mended(message)):
                yield event
        async with aclosing(turns.respond()) as events:
            async for event in events:
                yield event
        async with aclosing(turns.call_tools()) as events:
            async for event in events:
                yield event
        yield TurnEnd(turns.message, turns.results)
        if abort.requested or turns.message.stop_reason in ("error", "aborted"):
            break
        upcoming = [*queue.take_steering()]
        if not upcoming and not turns.results:
            upcoming = [*queue.take_follow_ups()]
            if not upcoming:
                break
    yield AgentEnd(turns.messages)


class _Turns:
    """The turns of one run: what the last one had in it, and all messages so far."""

    def __init__(
        self,
        request: Callable[[], Awaitable[Request]],
        stream: StreamFunction,
        abort: Abort,
        state: RunState,
        model: Model | None,
    ) -> None:
        self.messages: list[AgentMessage] = []
        self.message = AssistantMessage([])
        self.results: list[ToolResultMessage] = []
        self._request = request
        self._stream = stream
        self._abort = abort
        self._state = state
        self._model = model
        self._tools: Sequence[Tool] = ()
        self._broken: dict[str, str] = {}

    def add(self, message: AgentMessage, *, begun: bool = False) -> Iterator[AgentEvent]:
        """A finished message."""
        self.messages.append(message)
        if not begun:
            yield MessageStart(message)
        yield MessageEnd(message)

    async def respond(self) -> AsyncGenerator[AgentEvent, None]:
        """Asks for a request, sends it, and tells of the response."""
        self._state.failure, self._state.emitted = None, False
        self._broken = {}
        asked = await self._ask()
        if asked is None:
            for event in self.add(self.message):
                yield event
            return
        request, context = asked
        self._model, self._tools = request.model, request.tools
        begun = False
        async with Response(self._stream, request.model, context, request.options, self._abort) as response:
            while batch := await response.batch():
                if not begun:
                    begun = True
                    yield MessageStart(response.begun())
                for update in batch:
                    yield MessageUpdate(response.usage, update)
            self.message = response.message()
        self._broken = response.broken_calls
        self._state.failure, self._state.emitted = response.failure, begun
        for event in self.add(self.message, begun=begun):
            yield event

    async def call_tools(self) -> AsyncGenerator[AgentEvent, None]:
        """Runs the calls of the response, if it is whole, and tells of their results."""
        self.results = []
        if not self.message.tool_calls or self.message.stop_reason in ("error", "aborted"):
            return
        calls = ToolCalls(self.message, self._broken, self._tools, self._abort)
        async with aclosing(calls.run()) as events:
            async for event in events:
                yield event
        self.results = calls.results
        for result in self.results:
            for event in self.add(result):
                yield event

    async def _ask(self) -> tuple[Request, Context] | None:
        """The next request and what of it is sent; None when there is none, and `message` says why."""
        async with self._abort.child(_asked(self._request)) as asking:
            await asyncio.wait([asking])
            if self._abort.requested:
                self.message = self._unsent("aborted", "Request was aborted")
                return None
            error = asyncio.CancelledError() if asking.cancelled() else asking.exception()
            if error is None:
                return asking.result()
        failure = as_provider_error(error)
        self._state.failure = failure
        self.message = self._unsent("error", failure.message)
        return None

    def _unsent(self, stop_reason: str, error: str) -> AssistantMessage:
        model = self._model
        return AssistantMessage(
            content=[],
            api=model.api if model else "",
            provider=model.provider if model else "",
            model=model.id if model else "",
            stop_reason=stop_reason,
            timestamp=now_ms(),
            error_message=error,
        )


async def _asked(request: Callable[[], Awaitable[Request]]) -> tuple[Request, Context]:
    asked = await request()
    messages = await asyncio.to_thread(to_wire, asked.messages, asked.model)
    return asked, Context(asked.system, messages, [spec_of(tool) for tool in asked.tools])
