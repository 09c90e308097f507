"""Where a text stands in wrapped lines."""

import pytest
from rich.segment import Segment

from pi_tui.tui.transcript.line import Line
from pi_tui.tui.transcript.occurrences import Span, occurrences


def line(text: str, *, gutter: int = 0, joint: str | None = None) -> Line:
    return Line([Segment(text)], gutter=gutter, joint=joint)


def test_a_text_is_found_wherever_its_capitals_are() -> None:
    assert occurrences([line("One two"), line("TWO")], "two") == [(Span(0, 4, 7),), (Span(1, 0, 3),)]


def test_a_text_that_was_wrapped_is_one_occurrence_on_two_lines() -> None:
    lines = [line("the large   "), line("  red house", gutter=2, joint=" ")]
    (found,) = occurrences(lines, "large red")
    assert [(span.line, lines[span.line].text[span.start : span.end].strip()) for span in found] == [
        (0, "large"),
        (1, "red"),
    ]


def test_a_word_cut_in_two_is_found() -> None:
    (found,) = occurrences([line("abcdef"), line("ghi", joint="")], "fgh")
    assert found == (Span(0, 5, 6), Span(1, 0, 2))


def test_two_lines_of_the_text_are_not_one() -> None:
    assert occurrences([line("red"), line("house")], "red house") == []


def test_decoration_is_not_searched() -> None:
    assert occurrences([line("| | text", gutter=4)], "|") == []


@pytest.mark.parametrize("query", ["", "x"])
def test_what_is_not_there_is_nowhere(query: str) -> None:
    assert occurrences([line("abc"), line("")], query) == []


def test_a_letter_that_grows_in_lower_case_moves_nothing() -> None:
    assert occurrences([line("\u0130 and abc")], "abc") == [(Span(0, 6, 9),)]
