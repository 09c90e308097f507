import asyncio

import pytest

from pi_tui.agent.abort import Abort, end


async def forever():
    await asyncio.Event().wait()


async def test_it_cancels_what_is_tied_to_it_and_wakes_who_waits():
    abort = Abort()
    task, waiting = abort.start(forever()), asyncio.create_task(abort.wait())
    await asyncio.sleep(0)
    assert not abort.requested and not waiting.done()
    abort.request()
    await asyncio.wait([task, waiting])
    assert abort.requested and task.cancelled() and not waiting.cancelled()


async def test_what_is_started_after_it_does_not_begin():
    abort = Abort()
    abort.request()
    begun = []

    async def work():
        begun.append(True)

    with pytest.raises(asyncio.CancelledError):
        await abort.start(work())
    assert not begun


async def test_asking_twice_cancels_once():
    abort = Abort()
    cancelled = []

    async def stubborn():
        for _ in range(2):
            try:
                await asyncio.Event().wait()
            except asyncio.CancelledError:
                cancelled.append(True)
                abort.request()
                break

    task = abort.start(stubborn())
    await asyncio.sleep(0)
    abort.request()
    await task
    assert cancelled == [True]


async def test_a_child_ends_with_its_block():
    async with Abort().child(forever()) as task:
        await asyncio.sleep(0)
    assert task.cancelled()


async def test_the_end_of_tasks_waits_for_their_cleaning_up_and_drops_their_errors():
    cleaned = []

    async def untidy():
        try:
            await asyncio.Event().wait()
        finally:
            await asyncio.sleep(0)
            cleaned.append(True)
            raise ValueError("while ending")

    task = asyncio.create_task(untidy())
    await asyncio.sleep(0)
    await end([task])
    assert task.done() and cleaned
