"""Changing single members of a JSON object without touching its other bytes."""

import json
import re
from typing import Any, NamedTuple

import msgspec

_BLANK = re.compile(r"[ \t\r\n]*")
_DECODER = json.JSONDecoder(strict=False, parse_int=str, parse_float=str)


class _Member(NamedTuple):
    name: str
    start: int
    """Where the name begins."""
    value: int
    """Where the value begins."""
    end: int


def replace_members(raw: bytes, members: dict[str, Any]) -> bytes:
    """The object with these top-level members set; members it lacks are put in front.

    All other bytes, unknown fields and their order stay as they are.

    Raises:
        ValueError: `raw` is not one JSON object.
    """
    # JSON's structure is ASCII, so in Latin-1 every offset is a byte offset.
    text = raw.decode("latin-1")
    found = _members(text)
    names = {member.name for member in found}
    front = [f"{_json(name)}:{_json(value)}" for name, value in members.items() if name not in names]
    done = text.index("{") + 1
    pieces = [text[:done], ",".join(front), "," if front and found else ""]
    for member in found:
        if member.name in members:
            pieces += (text[done : member.value], _json(members[member.name]))
            done = member.end
    pieces.append(text[done:])
    return "".join(pieces).encode("latin-1")


def remove_member(raw: bytes, name: str) -> bytes:
    """The object without this top-level member.

    Raises:
        ValueError: `raw` is not one JSON object.
    """
    text = raw.decode("latin-1")
    found = _members(text)
    kept = [text[member.start : member.end] for member in found if member.name != name]
    return raw if len(kept) == len(found) else ("{" + ",".join(kept) + "}").encode("latin-1")


def member(raw: bytes, name: str) -> bytes | None:
    """The bytes of one top-level member's value.

    Raises:
        ValueError: `raw` is not one JSON object.
    """
    text = raw.decode("latin-1")
    values = [text[found.value : found.end] for found in _members(text) if found.name == name]
    return values[-1].encode("latin-1") if values else None


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode("latin-1")


def _members(text: str) -> list[_Member]:
    members: list[_Member] = []
    at = _after_blank(text, 0)
    _expect(text, at, "{")
    at = _after_blank(text, at + 1)
    while not (text.startswith("}", at) and not members):
        start = at
        _expect(text, at, '"')
        name, at = _DECODER.raw_decode(text, at)
        at = _after_blank(text, at)
        _expect(text, at, ":")
        value = _after_blank(text, at + 1)
        _, end = _DECODER.raw_decode(text, value)
        members.append(_Member(_utf8(name), start, value, end))
        at = _after_blank(text, end)
        if text.startswith("}", at):
            break
        _expect(text, at, ",")
        at = _after_blank(text, at + 1)
    return members


def _utf8(name: str) -> str:
    return name.encode("latin-1", "replace").decode("utf-8", "replace")


def _after_blank(text: str, at: int) -> int:
    match = _BLANK.match(text, at)
    return match.end() if match else at


def _expect(text: str, at: int, character: str) -> None:
    if not text.startswith(character, at):
        raise ValueError(f"expected {character!r} at byte {at}")
