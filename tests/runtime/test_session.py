import asyncio
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any, ClassVar

import pytest

from pi_tui.agent.events import AgentEnd, MessageEnd, MessageUpdate, PartialResult
from pi_tui.agent.retry import RetryPolicy
from pi_tui.agent.tool import OnUpdate, Tool, text_result
from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import AssistantMessage, UserMessage, text_of
from pi_tui.llm.model import Model
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamOptions
from pi_tui.resources.settings import Settings
from pi_tui.resources.system_prompt import build_system_prompt
from pi_tui.runtime.events import AgentSettled, AutoRetryEnd, AutoRetryStart
from pi_tui.runtime.session import AlreadyRunning, NoModel, Session
from pi_tui.session.log import SessionLog

MODEL = Model(id="one", provider="local", api="scripted", reasoning=True, context_window=1000)
OTHER = Model(id="two", provider="local", api="scripted")

Step = Callable[[MessageAssembler], AsyncIterator[AssistantEvent]]


@dataclass
class ScriptedServices:
    """Answers with one step a request, and remembers what was asked."""

    cwd: Path
    steps: list[Step]
    tools: Sequence[Tool] = ()
    sessions: Path | None = None
    settings: Settings = field(default_factory=Settings)
    requests: list[Context] = field(default_factory=list)
    retry_policy: RetryPolicy = field(default_factory=lambda: RetryPolicy(base_delay_ms=0))

    @property
    def prompt(self) -> Any:
        return build_system_prompt(tools=self.tools, context_files=(), cwd=self.cwd, today=date(2026, 1, 2))

    def stream(
        self, model: Model, context: Context, options: StreamOptions, message: MessageAssembler
    ) -> AsyncIterator[AssistantEvent]:
        self.requests.append(context)
        return self.steps.pop(0)(message)

    async def stream_options(self, model: Model, level: str, session_id: str) -> StreamOptions:
        return StreamOptions(session_id=session_id)


class Echo:
    name: ClassVar[str] = "echo"
    description: ClassVar[str] = "Says it again."
    parameters: ClassVar[dict[str, Any]] = {"type": "object", "properties": {"text": {"type": "string"}}}
    summary: ClassVar[str] = "say it again"
    rules: ClassVar[tuple[str, ...]] = ()
    alone: ClassVar[bool] = False

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> PartialResult:
        return text_result(arguments["text"])


