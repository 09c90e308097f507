"""Where a text stands in rendered lines, also where it was wrapped."""

from bisect import bisect_right
from collections.abc import Sequence
from typing import NamedTuple, TypeAlias

from pi_tui.tui.transcript.line import Line


class Span(NamedTuple):
    """Characters of one line."""

    line: int
    start: int
    end: int


Occurrence: TypeAlias = tuple[Span, ...]
"""One place of the text, a span for each line it goes over."""


def occurrences(lines: Sequence[Line], query: str) -> list[Occurrence]:
    """All places of `query`, which is in lower case, in the text of lines, decoration left out."""
    if not query:
        return []
    starts: list[int] = []
    parts: list[str] = []
    length = 0
    for number, line in enumerate(lines):
        joint = ("\n" if line.joint is None else line.joint) if number else ""
        text = line.text[line.gutter :].rstrip()
        lowered = text.lower()
        # The few characters that are longer in lower case would move all that follow.
        parts += [joint, lowered if len(lowered) == len(text) else text]
        starts.append(length + len(joint))
        length += len(joint) + len(text)
    flat = "".join(parts)
    found: list[Occurrence] = []
    at = flat.find(query)
    while at >= 0:
        found.append(_spans(lines, starts, at, at + len(query)))
        at = flat.find(query, at + len(query))
    return found


def _spans(lines: Sequence[Line], starts: list[int], start: int, end: int) -> Occurrence:
    spans: list[Span] = []
    number = bisect_right(starts, start) - 1
    while number < len(lines) and (not spans or starts[number] < end):
        first = max(0, start - starts[number])
        last = end - starts[number]
        if number + 1 < len(lines):
            last = min(last, starts[number + 1] - starts[number])
        gutter = lines[number].gutter
        spans.append(Span(number, first + gutter, last + gutter))
        number += 1
    return tuple(spans)
