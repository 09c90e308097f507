"""A scripted provider, trivial tools and a history, to drive the real loop with."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing
from typing import Any, ClassVar

from pi_tui.agent.abort import Abort
from pi_tui.agent.events import (
    AgentEvent,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
    TurnEnd,
)
from pi_tui.agent.loop import Request, RunState, run
from pi_tui.agent.queue import MessageQueue
from pi_tui.agent.tool import OnUpdate, ToolResult, text_result
from pi_tui.llm.messages import AgentMessage, AssistantMessage, TextContent, UserMessage, text_of
from pi_tui.llm.model import Model
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamOptions, Usage

MODEL = Model(id="scripted", provider="test", api="test")

Step = Callable[[MessageAssembler], AsyncIterator[AssistantEvent]]
Hook = Callable[[AgentEvent], Awaitable[None] | None]


def user(text: str) -> UserMessage:
    return UserMessage([TextContent(text)], 1)


def answer(
    text: str = "", *calls: tuple[str, str, str], thinking: str = "", stop: str = "", delta: int = 4
) -> Step:
    """A response: thinking, text in pieces of `delta` characters, then calls as (id, name, raw JSON)."""

    async def stream(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        await asyncio.sleep(0)
        message.usage = Usage(input=10, total_tokens=10)
        for event in message.thinking(thinking) if thinking else ():
            yield event
        for start in range(0, len(text), delta):
            for event in message.text(text[start : start + delta]):
                yield event
        for call_id, name, raw in calls:
            for event in message.tool_call(call_id, call_id, name):
                yield event
            for event in message.arguments(call_id, raw):
                yield event
        for event in message.end():
            yield event
        message.usage.output = 5
        message.stop_reason = stop or ("toolUse" if calls else "stop")

    return stream


def fails(error: Exception, after: str = "") -> Step:
    async def stream(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.text(after) if after else ():
            yield event
        raise error

    return stream


def hangs(after: str = "", reached: asyncio.Event | None = None) -> Step:
    """Never goes on after its text."""

    async def stream(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.text(after) if after else ():
            yield event
        if reached is not None:
            reached.set()
        await asyncio.Event().wait()

    return stream


class Echo:
    """Gives back its text."""

    name = "echo"
    description = "Gives back its text."
    parameters: ClassVar = {
        "type": "object",
        "properties": {"text": {"type": "string"}, "times": {"type": "integer"}},
        "required": ["text"],
    }
    summary = ""
    rules = ()
    alone = False

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        await asyncio.sleep(0)
        return text_result(arguments["text"] * arguments.get("times", 1))


class Run(Echo):
    """Runs a function of the test."""

    name = "run"
    description = "Runs a function of the test."
    parameters: ClassVar = {"type": "object"}

    def __init__(
        self,
        body: Callable[[dict[str, Any], OnUpdate], Awaitable[ToolResult]],
        *,
        name: str = "run",
        alone: bool = False,
    ) -> None:
        self._body = body
        self.name = name
        self.alone = alone

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        return await self._body(arguments, on_update)


class Conversation:
    """What the owner of a run does: stores messages at their end and gives the history with each request."""

    def __init__(self, *steps: Step, tools: Sequence[Any] = (), queue: MessageQueue | None = None) -> None:
        self.history: list[AgentMessage] = []
        self.steps = list(steps)
        self.sent: list[list[str]] = []
        """Each request as "role: text"."""
        self.tools = list(tools) or [Echo()]
        self.queue = queue or MessageQueue()
        self.abort = Abort()
        self.state = RunState()
        self.events: list[AgentEvent] = []

    async def request(self) -> Request:
        return Request(MODEL, list(self.history), "system", self.tools, StreamOptions())

    async def stream(
        self, model: Model, context: Context, options: StreamOptions, message: MessageAssembler
    ) -> AsyncIterator[AssistantEvent]:
        self.sent.append([f"{_role(one)}: {text_of(one.content)}" for one in context.messages])
        async with aclosing(self.steps.pop(0)(message)) as events:
            async for event in events:
                yield event

    def run(self, *prompts: str) -> AsyncGenerator[AgentEvent, None]:
        return run(
            prompts=[user(text) for text in prompts],
            request=self.request,
            stream=self.stream,
            queue=self.queue,
            abort=self.abort,
            state=self.state,
            model=MODEL,
        )

    async def play(self, *prompts: str, on_event: Hook | None = None) -> list[str]:
        """Runs to the end; the events, a line each."""
        async with aclosing(self.run(*prompts)) as events:
            async for event in events:
                self.events.append(event)
                if isinstance(event, MessageEnd):
                    self.history.append(event.message)
                if on_event is not None and (waits := on_event(event)) is not None:
                    await waits
        return [line(event) for event in self.events]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]


def line(event: AgentEvent) -> str:
    """An event in a line, with what a test of the order wants to see."""
    name = event.__struct_config__.tag
    match event:
        case MessageStart(message) | MessageEnd(message):
            said = text_of(message.content)
            end = f" [{message.stop_reason}]" if isinstance(message, AssistantMessage) else ""
            return f"{name} {_role(message)} {said!r}{end}"
        case MessageUpdate():
            return f"{name} {event.assistant_message_event.__struct_config__.tag}"
        case ToolExecutionStart():
            return f"{name} {event.tool_call_id} {event.args}"
        case ToolExecutionUpdate():
            return f"{name} {event.tool_call_id} {text_of(event.partial_result.content)!r}"
        case ToolExecutionEnd():
            failed = " error" if event.is_error else ""
            return f"{name} {event.tool_call_id} {text_of(event.result.content)!r}{failed}"
        case TurnEnd():
            return f"{name} {[result.tool_call_id for result in event.tool_results]}"
    return str(name)


def _role(message: Any) -> str:
    return str(message.__struct_config__.tag)
