"""A diff as coloured lines with numbers; what changed within a line stands out."""

import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from typing import Literal, NamedTuple, TypeAlias

from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.ansi import TAB_SIZE, plain
from pi_tui.tui.transcript.wrap import Row, fold

Sign: TypeAlias = Literal["+", "-", " ", "…"]

MAX_DIFF_LINES = 2_000
MAX_DIFF_LINE = 2_000
"""Characters of a line that are shown."""
MAX_INTRALINE = 400
"""Characters of a line, and pairs of lines in a diff, that are compared word by word."""
MIN_SIMILARITY = 0.4

_hunk = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")
_numbered = re.compile(r"([ +-])( *\d+) ?(.*)$")
_word = re.compile(r"\w+|\s+|.")
_TOKENS = {"+": "toolDiffAdded", "-": "toolDiffRemoved", " ": "toolDiffContext", "…": "dim"}


class DiffLine(NamedTuple):
    sign: Sign
    number: int | None
    """In the new file; in the old one for what was removed."""
    text: str


def read_diff(text: str) -> list[DiffLine]:
    """The lines of a unified diff, or of one whose lines are sign, number and text."""
    source = text.split("\n")[: MAX_DIFF_LINES + 1]
    if source and not source[-1]:
        source.pop()
    lines = list(_unified(source) if any(_hunk.match(line) for line in source) else _with_numbers(source))
    if len(source) > MAX_DIFF_LINES:
        lines.append(DiffLine("…", None, f"more than {MAX_DIFF_LINES:,} lines"))
    return lines


def diff_counts(text: str) -> tuple[int, int]:
    """Lines added and removed."""
    lines = [line[:3] for line in text.split("\n")]
    added = sum(line[:1] == "+" and line != "+++" for line in lines)
    return added, sum(line[:1] == "-" and line != "---" for line in lines)


def diff_rows(lines: list[DiffLine], width: int, palette: Palette) -> list[Row]:
    """Rows of at most `width` cells."""
    digits = max((len(str(line.number)) for line in lines if line.number is not None), default=0)
    numbers = digits > 0 and width >= 24
    rows: list[Row] = []
    changed = _changed_words(lines)
    for index, line in enumerate(lines):
        style = palette.style(_TOKENS[line.sign])
        lead = f"{line.number or '':>{digits}} " if numbers else ""
        sign = f"{line.sign} " if width >= 8 else ""
        prefix = [Segment(lead, palette.style("dim")), Segment(sign, style)]
        gutter = len(lead) + len(sign)
        content = fold(_runs(line.text, style, changed.get(index)), max(1, width - gutter))
        for number, (segments, _, joint) in enumerate(content):
            before = prefix if not number else [Segment(" " * gutter, style)]
            rows.append(Row([*[part for part in before if part.text], *segments], gutter, joint))
    return rows


def _unified(source: list[str]) -> Iterator[DiffLine]:
    old = new = 0
    started = False
    for line in source:
        hunk = _hunk.match(line)
        if hunk is not None:
            if started:
                yield DiffLine("…", None, "")
            old, new = int(hunk[1]), int(hunk[2])
            started = True
            continue
        if not started or line.startswith("\\"):
            continue
        text = _text(line[1:])
        match line[:1]:
            case "+":
                yield DiffLine("+", new, text)
                new += 1
            case "-":
                yield DiffLine("-", old, text)
                old += 1
            case _:
                yield DiffLine(" ", new, text)
                old += 1
                new += 1


def _with_numbers(source: list[str]) -> Iterator[DiffLine]:
    for line in source:
        match = _numbered.match(line)
        if match is not None:
            sign: Sign = "+" if match[1] == "+" else "-" if match[1] == "-" else " "
            yield DiffLine(sign, int(match[2]), _text(match[3]))
        elif line.strip() == "...":
            yield DiffLine("…", None, "")
        else:
            sign = "+" if line[:1] == "+" else "-" if line[:1] == "-" else " "
            yield DiffLine(sign, None, _text(line[1:]))


def _text(line: str) -> str:
    shown = plain(line[:MAX_DIFF_LINE], TAB_SIZE)
    return shown if len(line) <= MAX_DIFF_LINE else shown + "…"


def _changed_words(lines: list[DiffLine]) -> dict[int, list[tuple[int, int]]]:
    """For each line that has a counterpart, where it differs from it."""
    found: dict[int, list[tuple[int, int]]] = {}
    index = 0
    pairs = 0
    while index < len(lines) and pairs < MAX_INTRALINE:
        removed = _same_sign(lines, index, "-")
        added = _same_sign(lines, index + removed, "+")
        # Of unlike numbers of lines the first ones are compared: a line with more after it is the usual edit.
        for number in range(index, index + min(removed, added)):
            pairs += 1
            spans = _difference(lines[number].text, lines[number + removed].text)
            if spans is not None:
                found[number], found[number + removed] = spans
        index += max(1, removed + added)
    return found


def _same_sign(lines: list[DiffLine], start: int, sign: Sign) -> int:
    end = start
    while end < len(lines) and lines[end].sign == sign:
        end += 1
    return end - start


def _difference(old: str, new: str) -> tuple[list[tuple[int, int]], list[tuple[int, int]]] | None:
    if len(old) > MAX_INTRALINE or len(new) > MAX_INTRALINE:
        return None
    before, after = _word.findall(old), _word.findall(new)
    matcher = SequenceMatcher(None, before, after, autojunk=False)
    if matcher.ratio() < MIN_SIMILARITY:
        return None
    old_spans: list[tuple[int, int]] = []
    new_spans: list[tuple[int, int]] = []
    old_at = new_at = 0
    for tag, i1, i2, j1, j2 in matcher.get_opcodes():
        old_size, new_size = len("".join(before[i1:i2])), len("".join(after[j1:j2]))
        if tag != "equal":
            old_spans.append((old_at, old_at + old_size))
            new_spans.append((new_at, new_at + new_size))
        old_at += old_size
        new_at += new_size
    return old_spans, new_spans


def _runs(text: str, style: Style, changed: list[tuple[int, int]] | None) -> list[Segment]:
    if not changed:
        return [Segment(text, style)]
    strong = style + Style(reverse=True)
    runs: list[Segment] = []
    position = 0
    for start, end in changed:
        runs.append(Segment(text[position:start], style))
        runs.append(Segment(text[start:end], strong))
        position = end
    runs.append(Segment(text[position:], style))
    return [run for run in runs if run.text] or [Segment("", style)]
