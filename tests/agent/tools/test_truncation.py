"""First and last lines within limits, whole lines only."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.agent.tools.truncation import Head, last_bytes, tail


@pytest.mark.parametrize(
    ("text", "shown", "first", "cut_by"),
    [
        pytest.param("", "", 1, None, id="nothing"),
        pytest.param("a\nb\n", "a\nb\n", 1, None, id="fits"),
        pytest.param("a\nb\nc\n", "a\nb\nc\n", 1, None, id="as many lines as allowed"),
        pytest.param("a\nb\nc\nd\n", "b\nc\nd\n", 2, "lines", id="one line too many"),
        pytest.param("a\nb\nc\nd", "b\nc\nd", 2, "lines", id="no final newline"),
        pytest.param("\n\n\n\n", "\n\n\n", 2, "lines", id="empty lines"),
        pytest.param("aaaaaaaa\nbbb\n", "bbb\n", 2, "bytes", id="too many bytes"),
        pytest.param("é" * 4 + "\nccc\n", "ccc\n", 2, "bytes", id="bytes are counted, not characters"),
        pytest.param("aaaaaaaaaaaa", "aaaaaaaaaa", 1, "bytes", id="one line too long"),
    ],
)
def test_the_tail_is_the_last_whole_lines(text, shown, first, cut_by):
    total = text.count("\n") + (not text.endswith("\n") and text != "")
    result = tail(text, total, max_lines=3, max_bytes=10)
    assert (result.text, result.first_line, result.cut_by) == (shown, first, cut_by)
    assert result.last_line == total


def test_the_tail_knows_that_the_beginning_is_gone_already():
    result = tail("y\nz\n", total_lines=26, max_lines=3, max_bytes=10)
    assert (result.text, result.first_line, result.last_line, result.cut_by) == ("y\nz\n", 25, 26, "bytes")


def test_cutting_by_bytes_never_cuts_a_character():
    assert last_bytes("a你b你", 5) == "b你"
    assert last_bytes("a你b你", 3) == "你"
    assert last_bytes("a你b你", 2) == ""


def head_of(data: bytes, step: int, first: int, lines: int, size: int) -> Head:
    head = Head(first, lines, size)
    for start in range(0, len(data), step):
        head.feed(data[start : start + step])
    head.close()
    return head


@settings(max_examples=120, deadline=None)
@given(
    st.lists(st.binary(max_size=8).map(lambda b: b.replace(b"\n", b"")), max_size=12),
    st.booleans(),
    st.integers(1, 9),
    st.integers(1, 14),
    st.integers(1, 6),
    st.integers(1, 40),
)
def test_the_head_is_the_same_however_the_file_comes_in_pieces(lines, newline, step, first, count, size):
    data = b"\n".join(lines) + (b"\n" if newline and lines else b"")
    whole = [part + b"\n" for part in data.split(b"\n")]
    if data.endswith(b"\n") or not data:
        whole.pop()
    elif whole:
        whole[-1] = whole[-1][:-1]
    expected, used = [], 0
    for line in whole[first - 1 :]:
        if len(expected) == count or used + len(line.removesuffix(b"\n")) > size:
            break
        expected.append(line)
        used += len(line)
    head = head_of(data, step, first, count, size)
    assert head.content == b"".join(expected)
    assert head.kept_lines == len(expected)
    assert head.total_lines == len(whole)
    assert (head.full_by is None) == (first - 1 + len(expected) >= len(whole))


@pytest.mark.parametrize("step", [1, 3, 7, 100])
def test_a_line_that_is_too_long_is_measured(step):
    head = head_of(b"short\n" + b"x" * 50 + b"\nrest\n", step, first=2, lines=5, size=10)
    assert (head.kept_lines, head.full_by, head.first_line_bytes, head.total_lines) == (0, "bytes", 50, 3)