def says(text: str) -> Step:
    async def step(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.text(text):
            yield event
        message.stop_reason = "stop"
        for event in message.end():
            yield event

    return step


def calls_echo(text: str) -> Step:
    async def step(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.tool_call(0, "call_1", "echo"):
            yield event
        for event in message.arguments(0, json.dumps({"text": text})):
            yield event
        message.stop_reason = "toolUse"
        for event in message.end():
            yield event

    return step


def fails(kind: ErrorKind) -> Step:
    async def step(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.text("half"):
            yield event
        raise ProviderError(kind, "It broke.")

    return step


def never_ends(started: asyncio.Event) -> Step:
    async def step(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.text("partial"):
            yield event
        started.set()
        await asyncio.Event().wait()

    return step


def make(tmp_path: Path, *steps: Step, **more: Any) -> Session:
    services = ScriptedServices(tmp_path, list(steps), **more)
    log = SessionLog.create(tmp_path, tmp_path / "sessions")
    return Session(log, services, MODEL, "low")  # type: ignore[arg-type]


def stored(session: Session) -> list[dict[str, Any]]:
    assert session.log.path is not None
    return [json.loads(line) for line in session.log.path.read_bytes().split(b"\n") if line]


def roles(session: Session) -> list[str]:
    return [line["message"]["role"] for line in stored(session) if line["type"] == "message"]


async def test_opening_and_leaving_writes_nothing(tmp_path: Path) -> None:
    session = make(tmp_path)
    session.set_thinking_level("high")
    session.close()
    assert list(tmp_path.iterdir()) == []


async def test_a_prompt_is_stored_with_what_the_model_saw(tmp_path: Path) -> None:
    session = make(tmp_path, says("Hello."))
    await session.prompt("Hi")
    lines = stored(session)
    assert [line["type"] for line in lines] == [
        "session",
        "model_change",
        "thinking_level_change",
        "message",
        "message",
        "message",
    ]
    assert roles(session) == ["system", "user", "assistant"]
    assert [line["parentId"] for line in lines[1:]] == [None, *[line["id"] for line in lines[1:-1]]]
    assert "You are pi" in lines[3]["message"]["sections"]["preamble"]


async def test_the_prompt_and_the_choices_are_written_once(tmp_path: Path) -> None:
    session = make(tmp_path, says("one"), says("two"))
    await session.prompt("first")
    await session.prompt("second")
    assert roles(session) == ["system", "user", "assistant", "user", "assistant"]


async def test_a_tool_result_follows_its_call_in_file_and_request(tmp_path: Path) -> None:
    session = make(tmp_path, calls_echo("ping"), says("done"), tools=[Echo()])
    await session.prompt("go")
    assert roles(session) == ["system", "user", "assistant", "toolResult", "assistant"]
    services = session.services
    assert isinstance(services, ScriptedServices)
    assert [type(one).__name__ for one in services.requests[1].messages] == [
        "UserMessage",
        "AssistantMessage",
        "ToolResultMessage",
    ]


async def test_each_message_is_stored_before_it_is_told(tmp_path: Path) -> None:
    session = make(tmp_path, calls_echo("ping"), says("done"), tools=[Echo()])
    events = session.subscribe()
    missing = []

    async def watch() -> None:
        async for event in events:
            if isinstance(event, MessageEnd) and event.message not in session.log.project().messages:
                missing.append(event)

    watching = asyncio.create_task(watch())
    await session.prompt("go")
    session.close()
    await watching
    assert missing == []


async def test_a_passing_failure_is_tried_again_and_left_out_of_the_next_request(tmp_path: Path) -> None:
    session = make(tmp_path, fails(ErrorKind.OVERLOADED), says("better"))
    events = session.subscribe()
    await session.prompt("go")
    told = events.take()
    assert [one.will_retry for one in told if isinstance(one, AgentEnd)] == [True, False]
    assert [type(one) for one in told if isinstance(one, AutoRetryStart | AutoRetryEnd)] == [
        AutoRetryStart,
        AutoRetryEnd,
    ]
    assert roles(session) == ["system", "user", "assistant", "assistant"]
    assert isinstance(session.services, ScriptedServices)
    assert [type(one) for one in session.services.requests[1].messages] == [UserMessage]


async def test_a_failure_that_will_not_pass_ends_the_run(tmp_path: Path) -> None:
    session = make(tmp_path, fails(ErrorKind.AUTHENTICATION))
    await session.prompt("go")
    answer = session.last_assistant()
    assert answer is not None and answer.stop_reason == "error" and answer.text == "half"


async def test_retries_end(tmp_path: Path) -> None:
    policy = RetryPolicy(base_delay_ms=0, max_retries=2)
    session = make(tmp_path, *[fails(ErrorKind.NETWORK)] * 3, retry_policy=policy)
    events = session.subscribe()
    await session.prompt("go")
    ends = [one for one in events.take() if isinstance(one, AutoRetryEnd)]
    assert [(one.success, one.attempt) for one in ends] == [(False, 2)]


async def test_abort_keeps_what_came(tmp_path: Path) -> None:
    started = asyncio.Event()
    session = make(tmp_path, never_ends(started))
    events = session.subscribe()
    run = asyncio.create_task(session.prompt("go"))
    await started.wait()
    session.abort()
    await run
    answer = session.last_assistant()
    assert answer is not None and (answer.stop_reason, answer.text) == ("aborted", "partial")
    assert events.take()[-1] == AgentSettled(aborted=True)


async def test_esc_ends_the_wait_for_a_retry(tmp_path: Path) -> None:
    policy = RetryPolicy(base_delay_ms=60_000)
    session = make(tmp_path, fails(ErrorKind.NETWORK), retry_policy=policy)
    run = asyncio.create_task(session.prompt("go"))
    async for event in session.subscribe():
        if isinstance(event, AutoRetryStart):
            break
    session.abort()
    await run
    assert not session.running


async def test_steering_is_sent_before_the_next_request(tmp_path: Path) -> None:
    session = make(tmp_path, calls_echo("ping"), says("done"), tools=[Echo()])
    run = asyncio.create_task(session.prompt("go"))
    async for event in session.subscribe():
        if isinstance(event, MessageUpdate):
            session.steer("rather this")
            break
    await run
    texts = [
        text_of(one.content) if isinstance(one, UserMessage) else type(one).__name__
        for one in session.log.project().messages[1:]
    ]
    assert texts == ["go", "AssistantMessage", "ToolResultMessage", "rather this", "AssistantMessage"]


async def test_a_second_prompt_waits_for_nobody(tmp_path: Path) -> None:
    started = asyncio.Event()
    session = make(tmp_path, never_ends(started))
    run = asyncio.create_task(session.prompt("go"))
    await started.wait()
    with pytest.raises(AlreadyRunning):
        await session.prompt("again")
    session.abort()
    await run


async def test_without_a_model_a_prompt_says_what_to_do(tmp_path: Path) -> None:
    session = Session(SessionLog.create(tmp_path, None), ScriptedServices(tmp_path, []), None)  # type: ignore[arg-type]
    with pytest.raises(NoModel, match="/login"):
        await session.prompt("go")
    assert not session.running


async def test_a_changed_model_is_stored_with_the_next_prompt(tmp_path: Path) -> None:
    session = make(tmp_path, says("one"), says("two"))
    await session.prompt("first")
    session.set_model(OTHER)
    await session.prompt("second")
    changes = [line for line in stored(session) if line["type"] == "model_change"]
    assert [change["modelId"] for change in changes] == ["one", "two"]
    assert session.thinking_level == "off"


async def test_a_model_chosen_before_leaving_is_there_on_return(tmp_path: Path) -> None:
    session = make(tmp_path, says("one"))
    await session.prompt("first")
    session.set_model(OTHER)
    session.close()
    assert session.log.path is not None
    log = SessionLog.open(session.log.path)
    assert log.project().model == ("local", "two")
    log.close()


async def test_continuing_sends_the_whole_history(tmp_path: Path) -> None:
    first = make(tmp_path, says("one"))
    await first.prompt("first")
    first.close()
    assert first.log.path is not None
    services = ScriptedServices(tmp_path, [says("two")])
    second = Session(SessionLog.open(first.log.path), services, MODEL, "low")  # type: ignore[arg-type]
    await second.prompt("second")
    assert [text_of(one.content) for one in services.requests[0].messages] == ["first", "one", "second"]
    assert isinstance(second.last_assistant(), AssistantMessage)
