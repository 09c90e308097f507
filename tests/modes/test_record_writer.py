"""Records on their way to a reader that is slow, stuck or gone."""

import asyncio
import contextlib
import os
import threading
import time
from collections.abc import Iterator

import pytest

from pi_tui.modes.record_writer import RecordWriter


@pytest.fixture
def pipe() -> Iterator[tuple[int, int]]:
    read_end, write_end = os.pipe()
    yield read_end, write_end
    for end in (read_end, write_end):
        with contextlib.suppress(OSError):
            os.close(end)


def read_all(descriptor: int) -> bytes:
    found = b""
    while piece := os.read(descriptor, 1024 * 1024):
        found += piece
    return found


async def test_records_are_written_whole_and_in_order(pipe: tuple[int, int]) -> None:
    writer = RecordWriter(pipe[1])
    records = [f"{number}:{'x' * (number % 997)}\n".encode() for number in range(5_000)]
    reading = asyncio.create_task(asyncio.to_thread(read_all, pipe[0]))
    for record in records:
        writer.put(record)
        await writer.room(10_000)
        assert writer.unread < 12_000
    await writer.close(10)
    os.close(pipe[1])
    assert await reading == b"".join(records)


async def test_whoever_makes_records_waits_for_a_reader_that_does_not_read(pipe: tuple[int, int]) -> None:
    writer = RecordWriter(pipe[1])
    writer.put(b"x" * 1_000_000)
    waiting = asyncio.create_task(writer.room(100_000))
    await asyncio.sleep(0)
    assert not waiting.done()
    reading = asyncio.create_task(asyncio.to_thread(read_all, pipe[0]))
    async with asyncio.timeout(30):
        await waiting
    await writer.close(10)
    os.close(pipe[1])
    assert len(await reading) == 1_000_000


async def test_a_reader_that_never_reads_again_keeps_nobody_from_leaving(pipe: tuple[int, int]) -> None:
    writer = RecordWriter(pipe[1])
    writer.put(b"x" * 1_000_000)
    begun = time.monotonic()
    await writer.close(0.05)
    assert time.monotonic() - begun < 5
    assert all(thread.daemon for thread in threading.enumerate() if thread.name == "records")


async def test_a_reader_that_has_gone_away_is_noticed_and_nothing_piles_up(pipe: tuple[int, int]) -> None:
    writer = RecordWriter(pipe[1])
    os.close(pipe[0])
    writer.put(b"x\n")
    async with asyncio.timeout(30):
        await writer.room(1)
    assert writer.gone
    writer.put(b"y" * 1_000_000)
    assert writer.unread == 0
    await writer.close(10)
