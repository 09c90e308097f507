"""Finding the places of a file that edits name, and replacing them with every other byte untouched.

Works on text that was decoded with `surrogateescape`, so that bytes which are not UTF-8 survive. All
`oldText`s are looked for in the original. Line ends are not compared: CRLF in the file matches LF in an edit
and the other way round, and what is put in gets the line ends of the place where it goes.

If there is no exact match, a second look ignores blanks at line ends and takes typographic quotes, dashes and
spaces for their ASCII forms. It never crosses a line end or an indentation, and lines that an edit repeats
unchanged keep their bytes.
"""

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import pairwise

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.closest_lines import closest_lines

BOM = "\ufeff"

_UNICODE_SPACES = "\u00a0\u1680" + "".join(map(chr, range(0x2000, 0x200B))) + "\u202f\u205f\u3000"
_BLANKS = " \t\r\f\v" + _UNICODE_SPACES
_ASCII_FORMS = str.maketrans(
    {
        **dict.fromkeys("\u2018\u2019\u201a\u201b\u2032\u02bc", "'"),
        **dict.fromkeys("\u201c\u201d\u201e\u201f\u2033", '"'),
        **dict.fromkeys("\u2010\u2011\u2012\u2013\u2014\u2015\u2212", "-"),
        **dict.fromkeys(_UNICODE_SPACES, " "),
    }
)


@dataclass(frozen=True)
class Edit:
    old_text: str
    new_text: str


@dataclass(frozen=True)
class Region:
    """A stretch `start:end` of the original, what takes its place, and the number of the edit."""

    start: int
    end: int
    replacement: str
    edit: int
    tolerant: bool = False


class EditError(ValueError):
    """Why an edit cannot be made, for the model to read."""


def find_regions(text: str, edits: Sequence[Edit]) -> list[Region]:
    """The regions the edits name, in the order of the text.

    Args:
        text: The whole file. A BOM at its beginning is left alone.

    Raises:
        EditError: An edit is not found, found more than once, overlaps another, or changes nothing.
    """
    source = _Source(text)
    regions = [_find(source, edit, number, len(edits)) for number, edit in enumerate(edits)]
    regions.sort(key=lambda region: region.start)
    for before, after in pairwise(regions):
        if after.start < before.end:
            first, second = sorted((before.edit, after.edit))
            raise EditError(
                f"edits[{first}] and edits[{second}] overlap (at line {source.line_at(after.start)}). "
                "Join them into one edit."
            )
    for region in regions:
        if text[region.start : region.end] == region.replacement:
            raise EditError(
                f"{_name(region.edit, len(edits))} changes nothing: the file already says newText there."
            )
    return regions


def apply_regions(text: str, regions: Sequence[Region]) -> str:
    """The text with each region replaced; `regions` are in order and do not overlap."""
    parts: list[str] = []
    end = 0
    for region in regions:
        parts += (text[end : region.start], region.replacement)
        end = region.end
    parts.append(text[end:])
    return "".join(parts)


class _Source:
    """The original, and its form with LF only, in which edits are looked for."""

    def __init__(self, text: str) -> None:
        self.text = text
        self._offset = len(BOM) if text.startswith(BOM) else 0
        body = text[self._offset :]
        self.lf = body.replace("\r\n", "\n") if "\r\n" in body else body
        self._crlf = (
            [m.start() - i for i, m in enumerate(re.finditer("\r\n", body))] if self.lf is not body else []
        )
        self._folded: _Folded | None = None

    @property
    def folded(self) -> "_Folded":
        if self._folded is None:
            self._folded = _Folded(self.lf)
        return self._folded

    def original(self, position: int) -> int:
        """The place in the file of a place in the LF form."""
        return self._offset + position + bisect_left(self._crlf, position)

    def line_at(self, position: int) -> int:
        return self.text.count("\n", 0, position) + 1

    def line_end_near(self, start: int) -> str:
        """The line end that the line at `start` has; that of the line before if it has none."""
        following = self.text.find("\n", start)
        newline = following if following >= 0 else self.text.rfind("\n", 0, start)
        return "\r\n" if newline > 0 and self.text[newline - 1] == "\r" else "\n"


