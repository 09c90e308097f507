"""What is wrong in a file the user wrote, and where."""

import re
from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct


class Problem(Struct, frozen=True):
    file: str
    line: int | None
    field: str
    """Dotted path, empty for the file as a whole."""
    message: str

    def __str__(self) -> str:
        line = f":{self.line}" if self.line else ""
        field = f" {self.field}:" if self.field else ""
        return f"{self.file}{line}:{field} {self.message}"


def json_problem(path: Path, data: bytes, error: msgspec.DecodeError) -> Problem:
    """A file that is not JSON; msgspec names the byte."""
    found = re.search(r"byte (\d+)", str(error))
    offset = int(found[1]) if found else len(data)
    reason = re.sub(r" \(byte \d+\)", "", str(error))
    return Problem(str(path), data.count(b"\n", 0, offset) + 1, "", f"is not valid JSON: {reason}")


def line_of(text: str, keys: Sequence[str]) -> int | None:
    """The line of a JSON text where the last of the nested `keys` stands, or the last one that is found."""
    position: int | None = None
    for key in keys:
        quoted = re.compile(rf"[\"']?{re.escape(key)}[\"']?\s*:|[\"']{re.escape(key)}[\"']")
        found = quoted.search(text, position or 0)
        if found is None:
            break
        position = found.end()
    return None if position is None else text.count("\n", 0, position) + 1
