"""What programs print, as text and colours of a page."""

import pytest

from pi_tui.export.html.terminal_text import Run, coloured, one_line, plain


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("a\tb\nc", "a\tb\nc"),
        ("\x1b[2J\x1b]0;title\x07\x1bPq#0\x1b\\text", "text"),
        ("\x9b31mred\x9b0m", "red"),
        ("10%\r55%\r100%\ndone\r\n", "100%\ndone\n"),
        ("\u202eabc\u2066\ufeff\U000e0041\x00\x7f\u2028", "abc"),
        ("\ud83d half", "\ufffd half"),
    ],
)
def test_escapes_and_controls_are_taken_out(given: str, shown: str) -> None:
    assert plain(given) == shown


def test_one_line_joins_blanks_and_says_that_it_cut() -> None:
    assert one_line("a \n\t b", 10) == "a b"
    assert one_line("abcdef", 3) == "abc…"
    assert one_line(" " * 100 + "late", 3) == "…"


@pytest.mark.parametrize(
    ("code", "classes"),
    [
        ("31", "c-red"),
        ("1;4;92", "c-green ab au"),
        ("38;5;196", "c-red"),
        ("38;5;12", "c-blue"),
        ("38;5;250", "c-white"),
        ("38;2;250;240;20", "c-yellow"),
        ("38:5:21", "c-blue"),
        ("48;5;196", ""),
        ("48;2;1;2;3;35", "c-magenta"),
        ("31;39;1;22", ""),
        ("31;0", ""),
        ("38;5", ""),
        ("9" * 500, ""),
    ],
)
def test_colours_become_classes(code: str, classes: str) -> None:
    assert list(coloured(f"a\x1b[{code}mb\x1b[0mc")) == [Run("a", ""), Run("b", classes), Run("c", "")]
