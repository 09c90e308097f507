"""`!command`: what is run, what is told, what is stored and when."""

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from datetime import date
from pathlib import Path
from typing import Any

import psutil
import pytest

from pi_tui.agent.retry import RetryPolicy
from pi_tui.agent.tools import limits
from pi_tui.llm.messages import text_of
from pi_tui.llm.model import Model
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamOptions
from pi_tui.resources.settings import Settings
from pi_tui.resources.system_prompt import build_system_prompt
from pi_tui.runtime.bus import Subscription
from pi_tui.runtime.events import BashEnd, BashStart, BashUpdate
from pi_tui.runtime.session import AlreadyRunning, Session
from pi_tui.runtime.user_command import CommandRunning, added
from pi_tui.session.log import SessionLog

MODEL = Model(id="one", provider="local", api="scripted")

Step = Callable[[MessageAssembler], AsyncIterator[AssistantEvent]]


@dataclass
class Answers:
    """Services whose model answers with one step a request."""

    cwd: Path
    steps: list[Step]
    settings: Settings = field(default_factory=Settings)
    requests: list[Context] = field(default_factory=list)
    retry_policy: RetryPolicy = field(default_factory=RetryPolicy)
    tools: tuple[Any, ...] = ()

    @property
    def prompt(self) -> Any:
        return build_system_prompt(tools=(), context_files=(), cwd=self.cwd, today=date(2026, 1, 2))

    def stream(
        self, model: Model, context: Context, options: StreamOptions, message: MessageAssembler
    ) -> AsyncIterator[AssistantEvent]:
        self.requests.append(context)
        return self.steps.pop(0)(message)

    async def stream_options(self, model: Model, level: str, session_id: str) -> StreamOptions:
        return StreamOptions()


def says(text: str, begun: asyncio.Event | None = None, until: asyncio.Event | None = None) -> Step:
    async def step(message: MessageAssembler) -> AsyncIterator[AssistantEvent]:
        for event in message.text(text):
            yield event
        if begun is not None:
            begun.set()
        if until is not None:
            await until.wait()
        message.stop_reason = "stop"
        for event in message.end():
            yield event

    return step


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Session:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    folder = tmp_path / "work"
    folder.mkdir()
    log = SessionLog.create(folder, tmp_path / "sessions")
    return Session(log, Answers(folder, []), MODEL)  # type: ignore[arg-type]


def answers(session: Session) -> Answers:
    services = session.services
    assert isinstance(services, Answers)
    return services


def stored(session: Session) -> list[dict[str, Any]]:
    assert session.log.path is not None
    lines = [json.loads(line) for line in session.log.path.read_bytes().splitlines()]
    return [line["message"] for line in lines if line["type"] == "message"]


async def reach(events: Subscription, kind: type[Any]) -> Any:
    async for event in events:
        if isinstance(event, kind):
            return event
    raise AssertionError(f"no {kind.__name__}")


async def test_a_command_is_stored_with_the_documented_fields(session: Session) -> None:
    answers(session).steps.append(says("Hello."))
    await session.prompt("Hi")
    await session.user_command.run("echo one; echo two >&2; exit 3")
    message = stored(session)[-1]
    assert isinstance(message.pop("timestamp"), int)
    assert message == {
        "role": "bashExecution",
        "command": "echo one; echo two >&2; exit 3",
        "output": "one\ntwo\n",
        "exitCode": 3,
        "cancelled": False,
        "truncated": False,
    }


async def test_before_the_first_prompt_it_waits_for_the_first_write(session: Session) -> None:
    await session.user_command.run("echo early")
    assert session.log.path is not None
    assert not session.log.path.exists()
    answers(session).steps.append(says("Hello."))
    await session.prompt("Hi")
    assert [message["role"] for message in stored(session)] == [
        "bashExecution",
        "system",
        "user",
        "assistant",
    ]
    sent = answers(session).requests[0].messages
    assert "early" in text_of(sent[0].content)


async def test_two_signs_keep_it_from_the_model(session: Session) -> None:
    await session.user_command.run("echo secret-output", in_context=False)
    answers(session).steps.append(says("Hello."))
    await session.prompt("Hi")
    assert stored(session)[0]["excludeFromContext"] is True
    assert "secret-output" not in str(answers(session).requests[0].messages)


async def test_output_is_told_while_it_comes(session: Session) -> None:
    events = session.subscribe()
    running = asyncio.create_task(session.user_command.run("echo first; read x < fifo; echo second"))
    os.mkfifo(session.cwd / "fifo")
    assert (await reach(events, BashStart)).exclude_from_context is False
    update = await reach(events, BashUpdate)
    assert (update.delta, update.output) == ("first\n", "first\n")
    await asyncio.to_thread((session.cwd / "fifo").write_text, "go\n")
    message = await running
    assert message.output == "first\nsecond\n"
    assert (await reach(events, BashEnd)).message == message


