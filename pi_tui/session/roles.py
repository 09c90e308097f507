"""The role of a stored message, read without decoding the message."""

import re

import msgspec
from msgspec import Struct

PEEK_BYTES = 400
"""Where writers put the role: at the beginning of the message."""

_ROLE = re.compile(rb'"message"\s*:\s*\{\s*"role"\s*:\s*"(\w+)"')


class _Message(Struct):
    role: str = ""


class _Line(Struct):
    message: _Message | None = None


_decode = msgspec.json.Decoder(_Line).decode


def role_of(data: bytes, start: int = 0, end: int | None = None) -> str:
    """The role of the message in a line of type `message`, `data[start:end]`; empty if there is none."""
    end = len(data) if end is None else end
    found = _ROLE.search(data, start, min(end, start + PEEK_BYTES))
    if found is not None:
        return found[1].decode()
    try:
        decoded = _decode(data[start:end])
    except msgspec.MsgspecError:
        return ""
    return decoded.message.role if decoded.message is not None else ""
