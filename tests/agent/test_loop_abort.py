"""Esc at any moment: what came is kept, every call is answered, and nothing is left running."""

import asyncio
import random

import pytest

from pi_tui.agent.events import (
    AgentEnd,
    AgentStart,
    MessageEnd,
    MessageStart,
    MessageUpdate,
    ToolExecutionEnd,
    ToolExecutionStart,
    TurnEnd,
    TurnStart,
)
from pi_tui.agent.response import BACKLOG
from pi_tui.agent.tool import ToolError, text_result
from pi_tui.llm.messages import AssistantMessage, TextContent, ToolResultMessage, UserMessage, text_of
from tests.agent.scripted import Conversation, Run, answer, hangs, user


def others():
    return asyncio.all_tasks() - {asyncio.current_task()}


async def test_during_text_the_partial_answer_is_kept():
    talk = Conversation(hangs("half an"))

    def on_event(event):
        if isinstance(event, MessageUpdate):
            talk.abort.request()

    events = await talk.play("go", on_event=on_event)
    assert events[-3:] == ["message_end assistant 'half an' [aborted]", "turn_end []", "agent_end"]
    assert talk.state.failure is None
    assert not others()


async def test_before_headers_an_empty_message_says_so():
    reached = asyncio.Event()
    talk = Conversation(hangs(reached=reached))
    playing = asyncio.create_task(talk.play("go"))
    await reached.wait()
    talk.abort.request()
    assert (await playing)[4:] == [
        "message_start assistant '' [aborted]",
        "message_end assistant '' [aborted]",
        "turn_end []",
        "agent_end",
    ]
    assert not others()


async def test_while_the_request_is_being_made():
    talk = Conversation()
    reached, ended = asyncio.Event(), []

    async def request():
        reached.set()
        try:
            await asyncio.Event().wait()
        finally:
            ended.append(True)

    talk.request = request
    playing = asyncio.create_task(talk.play("go"))
    await reached.wait()
    talk.abort.request()
    assert (await playing)[4:6] == [
        "message_start assistant '' [aborted]",
        "message_end assistant '' [aborted]",
    ]
    assert talk.history[-1].model == "scripted"
    assert ended and not others()


async def test_a_stream_whose_cancellation_comes_out_as_an_error_was_still_aborted():
    async def stream(message):
        for event in message.text("half"):
            yield event
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ConnectionError("closed") from None

    talk = Conversation(stream)

    def on_event(event):
        if isinstance(event, MessageUpdate):
            talk.abort.request()

    await talk.play("go", on_event=on_event)
    assert talk.history[-1].stop_reason == "aborted" and talk.state.failure is None


async def test_during_tools_each_call_is_answered_and_no_request_follows():
    started = asyncio.Event()

    async def stubborn(arguments, on_update):
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            raise ToolError("Stopped.", content=[TextContent("so far")]) from None
        return text_result("never")

    async def plain(arguments, on_update):
        started.set()
        await asyncio.Event().wait()
        return text_result("never")

    talk = Conversation(
        answer("", ("c1", "stubborn", "{}"), ("c2", "plain", "{}"), ("c3", "last", "{}")),
        tools=[Run(stubborn, name="stubborn"), Run(plain, name="plain"), Run(plain, name="last", alone=True)],
    )
    playing = asyncio.create_task(talk.play("go"))
    await started.wait()
    while not any("c2" in str(event) for event in talk.events):
        await asyncio.sleep(0)
    talk.abort.request()
    await playing
    results = talk.of(TurnEnd)[0].tool_results
    assert [result.tool_call_id for result in results] == ["c1", "c2", "c3"]
    assert all(result.is_error for result in results)
    assert text_of(results[0].content) in ("so far\n\nStopped.", "Not run: aborted by the user.")
    assert text_of(results[1].content) == "Aborted by the user."
    assert text_of(results[2].content) == "Not run: aborted by the user."
    assert results[1].duration_ms is not None and results[2].duration_ms is None
    assert len(talk.of(TurnStart)) == 1 and isinstance(talk.events[-1], AgentEnd)
    assert not others()


async def test_a_tool_that_finished_in_spite_of_it_keeps_its_result():
    started = asyncio.Event()

    async def body(arguments, on_update):
        started.set()
        try:
            await asyncio.Event().wait()
        except asyncio.CancelledError:
            return text_result("finished")

    talk = Conversation(answer("", ("c1", "run", "{}")), tools=[Run(body)])
    playing = asyncio.create_task(talk.play("go"))
    await started.wait()
    talk.abort.request()
    await playing
    (result,) = talk.of(TurnEnd)[0].tool_results
    assert text_of(result.content) == "finished" and not result.is_error


async def test_between_the_answer_and_its_tools_none_of_them_runs():
    ran = []

    async def body(arguments, on_update):
        ran.append(1)
        return text_result("x")

    talk = Conversation(answer("", ("c1", "run", "{}")), tools=[Run(body)])

    def on_event(event):
        if isinstance(event, MessageEnd) and isinstance(event.message, AssistantMessage):
            talk.abort.request()

    events = await talk.play("go", on_event=on_event)
    assert not ran
    assert "tool_execution_end c1 'Not run: aborted by the user.' error" in events


