"""The lines of a stored diff, with their numbers."""

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from pi_tui.export.html.terminal_text import plain

if TYPE_CHECKING:
    from markupsafe import Markup

MAX_LINES: Final = 4_000
MAX_LINE: Final = 4_000
"""Characters."""

_HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_NUMBERED = re.compile(r"([ +-])( *\d+) ?(.*)$")
_CLASSES = {"+": "da", "-": "ds"}


class DiffLine(NamedTuple):
    sign: str
    """`+`, `-`, a blank, or `…` for what is left out."""
    number: str
    """Digits: in the new file; in the old one for what was removed; may be empty."""
    text: str
    """Of one line."""


def diff_html(lines: list[DiffLine]) -> "Markup":
    """The lines as elements. All texts are escaped at once: a page may have a hundred thousand of them."""
    from markupsafe import Markup, escape

    texts = str(escape("\n".join(line.text for line in lines))).split("\n")
    parts = [
        f'<span class="{_CLASSES.get(line.sign, "dc")}"><span class="dn">{line.number}</span>'
        f"{line.sign} {text}\n</span>"
        for line, text in zip(lines, texts, strict=True)
    ]
    return Markup("".join(parts))


def read_diff(text: str) -> list[DiffLine]:
    """The lines of a unified diff, or of one whose lines are sign, number and text."""
    source = plain(text).split("\n", MAX_LINES + 1)
    more = len(source) > MAX_LINES
    source = source[:MAX_LINES]
    if source and not source[-1]:
        source.pop()
    lines = list(_unified(source) if any(_HUNK.match(line) for line in source) else _with_numbers(source))
    return [*lines, DiffLine("…", "", f"more than {MAX_LINES:,} lines")] if more else lines


def replaced(old: str, new: str) -> list[DiffLine]:
    """An edit that has no diff: all of the old text, then all of the new one."""
    removed = [DiffLine("-", "", line[:MAX_LINE]) for line in plain(old).split("\n")[:MAX_LINES]]
    return removed + [DiffLine("+", "", line[:MAX_LINE]) for line in plain(new).split("\n")[:MAX_LINES]]


def counts(lines: list[DiffLine]) -> tuple[int, int]:
    """Lines added and removed."""
    return sum(line.sign == "+" for line in lines), sum(line.sign == "-" for line in lines)


def _unified(source: list[str]) -> Iterator[DiffLine]:
    old = new = 0
    started = False
    for line in source:
        hunk = _HUNK.match(line)
        if hunk is not None:
            if started:
                yield DiffLine("…", "", "")
            old, new = int(hunk[1]), int(hunk[2])
            started = True
            continue
        if not started or line.startswith("\\"):
            continue
        sign, text = line[:1], line[1 : MAX_LINE + 1]
        yield DiffLine(sign if sign in ("+", "-") else " ", str(old if sign == "-" else new), text)
        old += sign != "+"
        new += sign != "-"


def _with_numbers(source: list[str]) -> Iterator[DiffLine]:
    for line in source:
        match = _NUMBERED.match(line)
        if match is not None:
            yield DiffLine(match[1], match[2].strip(), match[3][:MAX_LINE])
        elif line.strip() == "...":
            yield DiffLine("…", "", "")
        else:
            sign, text = (line[:1], line[1:]) if line[:1] in ("+", "-", " ") else (" ", line)
            yield DiffLine(sign, "", text[:MAX_LINE])
