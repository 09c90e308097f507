"""Foreign text reaches the screen as text and colours, and as nothing else."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.transcript.ansi import clean, one_line, plain, styled_lines

BASE = Style(color="#111111")


def texts(text: str) -> list[str]:
    return ["".join(run.text for run in runs) for runs in styled_lines(text, BASE)]


def style_of(text: str, part: str) -> Style:
    for runs in styled_lines(text, BASE):
        for run in runs:
            if part in run.text:
                assert run.style is not None
                return run.style
    raise AssertionError(f"{part!r} is not shown")


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b[2Jb", "ab"),
        ("a\x1b[10;10Hb", "ab"),
        ("a\x1b]0;title\x07b", "ab"),
        ("a\x1b]52;c;aGk=\x1b\\b", "ab"),
        ("\x1b]8;;http://x.y\x07link\x1b]8;;\x07", "link"),
        ("a\x1bPq#0\x1b\\b", "ab"),
        ("a\x1b_Gf=100;AAAA\x1b\\b", "ab"),
        ("a\x1b7b\x1b8c", "abc"),
        ("a\x1b(Bb", "ab"),
        ("a\x9b31mb", "ab"),
        ("a\x1b]0;never ended", "a0;never ended"),
        ("a\x1b", "a"),
        ("a\x00b\x07c\x7fd", "abcd"),
        ("safe\u202etxt.exe", "safetxt.exe"),
        ("half \ud83d done", "half \ufffd done"),
        ("[bold]x[/bold] [/foo]", "[bold]x[/bold] [/foo]"),
    ],
)
def test_escapes_and_controls_are_taken_out(text: str, shown: str) -> None:
    assert texts(text) == [shown]


def test_a_carriage_return_overwrites_the_line_as_a_terminal_would() -> None:
    assert texts("10%\r50%\r100%\r\ndone\r\n") == ["100%", "done", ""]


def test_a_carriage_return_overwrites_coloured_text() -> None:
    assert texts("\x1b[31m10%\x1b[0m\r\x1b[32m100%\x1b[0m") == ["100%"]


def test_overstriking_with_backspaces_shows_the_last_character() -> None:
    assert texts("N\bNA\bAM\bME\bE") == ["NAME"]


def test_tabs_go_to_the_next_stop_across_colours() -> None:
    assert texts("ab\tc") == ["ab      c"]
    assert texts("\x1b[31mab\x1b[0m\tc") == ["ab      c"]


@pytest.mark.parametrize(
    ("code", "expected"),
    [
        ("31", Color.from_ansi(1)),
        ("92", Color.from_ansi(10)),
        ("38;5;200", Color.from_ansi(200)),
        ("38;2;1;2;3", Color.from_rgb(1, 2, 3)),
        ("38:2:1:2:3", Color.from_rgb(1, 2, 3)),
        ("1;31", Color.from_ansi(1)),
    ],
)
def test_colours_are_kept(code: str, expected: Color) -> None:
    assert style_of(f"a \x1b[{code}mred\x1b[0m b", "red").color == expected
    assert style_of(f"a \x1b[{code}mred\x1b[0m b", " b").color == BASE.color


def test_attributes_are_set_and_taken_back() -> None:
    assert style_of("\x1b[1;4mx\x1b[22my", "x").bold
    assert not style_of("\x1b[1;4mx\x1b[22my", "y").bold
    assert style_of("\x1b[1;4mx\x1b[22my", "y").underline


@pytest.mark.parametrize("code", ["38", "38;5", "38;2;1", "999999999999", ";;;;", "38;9;1"])
def test_broken_colours_do_no_harm(code: str) -> None:
    assert texts(f"\x1b[{code}mx") == ["x"]


@given(st.text(), st.integers(0, 200))
@settings(max_examples=150, deadline=None)
def test_cleaning_in_pieces_equals_cleaning_whole(text: str, at: int) -> None:
    assert clean(text[:at]) + clean(text[at:]) == clean(text)


@given(st.text(alphabet=st.characters() | st.sampled_from("\x1b[]m;\x07\\\r\b\t\x9b0123456789")))
@settings(max_examples=300, deadline=None)
def test_no_text_leaves_a_control_behind(text: str) -> None:
    for line in texts(text):
        assert not any(ord(c) < 32 or 0x7F <= ord(c) < 0xA0 or 0xD800 <= ord(c) < 0xE000 for c in line)


def test_a_flood_of_combining_marks_is_cut_down() -> None:
    (line,) = texts("e" + "\u0301" * 50_000)
    assert line == "e"
    assert texts("cafe\u0301") == ["cafe\u0301"]


def test_a_title_is_one_line_of_bounded_length() -> None:
    assert one_line("rm -rf\n  /tmp/\x1b[31mx\x1b[0m") == "rm -rf /tmp/x"
    assert len(one_line("x" * 100_000)) == 501


def test_plain_text_keeps_its_lines() -> None:
    assert plain("a\n\x1b[1mb\x1b[0m\n") == "a\nb\n"


def test_lines_without_escapes_are_one_run() -> None:
    assert styled_lines("plain", BASE) == [[Segment("plain", BASE)]]
