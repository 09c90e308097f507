"""One row of the tree as cells."""

import re
from dataclasses import dataclass
from typing import Final

from rich.segment import Segment
from rich.style import Style
from textual.strip import Strip

from pi_tui.session.outline.kinds import Kind
from pi_tui.session.outline.layout import Guides, Row
from pi_tui.tui.editor.cells import fit, width_of
from pi_tui.tui.theme.palette import Palette

LEVEL_CELLS: Final = 2
AGE_FROM: Final = 48
"""Cells of a row from which on there is room for its age."""
AGE_CELLS: Final = 4
HERE: Final = "◂ here"
MIN_TEXT: Final = 8

_TOKENS: Final = {
    Kind.USER: "accent",
    Kind.ANSWER: "success",
    Kind.CALLS: "muted",
    Kind.RESULT: "toolTitle",
    Kind.COMMAND: "bashMode",
    Kind.CUSTOM: "customMessageLabel",
    Kind.SUMMARY: "mdHeading",
    Kind.RECORD: "dim",
}


@dataclass(frozen=True)
class RowContent:
    """All that a row says."""

    row: Row
    kind: Kind
    tag: str
    text: str
    failed: bool
    active: bool
    """On the path to the leaf."""
    leaf: bool
    """The conversation goes on here."""
    label: str
    age: str


@dataclass(frozen=True)
class RowLook:
    """What all rows have in common."""

    width: int
    palette: Palette
    shift: int = 0
    """Levels of indentation that are out of sight at the left."""
    match: re.Pattern[str] | None = None
    """What is searched for."""


def row_strip(content: RowContent, look: RowLook, *, selected: bool) -> Strip:
    """The row in exactly `look.width` cells."""
    background = "selectedBg" if selected else None
    style = look.palette.style
    left = [Segment("❯ " if selected else "  ", style("accent", background))]
    if look.shift:
        left.append(Segment("‹ ", style("dim", background)))
    left.append(
        Segment(_branches(content.row.guides[look.shift :], content.row.start), style("dim", background))
    )
    left.append(Segment(_mark(content), style("accent" if content.active else "dim", background)))
    right = _right(content, look, background)
    room = look.width - sum(map(_cells, left)) - sum(map(_cells, right))
    if room < MIN_TEXT:
        right, room = [], look.width - sum(map(_cells, left))
    return Strip([*left, *_middle(content, look, max(0, room), background), *right]).adjust_cell_length(
        look.width, style(bg=background)
    )


def levels_in(width: int) -> int:
    """Levels of indentation that leave most of a row to its text."""
    return max(1, width // 3 // LEVEL_CELLS)


def _branches(guides: Guides, start: bool) -> str:
    if not guides:
        return ""
    passing = "".join("  " if last else "│ " for last in guides[:-1])
    if start:
        return passing + ("└─" if guides[-1] else "├─")
    return passing + ("  " if guides[-1] else "│ ")


def _mark(content: RowContent) -> str:
    if content.row.folds:
        return "▸ " if content.row.folded else "▾ "
    if content.leaf:
        return "● "
    return "• " if content.active else "  "


def _right(content: RowContent, look: RowLook, background: str | None) -> list[Segment]:
    style = look.palette.style
    parts: list[Segment] = []
    if content.leaf:
        parts.append(Segment(f" {HERE}", style("success", background, bold=True)))
    if look.width >= AGE_FROM:
        parts.append(Segment(f" {content.age:>{AGE_CELLS}} ", style("dim", background)))
    return parts


def _middle(content: RowContent, look: RowLook, room: int, background: str | None) -> list[Segment]:
    """Label, who said it and what, in exactly `room` cells."""
    style = look.palette.style
    parts: list[tuple[str, Style]] = []
    if content.label:
        parts.append((f"[{content.label}] ", style("warning", background, bold=True)))
    token = "error" if content.failed else _TOKENS[content.kind] if content.active else "muted"
    colon = "" if content.kind in (Kind.RESULT, Kind.COMMAND) else ":"
    parts.append((f"{content.tag}{colon} ", style(token, background, bold=content.kind == Kind.USER)))
    quiet = not content.active or content.kind in (Kind.RESULT, Kind.CALLS, Kind.RECORD)
    parts.append((content.text, style("muted" if quiet else "text", background)))
    segments: list[Segment] = []
    for text, part_style in parts:
        cells = min(room, width_of(text))
        shown = fit(text, cells)
        room -= cells
        segments += _with_matches(shown, part_style, look)
    segments.append(Segment(" " * room, style(bg=background)))
    return segments


def _with_matches(text: str, style: Style, look: RowLook) -> list[Segment]:
    if look.match is None:
        return [Segment(text, style)]
    found = style + look.palette.style("searchMatchText", "searchMatchBg")
    segments: list[Segment] = []
    at = 0
    for match in look.match.finditer(text):
        segments += [Segment(text[at : match.start()], style), Segment(match[0], found)]
        at = match.end()
    segments.append(Segment(text[at:], style))
    return [segment for segment in segments if segment.text]


def _cells(segment: Segment) -> int:
    return segment.cell_length
