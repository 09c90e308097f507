"""JSON as people write it: with comments, trailing commas and whatever else JSON5 allows."""

import re
from typing import Any

import msgspec

_COMMENT = re.compile(r'("(?:\\.|[^"\\])*")|//[^\n]*|/\*.*?\*/', re.DOTALL)
_TRAILING_COMMA = re.compile(r'("(?:\\.|[^"\\])*")|,(?=\s*[}\]])')


class NotJson(Exception):
    """A text that is none; the message says why.

    Args:
        line: Where, from 1; None where that is not known.
        reason: What was found.
    """

    def __init__(self, line: int | None, reason: str) -> None:
        super().__init__(reason)
        self.line = line


def decode(text: str) -> Any:
    """What a text stands for.

    Raises:
        NotJson: Nothing.
    """
    plain = text
    for extra in (_COMMENT, _TRAILING_COMMA):
        plain = extra.sub(lambda found: found[1] or " ", plain)
    try:
        return msgspec.json.decode(plain)
    except msgspec.DecodeError:
        return _decode_json5(text)


def _decode_json5(text: str) -> Any:
    """What else JSON5 allows, and the line of an error; 25 ms for each KiB, so only then."""
    import json5

    try:
        return json5.loads(text, allow_duplicate_keys=True)
    except ValueError as error:
        # "<string>:3 Unexpected "x" at column 7"
        line, _, reason = str(error).removeprefix("<string>:").partition(" ")
        raise NotJson(int(line) if line.isdigit() else None, reason or str(error)) from error
