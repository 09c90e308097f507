"""Text is broken into rows that fit, and can be put together again."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.transcript.ansi import clean
from pi_tui.tui.transcript.line import line_of
from pi_tui.tui.transcript.wrap import Row, fold, wrap
from tests.tui.transcript.unwrapped import copied_text


def shown(rows: list[Row]) -> list[str]:
    return ["".join(segment.text for segment in row.segments) for row in rows]


def test_words_stay_whole() -> None:
    assert shown(wrap([Segment("the quick brown fox")], 10)) == ["the quick", "brown fox"]


def test_a_word_longer_than_a_row_is_broken() -> None:
    assert shown(wrap([Segment("see abcdefghijklmno now")], 8)) == ["see", "abcdefgh", "ijklmno", "now"]


def test_chinese_is_broken_between_characters_but_not_before_a_full_stop() -> None:
    assert shown(wrap([Segment("中文字符不分割。好")], 14)) == ["中文字符不分", "割。好"]


def test_a_joined_emoji_is_never_broken() -> None:
    family = "👨‍👩‍👧"
    for row in shown(wrap([Segment(family * 5)], 5)):
        assert row.replace(family, "") == ""


def test_an_accent_stays_with_its_letter() -> None:
    assert shown(fold([Segment("ae\u0301io")], 2)) == ["ae\u0301", "io"]


def test_styles_follow_their_text_over_the_break() -> None:
    red = Style(color="red")
    rows = wrap([Segment("one "), Segment("two three", red), Segment(" four")], 8)
    assert [list(row.segments) for row in rows] == [
        [Segment("one "), Segment("two", red)],
        [Segment("three", red)],
        [Segment("four")],
    ] or shown(rows) == ["one two", "three", "four"]
    assert [segment.style for row in rows for segment in row.segments if "t" in segment.text] == [red, red]


def test_preformatted_text_loses_nothing() -> None:
    assert "".join(shown(fold([Segment("  a   b    c")], 4))) == "  a   b    c"


def test_a_wide_character_on_a_one_cell_screen_is_replaced() -> None:
    assert all(cell_len(row) <= 1 for row in shown(wrap([Segment("中a文")], 1)))


texts = st.text(
    alphabet=st.sampled_from("ab  .中文✅ㅤ\u0301\u200d\ufe0f👨👩é-")
    | st.characters(blacklist_categories=("Cs",)),
    max_size=80,
)


@given(texts, st.integers(1, 12), st.sampled_from([wrap, fold]))
@settings(max_examples=400, deadline=None)
def test_no_row_is_wider_than_the_screen(text: str, width: int, breaking: type) -> None:
    for row in shown(breaking([Segment(clean(text).replace("\t", " ").replace("\n", " "))], width)):
        assert cell_len(row) <= width or cell_len(row[0]) > width


@given(st.text(alphabet="ab cd中", max_size=60), st.integers(2, 12))
@settings(max_examples=200, deadline=None)
def test_copied_text_is_the_text_before_it_was_wrapped(text: str, width: int) -> None:
    words = " ".join(text.split())
    assert copied_text([line_of(row) for row in wrap([Segment(words)], width)]) == words


@pytest.mark.parametrize("breaking", [wrap, fold])
def test_a_line_of_100_000_characters_is_broken_without_a_stall(breaking: type) -> None:
    assert len(breaking([Segment("x" * 100_000)], 100)) == 1_000
    assert len(breaking([Segment("中" * 50_000)], 100)) == 1_000
