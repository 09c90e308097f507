"""Lines out of pieces of bytes."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.modes.rpc.framing import LineSplitter, TooLong


def lines_of(*pieces: bytes, limit: int = 1_000) -> list[bytes | None]:
    """The lines; None for one that was too long."""
    splitter = LineSplitter(limit)
    found = [line for piece in pieces for line in splitter.feed(piece)] + splitter.end()
    return [None if isinstance(line, TooLong) else line for line in found]


@given(st.lists(st.text(min_size=1).filter(str.strip), max_size=5), st.integers(1, 20))
def test_records_come_out_as_they_were_however_the_bytes_are_cut(texts: list[str], size: int) -> None:
    records = [json.dumps(text, ensure_ascii=False).encode("utf-8", "surrogatepass") for text in texts]
    data = b"".join(record + b"\n" for record in records)
    pieces = [data[at : at + size] for at in range(0, len(data), size)]
    assert lines_of(*pieces, limit=10_000) == records


@pytest.mark.parametrize("sign", ["\u2028", "\u2029", "\x85", "\x0b", "\x0c", "\r"])
def test_nothing_but_a_line_feed_ends_a_line(sign: str) -> None:
    line = f'"a{sign}b"'.encode()
    assert lines_of(line + b"\n") == [line]


def test_a_carriage_return_before_the_line_feed_is_no_part_of_the_line() -> None:
    assert lines_of(b"{}\r\n{}\r", b"\n") == [b"{}", b"{}"]


def test_empty_lines_are_left_out() -> None:
    assert lines_of(b"\n \n\r\n{}\n\n") == [b"{}"]


def test_what_stands_behind_the_last_line_feed_comes_at_the_end() -> None:
    assert lines_of(b"{}\n[1", b"]") == [b"{}", b"[1]"]


def test_a_line_that_is_too_long_is_told_of_once_and_the_next_one_is_read() -> None:
    assert lines_of(b"x" * 8, b"y" * 8, b"z\n{}\n", limit=10) == [None, b"{}"]
    assert lines_of(b"x" * 11, limit=10) == [None]


def test_of_a_line_that_is_too_long_nothing_is_kept() -> None:
    splitter = LineSplitter(limit=10)
    for _ in range(100):
        splitter.feed(b"x" * 1_000)
    assert len(splitter._begun) == 0
