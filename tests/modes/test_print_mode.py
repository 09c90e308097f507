"""Print mode: what goes where, and how it ends."""

import asyncio
import io
import os
import signal
from collections.abc import Callable, Sequence

import pytest

from pi_tui.llm.messages import AssistantMessage, ImageContent, TextContent
from pi_tui.modes.print_mode import run_print
from pi_tui.runtime.bus import EventBus, Subscription
from pi_tui.runtime.events import AutoRetryStart, Notice, SessionEvent


class ScriptedSession:
    """Answers each prompt with the next message and tells the events that go with it."""

    def __init__(self, *answers: AssistantMessage | None, events: Sequence[SessionEvent] = ()) -> None:
        self.answers = list(answers)
        self.events = events
        self.prompts: list[tuple[str, list[ImageContent]]] = []
        self.model: object = "a model"
        self.aborted = asyncio.Event()
        self.before_answer: Callable[[], None] | None = None
        self.bus = EventBus()
        self._last: AssistantMessage | None = None

    def subscribe(self) -> Subscription:
        return self.bus.subscribe()

    async def prompt(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        self.prompts.append((text, list(images)))
        for event in self.events:
            self.bus.publish(event)
        if self.before_answer is not None:
            self.before_answer()
            await self.aborted.wait()
        self._last = self.answers.pop(0)

    def abort(self) -> None:
        self.aborted.set()

    def last_assistant(self) -> AssistantMessage | None:
        return self._last


def answer(text: str, stop_reason: str = "stop", error: str | None = None) -> AssistantMessage:
    return AssistantMessage([TextContent(text)], stop_reason=stop_reason, error_message=error)


async def run(session: ScriptedSession, *prompts: str, verbose: bool = False) -> tuple[int, str, str]:
    stdout, stderr = io.StringIO(), io.StringIO()
    given = [(prompt, []) for prompt in prompts or ("hi",)]
    code = await run_print(session, given, stdout=stdout, stderr=stderr, verbose=verbose)  # type: ignore[arg-type]
    return code, stdout.getvalue(), stderr.getvalue()


async def test_only_the_answer_goes_to_stdout() -> None:
    session = ScriptedSession(answer("42"), events=[Notice("warning", "Mind the gap.")])
    assert await run(session) == (0, "42\n", "pi: Mind the gap.\n")


async def test_several_prompts_run_in_order_and_the_last_answer_counts() -> None:
    session = ScriptedSession(answer("one"), answer("two\n"))
    assert await run(session, "first", "second") == (0, "two\n", "")
    assert [text for text, _ in session.prompts] == ["first", "second"]


async def test_a_failure_ends_the_row_with_its_message_and_code_1() -> None:
    session = ScriptedSession(answer("half", "error", "The key was refused."), answer("never"))
    assert await run(session, "first", "second") == (1, "", "pi: The key was refused.\n")
    assert len(session.prompts) == 1


async def test_no_answer_at_all_is_a_failure() -> None:
    code, stdout, stderr = await run(ScriptedSession(None))
    assert (code, stdout) == (1, "")
    assert stderr


async def test_without_a_model_nothing_is_sent_and_it_says_how_to_get_one() -> None:
    session = ScriptedSession()
    session.model = None
    code, stdout, stderr = await run(session)
    assert (code, stdout, session.prompts) == (1, "", [])
    assert "ANTHROPIC_API_KEY" in stderr


async def test_an_answer_that_was_cut_is_given_and_said_to_be_cut() -> None:
    code, stdout, stderr = await run(ScriptedSession(answer("half", "length")))
    assert (code, stdout) == (0, "half\n")
    assert "limit" in stderr


@pytest.mark.parametrize("verbose", [False, True])
async def test_retries_are_told_only_when_asked(verbose: bool) -> None:
    session = ScriptedSession(answer("ok"), events=[AutoRetryStart(1, 3, 2_000, "The server is overloaded.")])
    code, stdout, stderr = await run(session, verbose=verbose)
    assert (code, stdout) == (0, "ok\n")
    assert ("overloaded" in stderr and "2 s" in stderr) is verbose


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGHUP, 129)]
)
async def test_a_signal_aborts_the_run_and_is_the_exit_code(number: signal.Signals, code: int) -> None:
    session = ScriptedSession(answer("half", "aborted"))
    session.before_answer = lambda: os.kill(os.getpid(), number)
    assert (await run(session))[:2] == (code, "")
    assert session.aborted.is_set()


async def test_handlers_of_signals_are_given_back() -> None:
    before = {number: signal.getsignal(number) for number in (signal.SIGTERM, signal.SIGHUP)}
    await run(ScriptedSession(answer("ok")))
    assert {number: signal.getsignal(number) for number in before} == before


async def test_an_ignored_hangup_stays_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        session = ScriptedSession(answer("ok"))
        session.before_answer = lambda: (os.kill(os.getpid(), signal.SIGHUP), session.abort())[1]
        assert await run(session) == (0, "ok\n", "")
    finally:
        signal.signal(signal.SIGHUP, before)


class Gone(io.StringIO):
    def write(self, _: str) -> int:
        raise BrokenPipeError


async def test_a_reader_that_went_away_is_no_failure() -> None:
    session = ScriptedSession(answer("long"), events=[Notice("error", "Oops.")])
    assert await run_print(session, [("hi", [])], stdout=Gone(), stderr=Gone()) == 0  # type: ignore[arg-type]


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


async def test_an_answer_cannot_steer_the_terminal_but_reaches_a_pipe_unchanged() -> None:
    text = "a\x1b[2Jb\x9b31mc\ttab\nline"
    terminal, pipe = Terminal(), io.StringIO()
    for stdout in (terminal, pipe):
        await run_print(ScriptedSession(answer(text)), [("hi", [])], stdout=stdout, stderr=io.StringIO())  # type: ignore[arg-type]
    assert terminal.getvalue() == "a[2Jb31mc\ttab\nline\n"
    assert pipe.getvalue() == text + "\n"
