"""Ruling lines out by their bytes alone: never one that holds the phrase."""

import json

import pytest

from pi_tui.session.raw_phrase import may_hold


def line(text: str, *, escaped: bool = False) -> bytes:
    return json.dumps({"message": {"content": text}}, ensure_ascii=escaped).encode()


@pytest.mark.parametrize("escaped", [False, True])
@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("a Large red house", "large red"),
        ("a large\nred house", "large red"),
        ("a large\r\n\tred house", "large red"),
        ("a **large** `red` house", "large red"),
        ('say "large" red', "large red"),
        ("C:\\new\\large", "new\\large"),
        ("x != y", "!="),
        ("das Gr\u00f6\u00dfte", "gr\u00f6\u00dfte"),
        ("\u00c4RGER", "\u00e4rger"),
        ("\u5927\u304d\u3044 house", "\u5927\u304d\u3044"),
        ("caf\u00e9 au lait", "au lait"),
        ("\U0001f600 smile", "\U0001f600"),
    ],
)
def test_a_line_with_the_phrase_is_never_ruled_out(text: str, phrase: str, escaped: bool) -> None:
    assert may_hold(line(text, escaped=escaped), phrase)


@pytest.mark.parametrize(
    ("text", "phrase"),
    [
        ("a red large house", "large red"),
        ("a large one, and quite another that is red", "large red"),
        ("house", "mouse"),
        ("house", "\u5bb6"),
    ],
)
def test_a_line_without_it_is_ruled_out(text: str, phrase: str) -> None:
    assert not may_hold(line(text), phrase)
