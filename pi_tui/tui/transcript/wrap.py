"""Breaking styled text into rows no wider than the screen."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate
from typing import NamedTuple

from rich.cells import cell_len, get_character_cell_size
from rich.segment import Segment

_JOINER = "\u200d"
_EMOJI_STYLE = "\ufe0f"
_NEVER_FIRST = frozenset("、。，．！？：；）」』】〉》,.!?:;)]}%”’")
_TOO_WIDE = "·"
"""Stands for a two-cell character on a one-cell screen."""


class Row(NamedTuple):
    """Segments of one row; `gutter` and `joint` as in `Line`."""

    segments: list[Segment]
    gutter: int = 0
    joint: str | None = None


class _Span(NamedTuple):
    start: int
    end: int
    joint: str | None


def wrap(runs: Sequence[Segment], width: int) -> list[Row]:
    """Prose: broken at spaces, between wide characters, and inside words that are longer than a row."""
    return _rows(runs, width, words=True)


def fold(runs: Sequence[Segment], width: int) -> list[Row]:
    """Preformatted text of one line: broken exactly at the width, nothing is dropped."""
    return _rows(runs, width, words=False)


def _rows(runs: Sequence[Segment], width: int, *, words: bool) -> list[Row]:
    text = runs[0].text if len(runs) == 1 else "".join([run.text for run in runs])
    if text.isascii():
        if len(text) <= width:
            return [Row(list(runs))]
        spans = _ascii_spans(text, width, words)
    else:
        if width < 2:
            runs = [Segment(_narrowed(run.text), run.style) for run in runs]
            text = "".join([run.text for run in runs])
        sizes = _cell_sizes(text)
        if sum(sizes) <= width:
            return [Row(list(runs))]
        spans = _wide_spans(text, sizes, width, words)
    return _slices(runs, spans)


def _ascii_spans(text: str, width: int, words: bool) -> list[_Span]:
    spans: list[_Span] = []
    start = 0
    size = len(text)
    joint: str | None = None
    while size - start > width:
        cut = text.rfind(" ", start, start + width + 1) if words else -1
        if cut <= start or text[start:cut].isspace():
            spans.append(_Span(start, start + width, joint))
            start += width
            joint = ""
            continue
        spans.append(_Span(start, _without_trailing(text, start, cut), joint))
        start = _past_spaces(text, cut)
        joint = " "
    if start < size or not spans:
        spans.append(_Span(start, size, joint))
    return spans


def _wide_spans(text: str, sizes: list[int], width: int, words: bool) -> list[_Span]:
    ends = list(accumulate(sizes))
    spans: list[_Span] = []
    size = len(text)
    start = 0
    used = 0
    joint: str | None = None
    while start < size:
        limit = bisect_right(ends, used + width)
        if limit >= size:
            spans.append(_Span(start, size, joint))
            break
        limit = max(limit, start + 1)
        end, following, next_joint = _cut(text, sizes, start, limit, words)
        spans.append(_Span(start, end, joint))
        start, joint = following, next_joint
        used = ends[start - 1]
    return spans


def _cut(text: str, sizes: list[int], start: int, limit: int, words: bool) -> tuple[int, int, str]:
    """Where a row that may reach `limit` ends, where the next one starts, and what joins the two."""
    if words:
        space = text.rfind(" ", start, limit + 1)
        between = limit
        while between > start + 1 and not (sizes[between] == 2 or sizes[between - 1] == 2):
            between -= 1
        if between > start + 1 and text[between] in _NEVER_FIRST:
            between -= 1
        if space > start and space >= between and not text[start:space].isspace():
            return _without_trailing(text, start, space), _past_spaces(text, space), " "
        if between > start + 1:
            limit = between
        if " " in text[limit - 1 : limit + 1] and not text[start:limit].isspace():
            return _without_trailing(text, start, limit), _past_spaces(text, limit), " "
    while limit > start + 1 and sizes[limit] == 0:
        limit -= 1
    while limit < len(text) and sizes[limit] == 0:
        limit += 1
    return limit, limit, ""


def _without_trailing(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] == " ":
        end -= 1
    return end


def _past_spaces(text: str, position: int) -> int:
    while position < len(text) and text[position] == " ":
        position += 1
    return position


def _cell_sizes(text: str) -> list[int]:
    """Cells of each character; what joins the character before it has none."""
    sizes = list(map(get_character_cell_size, text))
    if _JOINER in text or _EMOJI_STYLE in text:
        for index, character in enumerate(text):
            if character == _JOINER:
                sizes[index] = 0
                if index + 1 < len(text):
                    sizes[index + 1] = 0
            elif character == _EMOJI_STYLE:
                sizes[index] = 0
                if index and sizes[index - 1] == 1:
                    sizes[index - 1] = cell_len(text[index - 1 : index + 1])
    return sizes


def _narrowed(text: str) -> str:
    return "".join([_TOO_WIDE if get_character_cell_size(character) > 1 else character for character in text])


def _slices(runs: Sequence[Segment], spans: list[_Span]) -> list[Row]:
    rows: list[Row] = []
    index = 0
    offset = 0
    for start, end, joint in spans:
        segments: list[Segment] = []
        while index < len(runs):
            text, style, _ = runs[index]
            stop = offset + len(text)
            if stop > start and offset < end:
                part = text[max(start - offset, 0) : end - offset]
                segments.append(Segment(part, style))
            if stop > end:
                break
            offset = stop
            index += 1
        rows.append(Row(segments, 0, joint))
    return rows
