"""The tool calls of one response: run, watched, and answered in the order they were asked for."""

import asyncio
import time
from collections.abc import AsyncGenerator, Iterator, Mapping, Sequence

from msgspec import UNSET, Struct, UnsetType

from pi_tui.agent.abort import Abort, end
from pi_tui.agent.arguments import ArgumentError, prepare
from pi_tui.agent.events import (
    AgentEvent,
    PartialResult,
    ToolExecutionEnd,
    ToolExecutionStart,
    ToolExecutionUpdate,
)
from pi_tui.agent.surrogates import mended
from pi_tui.agent.tool import OnUpdate, Tool, ToolError, ToolResult
from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    now_ms,
)

NO_OUTPUT = "(no output)"
"""Stands for an empty result, since providers refuse empty texts."""
ABORTED = "Aborted by the user."
NOT_STARTED = "Not run: aborted by the user."


class Execution(Struct):
    """What came of one call. `duration_ms` is absent when the tool did not run."""

    result: ToolResult
    is_error: bool
    duration_ms: int | UnsetType = UNSET


class ToolCalls:
    """Runs the calls of a finished message.

    Args:
        message: The response that asks for them.
        broken: Why calls have no usable arguments, by call id.
        tools: What there is to call.
        abort: Cancels the running tools; what has not begun is not begun.
    """

    def __init__(
        self, message: AssistantMessage, broken: Mapping[str, str], tools: Sequence[Tool], abort: Abort
    ) -> None:
        self.results: list[ToolResultMessage] = []
        """In source order, complete when `run` has ended."""
        self._calls = message.tool_calls
        self._cut = message.stop_reason == "length"
        self._broken = broken
        self._tools = {tool.name: tool for tool in tools}
        self._abort = abort
        self._partial: dict[int, PartialResult] = {}
        self._done: list[int] = []
        self._news = asyncio.Event()

    async def run(self) -> AsyncGenerator[AgentEvent, None]:
        """Runs all calls, those next to each other at the same time unless a tool wants to be alone."""
        for group in self._groups():
            for index in group:
                call = self._calls[index]
                yield ToolExecutionStart(call.id, call.name, call.arguments)
            running = {index: self._start(index) for index in group}
            ended: dict[int, Execution] = {}
            try:
                while len(ended) < len(group):
                    await self._news.wait()
                    self._news.clear()
                    done, self._done = self._done, []
                    for update in self._updates():
                        yield update
                    for index in done:
                        ended[index] = _execution(running[index])
                        yield self._end(index, ended[index])
            finally:
                await end(running.values())
            self.results += [_message(self._calls[index], ended[index]) for index in group]

    def _groups(self) -> Iterator[list[int]]:
        group: list[int] = []
        for index, call in enumerate(self._calls):
            tool = self._tools.get(call.name)
            if tool is not None and tool.alone:
                if group:
                    yield group
                yield [index]
                group = []
            else:
                group.append(index)
        if group:
            yield group

    def _start(self, index: int) -> asyncio.Task[Execution]:
        def ended(_: asyncio.Task[Execution]) -> None:
            self._done.append(index)
            self._news.set()

        task = self._abort.start(self._execute(index))
        task.add_done_callback(ended)
        return task

    def _updates(self) -> Iterator[ToolExecutionUpdate]:
        waiting, self._partial = self._partial, {}
        for index, partial in waiting.items():
            call = self._calls[index]
            yield ToolExecutionUpdate(call.id, call.name, call.arguments, mended(partial))

    def _end(self, index: int, execution: Execution) -> ToolExecutionEnd:
        call = self._calls[index]
        return ToolExecutionEnd(
            call.id, call.name, execution.result, execution.is_error, execution.duration_ms
        )

    async def _execute(self, index: int) -> Execution:
        call = self._calls[index]
        tool = self._tools.get(call.name)
        if tool is None:
            names = ", ".join(self._tools) or "none"
            return _failed(f"There is no tool named {call.name!r}. The tools are: {names}.")
        refusal = self._refusal(call)
        if refusal is not None:
            return _failed(refusal)
        try:
            # In a thread: the first validation loads a library.
            arguments = await asyncio.to_thread(prepare, tool.parameters, call.arguments)
        except ArgumentError as error:
            return _failed(f"The arguments of {call.name} do not fit, nothing was run:\n{error}")
        except Exception as error:  # noqa: BLE001 - a tool's schema can be anything
            return _failed(f"The schema of {call.name} cannot be used: {_named(error)}")
        finished = False

        def on_update(partial: ToolResult) -> None:
            if not finished:
                self._partial[index] = partial
                self._news.set()

        try:
            return await _run(tool, call.id, arguments, on_update, self._abort)
        finally:
            finished = True

    def _refusal(self, call: ToolCall) -> str | None:
        """Why this call must not be run."""
        broken = self._broken.get(call.id)
        # Whole arguments cannot be the beginning of longer ones; none at all can.
        if self._cut and (broken or not call.arguments):
            return (
                f"{call.name} was not run: the response reached its output limit before the call "
                "was complete. Send it again, in smaller parts."
            )
        if broken:
            return f"{call.name} was not run: {broken}. Send the call again."
        return None


