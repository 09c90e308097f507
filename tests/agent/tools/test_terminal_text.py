"""What is left of a program's output once a terminal's doings are taken out."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.terminal_text import terminal_text, without_colours


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        pytest.param(b"plain\n", "plain\n", id="plain"),
        pytest.param(b"a\r\nb\r\n", "a\nb\n", id="CRLF"),
        pytest.param(b"10%\r50%\r100%\n", "100%\n", id="progress bar"),
        pytest.param(b"10%\r50%\r", "50%", id="progress bar that stopped"),
        pytest.param(b"working\r\x1b[Kdone\n", "done\n", id="erased line"),
        pytest.param(b"bar\r\r\n", "bar\n", id="two returns and a newline"),
        pytest.param(b"a\b\bbc\n", "bc\n", id="backspaces"),
        pytest.param(b"N\bNA\bA\n", "NA\n", id="overstrike"),
        pytest.param(b"x\n\b\by\n", "x\ny\n", id="backspace stays on its line"),
        pytest.param(b"\x1b[31mred\x1b[0m\b!\n", "\x1b[31mre\x1b[0m!\n", id="backspace passes over colours"),
        pytest.param(b"\x1b[1;38;5;200mx\x1b[m\n", "\x1b[1;38;5;200mx\x1b[m\n", id="colours stay"),
        pytest.param(b"\x1b[38:2::1:2:3mx\n", "\x1b[38:2::1:2:3mx\n", id="colours with colons"),
        pytest.param(b"\x1b[2J\x1b[1;1H\x1b[?25lx\x1b[10A\n", "x\n", id="cursor"),
        pytest.param(b"\x1b]0;title\x07x\n", "x\n", id="title"),
        pytest.param(b"\x1b]8;;http://a\x1b\\link\x1b]8;;\x1b\\\n", "link\n", id="hyperlink"),
        pytest.param(b"\x1b]133;A\x07$ \n", "$ \n", id="shell integration"),
        pytest.param(
            b"\x1b]0;never ends\nnext\n", "0;never ends\nnext\n", id="unfinished OSC swallows nothing"
        ),
        pytest.param(b"\x1bP1$r0m\x1b\\x\n", "x\n", id="DCS"),
        pytest.param(b"\x1b_Gkitty\x1b\\x\n", "x\n", id="APC"),
        pytest.param(b"\x1b(Bx\x1b7\x1b=\x1bc\n", "x\n", id="two- and three-byte sequences"),
        pytest.param(b"\x1b[999\x01zx\n", "999zx\n", id="malformed CSI"),
        pytest.param(b"\x1b\x1b[31m\x1b\n", "\x1b[31m\n", id="lone escapes"),
        pytest.param(b"\0a\x07b\x7f\x0c\n", "ab\n", id="controls"),
        pytest.param("\u009b31mx\u0085\n".encode(), "31mx\n", id="8-bit controls"),
        pytest.param(b"\tx\n", "\tx\n", id="tab stays"),
        pytest.param(b"caf\xe9\n", "caf\ufffd\n", id="Latin-1"),
        pytest.param(b"\xff\xfe\x00\n", "\ufffd\ufffd\n", id="not UTF-8"),
        pytest.param(b"\xe4\xbd", "\ufffd", id="half a character at the end"),
        pytest.param("你好 👩‍👧\n".encode(), "你好 👩‍👧\n", id="wide characters"),
        pytest.param(b"", "", id="nothing"),
    ],
)
def test_only_text_and_colours_are_left(data, expected):
    assert terminal_text(data) == expected


@pytest.mark.parametrize(
    "data",
    [
        b"x\xe4\xbd",
        b"x\x1b",
        b"x\x1b[3",
        b"x\x1b[38;5",
        b"x\x1b]0;tit",
        b"x\x1b]0;t\x1b",
        b"x\x1bP1",
        b"x\x1b(",
    ],
)
def test_what_has_only_begun_waits_while_more_may_come(data):
    assert terminal_text(data, final=False) == "x"


@settings(max_examples=150, deadline=None)
@given(
    st.binary(max_size=300)
    | st.text(st.sampled_from("ab\x1b[];m0\r\b\n\x07\\P"), max_size=120).map(str.encode)
)
def test_no_control_but_colours_gets_through(data):
    plain = without_colours(terminal_text(data))
    assert not [char for char in plain if (char < " " and char not in "\n\t") or "\x7f" <= char <= "\x9f"]
    assert plain.count("\n") == data.count(b"\n")


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_where_large_output_is_cut_for_cleaning_changes_nothing(data):
    part = data.draw(
        st.sampled_from([b"\x1b[31mred\x1b[0m text\n", b"\r10%", "é你👩".encode(), b"plain\r\n"])
    )
    output = (part * 3000)[: limits.CLEANED_BYTES + 1000]
    expected = terminal_text(part * 40)
    assert terminal_text(output)[: len(expected) - 10] == expected[: len(expected) - 10]