async def test_a_second_command_is_refused_while_one_runs(session: Session) -> None:
    running = asyncio.create_task(session.user_command.run("sleep 60"))
    await asyncio.sleep(0)
    with pytest.raises(CommandRunning, match="still running"):
        await session.user_command.run("echo too early")
    with pytest.raises(AlreadyRunning):
        session.refuse_to_leave()
    session.user_command.cancel()
    await running
    assert (await session.user_command.run("echo now")).output == "now\n"


async def test_cancelling_ends_all_it_started_and_keeps_its_output(session: Session) -> None:
    events = session.subscribe()
    running = asyncio.create_task(session.user_command.run("echo begun $$; sleep 60 & sleep 60"))
    update = await reach(events, BashUpdate)
    session.user_command.cancel()
    message = await running
    assert message.cancelled
    assert message.exit_code is None
    assert message.output == update.output
    assert not psutil.pid_exists(int(update.output.split()[1]))


async def test_cancelled_before_it_began_it_is_stored_all_the_same(session: Session) -> None:
    running = asyncio.create_task(session.user_command.run("echo never > made"))
    await asyncio.sleep(0)
    session.user_command.cancel()
    message = await running
    assert message.cancelled


async def test_a_client_that_goes_away_leaves_a_stored_end(session: Session) -> None:
    answers(session).steps.append(says("Hello."))
    await session.prompt("Hi")
    events = session.subscribe()
    running = asyncio.create_task(session.user_command.run("echo begun; sleep 60"))
    await reach(events, BashUpdate)
    running.cancel()
    with pytest.raises(asyncio.CancelledError):
        await running
    assert stored(session)[-1]["output"] == "begun\n"
    assert stored(session)[-1]["cancelled"] is True


async def test_during_a_run_it_is_written_after_the_run(session: Session) -> None:
    begun, go_on = asyncio.Event(), asyncio.Event()
    answers(session).steps += [says("Long answer.", begun, go_on), says("Second.")]
    run = asyncio.create_task(session.prompt("Hi"))
    await begun.wait()
    await session.user_command.run("echo meanwhile")
    assert [message["role"] for message in stored(session)] == ["system", "user"]
    session.follow_up("And now?")
    go_on.set()
    await run
    assert [message["role"] for message in stored(session)] == [
        "system",
        "user",
        "assistant",
        "user",
        "assistant",
        "bashExecution",
    ]


async def test_one_that_outlasts_the_run_is_written_at_its_own_end(session: Session) -> None:
    events = session.subscribe()
    command = asyncio.create_task(session.user_command.run("echo begun; sleep 60"))
    await reach(events, BashUpdate)
    answers(session).steps.append(says("Hello."))
    await session.prompt("Hi")
    session.user_command.cancel()
    await command
    assert [message["role"] for message in stored(session)][-2:] == ["assistant", "bashExecution"]


async def test_shell_and_prefix_hold_but_no_variables_of_the_session(
    session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("PI_SESSION_ID", raising=False)
    answers(session).settings = Settings(shell_path="/bin/sh", shell_command_prefix="greeting=hello")
    message = await session.user_command.run('echo "$greeting $0 [$PI_SESSION_ID]"')
    assert message.output == "hello /bin/sh []\n"


async def test_a_long_output_is_cut_and_kept_in_a_file(session: Session) -> None:
    message = await session.user_command.run(f"seq {limits.MAX_LINES + 500}")
    assert message.truncated
    assert message.output.splitlines()[0] == "501"
    assert message.full_output_path is not None
    assert Path(message.full_output_path).read_text().splitlines()[0] == "1"


async def test_what_cannot_be_started_says_why(session: Session) -> None:
    answers(session).settings = Settings(shell_path="/nowhere/sh")
    message = await session.user_command.run("echo x")
    assert message.exit_code == 127
    assert "/nowhere/sh does not exist" in message.output


@pytest.mark.parametrize(
    ("told", "output", "new"),
    [
        ("", "a\n", "a\n"),
        ("a\n", "a\nb\n", "b\n"),
        ("old\nseen\n", "seen\nnew\n", "seen\nnew\n"),
        ("x" * 300 + "seen\n", "x" * 270 + "seen\nnew\n", "new\n"),
        ("10%", "20%", "20%"),
    ],
)
def test_what_is_new_of_an_output(told: str, output: str, new: str) -> None:
    assert added(told, output) == new
