"""A reader that wants every event gets every event, and the run waits for it."""

import asyncio
from pathlib import Path

import pytest

from pi_tui.agent.events import MessageUpdate, TurnStart
from pi_tui.runtime import bus
from pi_tui.runtime.bus import EventBus
from pi_tui.runtime.events import AgentSettled
from tests.support.fakellm import FakeLLM
from tests.support.live_session import open_live


async def test_the_bus_is_crowded_only_by_readers_that_want_everything() -> None:
    hub = EventBus()
    lossy, careful = hub.subscribe(), hub.subscribe(holds_back=True)
    for _ in range(bus.HELD_BACK_AT):
        hub.publish(TurnStart())
    waiting = asyncio.create_task(hub.room())
    await asyncio.sleep(0)
    assert hub.crowded and not waiting.done()
    lossy.take()
    await asyncio.sleep(0)
    assert not waiting.done()
    await anext(careful)
    async with asyncio.timeout(30):
        await waiting


async def test_a_reader_that_unsubscribes_holds_nobody_back() -> None:
    hub = EventBus()
    careful = hub.subscribe(holds_back=True)
    for _ in range(bus.HELD_BACK_AT):
        hub.publish(TurnStart())
    waiting = asyncio.create_task(hub.room())
    await asyncio.sleep(0)
    careful.close()
    async with asyncio.timeout(30):
        await waiting


async def test_a_run_waits_for_its_reader_and_then_ends_as_ever(
    fake_llm: FakeLLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "HELD_BACK_AT", 5)
    fake_llm.push({"thinking": "a", "text": "b", "tool_calls": [{"name": "ls"}]}, {"text": "c"})
    session = open_live(fake_llm, tmp_path)
    careful = session.subscribe(holds_back=True)
    run = asyncio.create_task(session.prompt("go"))
    told = [await anext(careful)]
    for _ in range(50):
        await asyncio.sleep(0)
    assert not run.done()
    while not isinstance(told[-1], AgentSettled):
        told.append(await anext(careful))
    await run
    assert [type(one).__name__ for one in told if not isinstance(one, MessageUpdate)].count("MessageEnd") == 4
    session.close()


async def test_a_run_that_waits_for_its_reader_can_be_stopped(
    fake_llm: FakeLLM, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bus, "HELD_BACK_AT", 5)
    fake_llm.push({"text": "b"})
    session = open_live(fake_llm, tmp_path)
    session.subscribe(holds_back=True)
    run = asyncio.create_task(session.prompt("go"))
    async with asyncio.timeout(30):
        while not session._bus.crowded:
            await asyncio.sleep(0.01)
        session.abort()
        await run
    session.close()
