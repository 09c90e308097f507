import asyncio

from pi_tui.agent.events import AgentStart, MessageUpdate, PartialResult, ToolExecutionUpdate
from pi_tui.llm.messages import TextContent, Usage
from pi_tui.llm.stream import TextDelta, ThinkingDelta
from pi_tui.runtime.bus import MAX_WAITING, EventBus
from pi_tui.runtime.events import Notice, SessionReplaced


def update(delta: str, index: int = 0) -> MessageUpdate:
    return MessageUpdate(Usage(), TextDelta(index, delta))


def output(call: str, text: str) -> ToolExecutionUpdate:
    return ToolExecutionUpdate(call, "bash", {}, PartialResult([TextContent(text)]))


def test_deltas_of_one_block_are_joined_while_the_reader_is_busy() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    for delta in ("a", "b", "c"):
        bus.publish(update(delta))
    assert [event.assistant_message_event for event in reader.take()] == [TextDelta(0, "abc")]


def test_deltas_of_different_blocks_stay_apart() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    bus.publish(update("a", 0))
    bus.publish(update("b", 1))
    bus.publish(MessageUpdate(Usage(), ThinkingDelta(1, "c")))
    assert len(reader.take()) == 3


def test_a_newer_output_of_a_tool_replaces_the_one_that_waits() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    bus.publish(output("1", "old"))
    bus.publish(output("1", "new"))
    bus.publish(output("2", "other"))
    assert [event.partial_result.content[0].text for event in reader.take()] == ["new", "other"]


def test_what_is_joined_for_one_reader_is_whole_for_another() -> None:
    bus = EventBus()
    slow, quick = bus.subscribe(), bus.subscribe()
    bus.publish(update("a"))
    first = quick.take()
    bus.publish(update("b"))
    assert first + quick.take() == [update("a"), update("b")]
    assert slow.take() == [update("ab")]


def test_a_reader_that_stopped_reading_is_told_to_show_the_session_afresh() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    for number in range(MAX_WAITING + 1):
        bus.publish(Notice("info", str(number)))
    waiting = reader.take()
    assert waiting[0] == SessionReplaced("lagged")
    assert waiting[-1] == Notice("info", str(MAX_WAITING))


async def test_closing_ends_the_iteration_after_what_waits() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    bus.publish(AgentStart())
    bus.close()
    assert [event async for event in reader] == [AgentStart()]


async def test_a_waiting_reader_wakes_up() -> None:
    bus = EventBus()
    reader = bus.subscribe()
    waiting = asyncio.create_task(anext(reader))
    await asyncio.sleep(0)
    bus.publish(AgentStart())
    assert await waiting == AgentStart()
