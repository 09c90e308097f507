"""Changing one value in a JSON text with comments, and nothing else of it."""

import json
import re
from collections.abc import Sequence
from typing import Final, NamedTuple

_TOKEN: Final = re.compile(
    r"(?P<skip>\s+|//[^\n]*|/\*.*?\*/)"
    r"|(?P<string>\"(?:\\.|[^\"\\])*\"|'(?:\\.|[^'\\])*')"
    r"|(?P<sign>[{}\[\]:,])"
    r"|(?P<word>[^\s{}\[\]:,\"'/]+)",
    re.DOTALL,
)


class _Token(NamedTuple):
    text: str
    start: int
    end: int


class _Member(NamedTuple):
    key: str
    start: int
    """Of the key."""
    first: int
    """Number of the value's first token."""
    value: tuple[int, int]
    """Where the value is."""
    comma: int | None
    """The end of the comma behind it."""


class CannotEdit(ValueError):
    """The text is not understood well enough to change it."""


def edited(text: str, keys: Sequence[str], value: object, indent: int | str) -> str:
    """The text with a value set in its outermost object; None takes it out.

    Args:
        text: JSON that may have comments and trailing commas.
        keys: The way to the value, from the outside in. Objects that are missing are made.
        value: Anything JSON can hold.
        indent: Of one level, in blanks or as it is written.

    Raises:
        CannotEdit: It is not such a text.
    """
    tokens = _tokens(text)
    unit = " " * indent if isinstance(indent, int) else indent
    at = 0
    for depth, key in enumerate(keys):
        if at >= len(tokens) or tokens[at].text != "{":
            raise CannotEdit(f"{key} is to be set in what is no object")
        members = _members(tokens, at)
        member = next((one for one in members if one.key == key), None)
        is_last = depth == len(keys) - 1
        if member is None and value is None:
            return text
        if member is None:
            for inner in reversed(keys[depth + 1 :]):
                value = {inner: value}
            line = f"{json.dumps(key, ensure_ascii=False)}: {_written(value, unit, depth + 1)}"
            return _added(
                text, tokens[at].end, members, "\n" + unit * (depth + 1) + line, "\n" + unit * depth
            )
        if is_last and value is None:
            return _without(text, members, member)
        if is_last:
            start, end = member.value
            return text[:start] + _written(value, unit, depth + 1) + text[end:]
        at = member.first
    raise CannotEdit("there is no key")


def _tokens(text: str) -> list[_Token]:
    tokens: list[_Token] = []
    at = 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise CannotEdit(f"character {at} is not understood")
        if match["skip"] is None:
            tokens.append(_Token(match[0], match.start(), match.end()))
        at = match.end()
    return tokens


def _members(tokens: list[_Token], opening: int) -> list[_Member]:
    """The members of the object that begins with a token."""
    members: list[_Member] = []
    at = opening + 1
    while _text(tokens, at) != "}":
        if _text(tokens, at + 1) != ":":
            raise CannotEdit("a colon is missing")
        last = _value_end(tokens, at + 2)
        has_comma = _text(tokens, last + 1) == ","
        members.append(
            _Member(
                _key(tokens[at].text),
                tokens[at].start,
                at + 2,
                (tokens[at + 2].start, tokens[last].end),
                tokens[last + 1].end if has_comma else None,
            )
        )
        at = last + (2 if has_comma else 1)
    return members


def _value_end(tokens: list[_Token], first: int) -> int:
    """The number of the last token of a value."""
    depth = 0
    for at in range(first, len(tokens)):
        sign = tokens[at].text
        depth += (sign in "{[") - (sign in "}]")
        if depth == 0:
            return at
    raise CannotEdit("a bracket is missing")


def _text(tokens: list[_Token], at: int) -> str:
    if at >= len(tokens):
        raise CannotEdit("it ends too early")
    return tokens[at].text


def _key(text: str) -> str:
    return str(json.loads(text)) if text[0] == '"' else text.strip("'")


def _added(text: str, opened: int, members: list[_Member], line: str, closing: str) -> str:
    """The text with a line behind the last member, or in an object that has none."""
    if not members:
        return text[:opened] + line + closing + text[opened:].lstrip()
    last = members[-1]
    if last.comma is not None:
        return text[: last.comma] + line + "," + text[last.comma :]
    return text[: last.value[1]] + "," + line + text[last.value[1] :]


def _without(text: str, members: list[_Member], member: _Member) -> str:
    """Takes out the member with its comma, or the one before where it is the last."""
    place = members.index(member)
    start, end = member.start, member.comma if member.comma is not None else member.value[1]
    if member.comma is None and place:
        start = members[place - 1].value[1]
    elif text[start - 1 : start].isspace():
        start = len(text[:start].rstrip(" \t"))
        start -= text[:start].endswith("\n")
    return text[:start] + text[end:]


def _written(value: object, unit: str, depth: int) -> str:
    return json.dumps(value, indent=unit, ensure_ascii=False).replace("\n", "\n" + unit * depth)
