"""The arguments of a prompt template: how they are written, and where they go."""

import re
from collections.abc import Sequence
from typing import Final

_PLACE: Final = re.compile(
    r"\$(?:(?P<number>\d{1,6})"
    r"|(?P<all>@|ARGUMENTS(?![A-Za-z0-9_]))"
    r"|\{(?P<which>[1-9]\d{0,5}|@):-(?P<default>[^}]*)\}"
    r"|\{@:(?P<start>\d{1,6})(?::(?P<length>\d{1,6}))?\})"
)


def split_arguments(text: str) -> list[str]:
    """The arguments in a text, separated by blanks.

    A quote counts at the beginning of an argument and only if it is closed; `\\` before the same quote keeps it.
    """
    arguments: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace():
            at += 1
            continue
        quoted = _quoted(text, at) if text[at] in "\"'" else None
        value, at = quoted if quoted is not None else ("", at)
        end = at
        while end < len(text) and not text[end].isspace():
            end += 1
        arguments.append(value + text[at:end])
        at = end
    return arguments


def expand(template: str, arguments: Sequence[str]) -> str:
    """The template with its arguments put in, as text: what looks like a place in an argument stays as it is."""

    def put_in(place: re.Match[str]) -> str:
        if place["number"] is not None:
            number = int(place["number"])
            return place[0] if number == 0 else _at(arguments, number)
        if place["all"] is not None:
            return " ".join(arguments)
        if place["which"] is not None:
            which = place["which"]
            given = " ".join(arguments) if which == "@" else _at(arguments, int(which))
            return given or place["default"]
        first = max(int(place["start"]), 1) - 1
        last = None if place["length"] is None else first + int(place["length"])
        return " ".join(arguments[first:last])

    return _PLACE.sub(put_in, template)


def _at(arguments: Sequence[str], number: int) -> str:
    return arguments[number - 1] if number <= len(arguments) else ""


def _quoted(text: str, at: int) -> tuple[str, int] | None:
    """What is quoted from here on and where it ends; None where the quote is never closed."""
    quote = text[at]
    value: list[str] = []
    at += 1
    while at < len(text):
        if text[at] == "\\" and text[at + 1 : at + 2] == quote:
            value.append(quote)
            at += 2
        elif text[at] == quote:
            return "".join(value), at + 1
        else:
            value.append(text[at])
            at += 1
    return None
