"""Arguments of prompt templates, after the documented rules."""

import pytest

from pi_tui.resources.template_arguments import expand, split_arguments


@pytest.mark.parametrize(
    ("typed", "arguments"),
    [
        ("", []),
        ("  one\ttwo\nthree ", ["one", "two", "three"]),
        ('"API compatibility" x', ["API compatibility", "x"]),
        ("'single quotes'", ["single quotes"]),
        ("it doesn't matter", ["it", "doesn't", "matter"]),
        ('"no end here', ['"no', "end", "here"]),
        (r'"the \"fast\" path"', ['the "fast" path']),
        (r"'it\'s' x", ["it's", "x"]),
        (r'"a\nb \\ c"', [r"a\nb \\ c"]),
        (r"""'say \"x\"'""", [r"say \"x\""]),
        ('""', [""]),
        ('say"x y"', ['say"x', 'y"']),
        (r"C:\temp a\ b", [r"C:\temp", "a\\", "b"]),
    ],
)
def test_arguments_are_separated_like_in_a_shell(typed: str, arguments: list[str]) -> None:
    assert split_arguments(typed) == arguments


@pytest.mark.parametrize(
    ("template", "expanded"),
    [
        ("$1-$2-$3-$4", "a-b c-d-"),
        ("$@ | $ARGUMENTS", "a b c d | a b c d"),
        ("${1:-x} ${2:-x} ${9:-nothing given}", "a b c nothing given"),
        ("${@:-all}", "a b c d"),
        ("${@:2}", "b c d"),
        ("${@:2:1}|${@:1:2}|${@:3:9}|${@:4}", "b c|a b c|d|"),
        ("${9:-}!", "!"),
        ("$ARGUMENTSX $HOME ${HOME} $", "$ARGUMENTSX $HOME ${HOME} $"),
        ("${1:-a $2 b}", "a"),
        ("costs $$ and $0", "costs $$ and $0"),
    ],
)
def test_every_place_is_filled(template: str, expanded: str) -> None:
    assert expand(template, ["a", "b c", "d"]) == expanded


def test_defaults_take_the_place_of_missing_and_empty_arguments() -> None:
    assert expand("${1:-one} ${2:-two} ${@:-none}", ["", ""]).startswith("one two")
    assert expand("${@:-none} ${1:-security, and speed}", []) == "none security, and speed"


def test_arguments_are_text_and_not_expanded_again() -> None:
    assert expand("$1 $@", ["$2", "${1:-x}", r"\1"]) == r"$2 $2 ${1:-x} \1"


def test_the_tenth_argument_has_two_digits() -> None:
    assert expand("$10 $1", [str(n) for n in range(1, 11)]) == "10 1"
