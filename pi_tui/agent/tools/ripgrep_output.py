"""Reading the lines that `rg` found."""

import os
import re
from collections.abc import Iterable, Iterator

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.text_search import Line, Query, shown_line

MATCH, NEAR = b"\x01", b"\x02"
"""Between the number of a line and its text."""

_LINE = re.compile(rb"([^\0]*)\0(\d+)([\x01\x02])([^\n]*)\n", re.DOTALL)
_NOT_TEXT = re.compile(
    rb"([^\n]*?)(?:: WARNING: stopped searching|: binary file matches|WARNING: stopped searching)[^\n]*\n"
)
_OMITTED = re.compile(rb" \[\.\.\. (?:omitted end of long line|\d+ more match(?:es)?)\]\r?$")
_MAX_WAITING = limits.MIB


def arguments_for(query: Query) -> list[str]:
    """The options that make `rg` print what `lines_of` reads."""
    options = [
        "--with-filename",
        "--no-heading",
        "--line-number",
        "--null",
        "--crlf",
        f"--field-match-separator={_escaped(MATCH)}",
        f"--field-context-separator={_escaped(NEAR)}",
        "--no-context-separator",
        f"--max-columns={limits.RIPGREP_LINE_BYTES}",
        "--max-columns-preview",
        f"--context={query.context}",
        f"--max-count={limits.MOST_RESULTS + 1}",
    ]
    if query.literal:
        options.append("--fixed-strings")
    options.append("--ignore-case" if query.ignore_case else "--case-sensitive")
    return [*options, "--regexp", query.pattern]


def lines_of(pieces: Iterable[bytes]) -> Iterator[list[Line]]:
    """What was found, the lines of one file together; files that are not text are left out."""
    waiting = b""
    file: list[Line] = []
    for piece in pieces:
        waiting += piece
        position = 0
        while True:
            if odd := _NOT_TEXT.match(waiting, position):
                if (file and file[0].path == _path(odd[1])) or not odd[1]:
                    file = []
                position = odd.end()
                continue
            found = _LINE.match(waiting, position)
            if found is None:
                break
            position = found.end()
            line = _line(found)
            if file and file[0].path != line.path:
                yield file
                file = []
            file.append(line)
        waiting = waiting[position:][-_MAX_WAITING:]
    if file:
        yield file


def _line(found: re.Match[bytes]) -> Line:
    text = found[4]
    omitted = _OMITTED.search(text) if len(text) >= limits.RIPGREP_LINE_BYTES else None
    shown = (text[: omitted.start()] if omitted else text.removesuffix(b"\r")).decode("utf-8", "replace")
    return shown_line(
        _path(found[1]), int(found[2]), shown, matches=found[3] == MATCH, cut=omitted is not None
    )


def _path(raw: bytes) -> str:
    return os.fsdecode(raw.removeprefix(b"./"))


def _escaped(byte: bytes) -> str:
    return f"\\x{byte[0]:02x}"
