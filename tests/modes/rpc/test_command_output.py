"""A command's output on its way to a client."""

import asyncio
import os
import threading

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.modes.rpc.command_output import HELD_BYTES, CommandPipe, PlainText


def plain(data: bytes, size: int) -> str:
    text = PlainText()
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    return "".join([text.feed(piece) for piece in pieces]) + text.end()


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1_000])
def test_colours_and_controls_are_taken_out_wherever_the_bytes_are_cut(size: int) -> None:
    data = "a\x1b[31;1mred\x1b[0m \x1b]0;title\x07b\x1b]8;;x\x1b\\c\x1bPq\x1b\\\t\x00\x07é€😀\r\n".encode()
    assert plain(data, size) == "ared bc\té€😀\n"


@given(st.text(st.characters(exclude_categories=["Cc", "Cs"])), st.integers(1, 9))
def test_text_without_controls_comes_out_as_it_went_in(text: str, size: int) -> None:
    assert plain(text.encode(), size) == text


def test_bytes_that_are_no_text_are_replaced_and_the_rest_stays() -> None:
    assert plain(b"a\xffb\xe2\x82", 1) == "a\ufffdb\ufffd"


def test_a_sequence_that_never_ends_is_not_held_for_ever() -> None:
    text = PlainText()
    told = text.feed(b"\x1b]0;" + b"x" * 10_000)
    assert len(told) >= 10_000 or len(text.end()) < 5_000


async def test_a_command_waits_while_nobody_reads_and_nothing_is_lost() -> None:
    pipe = CommandPipe(asyncio.get_running_loop())
    pieces = [os.urandom(100_000) for _ in range(40)]
    fed: list[int] = []

    def command() -> None:
        for number, piece in enumerate(pieces):
            pipe.feed(piece)
            fed.append(number)
        loop.call_soon_threadsafe(pipe.close)

    loop = asyncio.get_running_loop()
    thread = threading.Thread(target=command)
    thread.start()
    found: list[bytes] = []
    while piece := await pipe.read():
        assert len(piece) <= HELD_BYTES + 100_000
        found.append(piece)
    await asyncio.to_thread(thread.join)
    assert b"".join(found) == b"".join(pieces)


async def test_a_command_that_is_being_stopped_does_not_wait() -> None:
    pipe = CommandPipe(asyncio.get_running_loop())
    thread = threading.Thread(target=lambda: [pipe.feed(b"x" * HELD_BYTES) for _ in range(3)])
    thread.start()
    pipe.let_go()
    await asyncio.to_thread(thread.join, 10)
    assert not thread.is_alive()