async def test_what_is_queued_stays_in_the_queue():
    talk = Conversation(hangs("half"))
    talk.queue.follow_up(user("later"))

    def on_event(event):
        if isinstance(event, MessageUpdate):
            talk.queue.steer(user("now"))
            talk.abort.request()

    await talk.play("go", on_event=on_event)
    assert (talk.queue.steering_texts[:1], talk.queue.follow_up_texts) == (["now"], ["later"])


async def test_asked_for_before_the_run_nothing_is_sent():
    talk = Conversation()
    talk.abort.request()
    events = await talk.play("go")
    assert events[2:4] == ["message_start user 'go'", "message_end user 'go'"]
    assert not talk.sent and events[-1] == "agent_end"


async def test_a_run_left_early_ends_its_stream():
    closed = []

    async def stream(message):
        try:
            for event in message.text("half"):
                yield event
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    talk = Conversation(stream)
    events = talk.run("go")
    async for event in events:
        if isinstance(event, MessageUpdate):
            break
    await events.aclose()
    assert closed and not others()


async def test_a_run_left_early_ends_its_tools():
    closed, started = [], asyncio.Event()

    async def body(arguments, on_update):
        on_update(text_result("on it"))
        started.set()
        try:
            await asyncio.Event().wait()
        finally:
            closed.append(True)

    talk = Conversation(answer("", ("c1", "run", "{}")), tools=[Run(body)])
    events = talk.run("go")
    async for event in events:
        if event.__struct_config__.tag == "tool_execution_update":
            break
    await events.aclose()
    assert closed and not others()


async def test_a_cancelled_owner_ends_everything():
    started = asyncio.Event()

    async def body(arguments, on_update):
        started.set()
        await asyncio.Event().wait()

    talk = Conversation(answer("", ("c1", "run", "{}")), tools=[Run(body)])
    playing = asyncio.create_task(talk.play("go"))
    await started.wait()
    playing.cancel()
    with pytest.raises(asyncio.CancelledError):
        await playing
    assert not others()


async def test_a_reader_that_is_slow_holds_the_stream_back():
    sent = 0

    async def stream(message):
        nonlocal sent
        for _ in range(BACKLOG * 4):
            for event in message.text("x"):
                sent += 1
                yield event
        message.usage.output = 1
        message.stop_reason = "stop"

    talk = Conversation(stream)
    ahead = []

    async def on_event(event):
        if isinstance(event, MessageUpdate):
            await asyncio.sleep(0)
            ahead.append(sent - len(ahead))

    await talk.play("go", on_event=on_event)
    assert len(talk.history[-1].text) == BACKLOG * 4
    assert max(ahead) <= 2 * BACKLOG + 1


@pytest.mark.parametrize("seed", range(60))
async def test_at_a_random_moment_nothing_is_left_and_what_was_told_is_legal(seed):
    chance = random.Random(seed)

    async def wander():
        for _ in range(chance.randrange(8)):
            await asyncio.sleep(0)

    async def body(arguments, on_update):
        for n in range(3):
            await wander()
            on_update(text_result(str(n)))
        if chance.random() < 0.2:
            raise ToolError("bad luck")
        return text_result("x")

    def slow(step):
        async def stream(message):
            async for event in step(message):
                await wander()
                yield event

        return stream

    calls = [(f"c{n}", "alone" if n == 2 else "run", "{}") for n in range(4)]
    steps = [
        slow(
            answer("some text", *[(f"t{turn}{call}", name, raw) for call, name, raw in calls], thinking="hm")
        )
        for turn in range(3)
    ]
    talk = Conversation(*steps, slow(answer("done")), tools=[Run(body), Run(body, name="alone", alone=True)])
    talk.queue.steer(user("S"))
    left = chance.randrange(150)

    def on_event(event):
        nonlocal left
        left -= 1
        if left == 0:
            talk.abort.request()

    async def press_escape():
        for _ in range(chance.randrange(400)):
            await asyncio.sleep(0)
        talk.abort.request()

    pressing = asyncio.create_task(press_escape())
    await talk.play("go", on_event=on_event)
    await pressing
    assert not others()
    assert_legal(talk)


def assert_legal(talk):
    assert isinstance(talk.events[0], AgentStart) and isinstance(talk.events[-1], AgentEnd)
    assert len(talk.of(TurnStart)) == len(talk.of(TurnEnd))
    assert len(talk.of(MessageStart)) == len(talk.of(MessageEnd))
    assert [event.message for event in talk.of(MessageEnd)] == talk.events[-1].messages
    started = [event.tool_call_id for event in talk.of(ToolExecutionStart)]
    assert sorted(started) == sorted(event.tool_call_id for event in talk.of(ToolExecutionEnd))
    owed: list[str] = []
    for message in talk.history:
        match message:
            case AssistantMessage():
                assert not owed
                assert message.stop_reason in ("stop", "toolUse", "aborted")
                owed = [] if message.stop_reason == "aborted" else [call.id for call in message.tool_calls]
            case ToolResultMessage():
                assert message.tool_call_id == owed.pop(0)
                assert text_of(message.content)
            case UserMessage():
                assert not owed
    assert not owed
    assert (
        sum(
            message.stop_reason == "aborted"
            for message in talk.history
            if isinstance(message, AssistantMessage)
        )
        <= 1
    )