async def _run(
    tool: Tool, call_id: str, arguments: dict[str, object], on_update: OnUpdate, abort: Abort
) -> Execution:
    """Runs a tool. Whatever goes wrong in it becomes an error result."""
    started = time.monotonic()
    is_error = True
    try:
        result = await tool.execute(call_id, arguments, on_update)
        if not isinstance(result, PartialResult):
            raise TypeError(f"it returned {type(result).__name__}, not a result")
        is_error = False
    except ToolError as error:
        result = PartialResult(_with_text(error.content, error.message), error.details)
    except asyncio.CancelledError:
        if not abort.requested and _being_cancelled():
            raise
        said = ABORTED if abort.requested else f"{tool.name} was cancelled from inside."
        result = PartialResult([TextContent(said)])
    except Exception as error:  # noqa: BLE001 - tools may be anyone's
        result = PartialResult([TextContent(f"{tool.name} failed: {_named(error)}")])
    result = PartialResult(_with_output(result.content), result.details)
    return Execution(mended(result), is_error, round((time.monotonic() - started) * 1000))


def _execution(task: asyncio.Task[Execution]) -> Execution:
    """What came of an ended call; one that was cancelled before its tool began has nothing to say."""
    return _failed(NOT_STARTED) if task.cancelled() else task.result()


def _being_cancelled() -> bool:
    task = asyncio.current_task()
    return task is not None and task.cancelling() > 0


def _failed(text: str) -> Execution:
    return Execution(PartialResult([TextContent(text)]), is_error=True)


def _named(error: Exception) -> str:
    return f"{type(error).__name__}: {error}" if str(error) else type(error).__name__


def _with_text(content: list[TextContent | ImageContent], text: str) -> list[TextContent | ImageContent]:
    """The content with a last text, after a blank line where text stands before it."""
    if content and isinstance(content[-1], TextContent) and content[-1].text:
        return [*content[:-1], TextContent(f"{content[-1].text.rstrip()}\n\n{text}")]
    return [*content, TextContent(text)]


def _with_output(content: list[TextContent | ImageContent]) -> list[TextContent | ImageContent]:
    """The content without empty texts, and never empty."""
    kept = [block for block in content if not isinstance(block, TextContent) or block.text.strip()]
    return kept or [TextContent(NO_OUTPUT)]


def _message(call: ToolCall, execution: Execution) -> ToolResultMessage:
    return ToolResultMessage(
        tool_call_id=call.id,
        tool_name=call.name,
        content=execution.result.content,
        is_error=execution.is_error,
        details=execution.result.details,
        duration_ms=None if execution.duration_ms is UNSET else execution.duration_ms,
        timestamp=now_ms(),
    )