class _Folded:
    """Text with ASCII forms and without blanks at line ends, and the way back to the places in the text."""

    def __init__(self, lf: str) -> None:
        self._cuts: list[int] = []
        self._removed: list[int] = []
        lines: list[str] = []
        place = removed = 0
        for line in lf.split("\n"):
            folded = _fold(line)
            lines.append(folded)
            place += len(folded)
            if len(folded) < len(line):
                removed += len(line) - len(folded)
                self._cuts.append(place)
                self._removed.append(removed)
            place += 1
        self.text = "\n".join(lines)

    def position(self, folded: int, after_blanks: bool) -> int:
        """The place in the text of a place in the folded text; a cut is taken before or after its blanks."""
        index = bisect_left(self._cuts, folded + 1 if after_blanks else folded)
        return folded + (self._removed[index - 1] if index else 0)


def _find(source: _Source, edit: Edit, number: int, count: int) -> Region:
    name = _name(number, count)
    old, new = edit.old_text, edit.new_text
    if source.text.startswith(BOM) and old.startswith(BOM):
        old, new = old.removeprefix(BOM), new.removeprefix(BOM)
    old, new = old.replace("\r\n", "\n"), new.replace("\r\n", "\n")
    if not old:
        raise EditError(
            f"{name} has an empty oldText. Give the text to replace; to make a new file, use write."
        )
    places = occurrences(source.lf, old)
    tolerant = not places
    spans = [(place, place + len(old)) for place in places] if places else _tolerant_spans(source.folded, old)
    if len(spans) > 1:
        raise EditError(_ambiguous(source, name, [start for start, _ in spans]))
    if not spans:
        raise EditError(f"{name} was not found. " + closest_lines(source.lf, old))
    if old == new:
        raise EditError(f"{name} changes nothing: oldText and newText are the same.")
    start, end = (source.original(position) for position in spans[0])
    matched = source.text[start:end]
    if tolerant or 0 < matched.count("\r\n") < matched.count("\n"):
        replacement = _merge(matched, old, new, source.line_end_near(start))
    else:
        replacement = new.replace("\n", source.line_end_near(start))
    return Region(start, end, replacement, number, tolerant)


def occurrences(text: str, wanted: str) -> list[int]:
    """Where `wanted` is, overlapping ones too; at most `limits.COUNTED_OCCURRENCES`."""
    places: list[int] = []
    place = text.find(wanted)
    while place >= 0 and len(places) < limits.COUNTED_OCCURRENCES:
        places.append(place)
        place = text.find(wanted, place + 1)
    return places


def _fold(line: str) -> str:
    return (line if line.isascii() else line.translate(_ASCII_FORMS)).rstrip(_BLANKS)


def _tolerant_spans(folded: _Folded, old: str) -> list[tuple[int, int]]:
    wanted = "\n".join(map(_fold, old.split("\n")))
    if not wanted.strip():
        return []
    ends_with_blanks = not old.endswith("\n") and old[-1] in _BLANKS
    spans: list[tuple[int, int]] = []
    for place in occurrences(folded.text, wanted):
        end = place + len(wanted)
        at_line_end = end == len(folded.text) or folded.text[end] == "\n"
        if ends_with_blanks and not at_line_end:
            continue
        spans.append(
            (folded.position(place, after_blanks=True), folded.position(end, after_blanks=ends_with_blanks))
        )
    return spans


def _merge(matched: str, old: str, new: str, line_end: str) -> str:
    """`new` in place of `matched`; lines that `old` and `new` have in common keep the bytes they have there.

    `old` is what the model took `matched` for: line by line the same, but for line ends, blanks and
    typography.
    """
    kept = matched.split("\n")
    before, after = old.split("\n"), new.split("\n")
    if max(len(before), len(after)) > limits.ALIGNED_LINES or len(kept) != len(before):
        return new.replace("\n", line_end)
    ends = ["\r\n" if line.endswith("\r") else "\n" for line in kept[:-1]]
    bodies = [*(line.removesuffix("\r") for line in kept[:-1]), kept[-1]]
    parts: list[str] = []
    for tag, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        for j in range(j1, j2):
            i = i1 + j - j1
            parts.append(bodies[i] if tag == "equal" else after[j])
            parts.append(ends[i] if i < min(i2, len(ends)) else line_end)
    return "".join(parts[:-1])


def _name(number: int, count: int) -> str:
    return f"edits[{number}]" if count > 1 else "The edit"


def _ambiguous(source: _Source, name: str, places: Sequence[int]) -> str:
    shown = places[: limits.SHOWN_OCCURRENCES]
    lines = ", ".join(str(source.line_at(source.original(place))) for place in shown)
    more = ", …" if len(places) > len(shown) else ""
    times = (
        f"{len(places)} times" if len(places) < limits.COUNTED_OCCURRENCES else f"{len(places)} times or more"
    )
    return f"{name} was found {times} (lines {lines}{more}). Add lines around it so that it names one place."
