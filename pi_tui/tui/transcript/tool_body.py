"""What is shown under a tool's title: output, the diff, the file that was written."""

import re
from typing import TYPE_CHECKING, Any

from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.transcript.ansi import TAB_SIZE, one_line, plain
from pi_tui.tui.transcript.line import Look
from pi_tui.tui.transcript.output import excerpt
from pi_tui.tui.transcript.tool_titles import file_name
from pi_tui.tui.transcript.wrap import Row, fold, wrap

if TYPE_CHECKING:
    from pi_tui.tui.transcript.tool_block import ToolBlock

COLLAPSED_TAIL = 5
COLLAPSED_HEAD = 5
COLLAPSED_FILE = 8
COLLAPSED_DIFF = 20
COLLAPSED_ERROR = 8
"""Rows."""
MAX_FILE_LINE = 4_000
"""Characters of a line of an opened file."""
MAX_FILE_LINES = 1_000
"""Lines of a file that are shown when opened."""

_FOUND = frozenset({"grep", "find", "ls"})
_NOTE = re.compile(
    r"(?:\n\n|\A)\[((?:Lines \d+-\d+ of|The last \d+ bytes of line|Something it started) [^\n]*)\]\Z"
)


def body_rows(block: "ToolBlock", look: Look) -> list[Row]:
    """Rows of at most `look.width` cells, without the bar at their left; all of them where it is expanded."""
    details = block.result.details if block.result is not None else None
    details = details if isinstance(details, dict) else {}
    if block.name == "bash":
        return _bash(block, details, look)
    if block.state == "error":
        return _error(block.output, look)
    if isinstance(details.get("diff"), str) and details["diff"]:
        return _diff(details["diff"], look)
    match block.name:
        case "write":
            content = block.arguments.get("content")
            return _file(content if isinstance(content, str) else "", block, look)
        case "edit":
            return []
        case "read":
            return _file(block.output, block, look) if look.expanded else _note(block, look)
    token = "dim" if block.name in _FOUND and not _count(details) else "toolOutput"
    limit = None if look.expanded else COLLAPSED_HEAD
    return _excerpt(block.output, look, limit, tail=block.running, token=token)


def _count(details: dict[str, Any]) -> bool:
    """Whether a search found anything."""
    return any(details.get(key) for key in ("matches", "results", "entries"))


def _error(text: str, look: Look) -> list[Row]:
    """What a tool says of its failure: sentences, wrapped between words."""
    style = look.palette.style("error")
    lines = plain(text).strip("\n").split("\n")
    rows = [
        row
        for line in lines[:MAX_FILE_LINES]
        for row in wrap([Segment(line[:MAX_FILE_LINE], style)], look.width)
    ]
    if look.expanded or len(rows) <= COLLAPSED_ERROR:
        return rows
    hidden = len(rows) - COLLAPSED_ERROR + 1
    return rows[: COLLAPSED_ERROR - 1] + _hint(hidden, "more", look)


def _bash(block: "ToolBlock", details: dict[str, Any], look: Look) -> list[Row]:
    """The end of the output in its colours; below it what is missing of it, and how a failure came about."""
    text, failure, dim = block.output, "", look.palette.style("dim")
    if block.state == "error":
        text, _, failure = text.rstrip().rpartition("\n")
    text, notes = _without_notes(text.rstrip())
    if isinstance(details.get("ansi"), str):
        text = details["ansi"].rstrip()
    token = "dim" if text == "(no output)" else "toolOutput"
    command = _rest_of_command(block.arguments, look) if look.expanded else []
    rows, hidden = excerpt(
        text, look.width, look.palette.style(token), None if look.expanded else COLLAPSED_TAIL, end="tail"
    )
    hidden += _lines_left_out(details)
    rows = [*command, *_hint(hidden, "earlier", look), *rows]
    path = details.get("fullOutputPath")
    if isinstance(path, str) and not any(path in note for note in notes):
        notes.append(f"Full output: {path}")
    for note in notes:
        rows += wrap([Segment(one_line(note, MAX_FILE_LINE), dim)], look.width)
    return (
        rows + wrap([Segment(one_line(failure), look.palette.style("error"))], look.width)
        if failure
        else rows
    )


def _without_notes(text: str) -> tuple[str, list[str]]:
    """The output alone, and what the tool said about it below."""
    notes: list[str] = []
    while (match := _NOTE.search(text)) is not None:
        notes.insert(0, match[1])
        text = text[: match.start()]
    return text, notes


def _lines_left_out(details: dict[str, Any]) -> int:
    cut = details.get("truncation")
    first = cut.get("firstLine") if isinstance(cut, dict) else None
    return first - 1 if isinstance(first, int) and first > 1 else 0


def _rest_of_command(arguments: dict[str, Any], look: Look) -> list[Row]:
    """The lines of a command that its title has no room for."""
    command = arguments.get("command")
    lines = plain(command).strip("\n").split("\n")[1:MAX_FILE_LINES] if isinstance(command, str) else []
    style = look.palette.style("toolTitle")
    return [row for line in lines for row in fold([Segment(line[:MAX_FILE_LINE] or " ", style)], look.width)]


def _excerpt(text: str, look: Look, limit: int | None, *, tail: bool, token: str = "toolOutput") -> list[Row]:
    rows, hidden = excerpt(text, look.width, look.palette.style(token), limit, end="tail" if tail else "head")
    hint = _hint(hidden, "earlier" if tail else "more", look)
    return hint + rows if tail else rows + hint


def _diff(text: str, look: Look) -> list[Row]:
    from pi_tui.tui.transcript.diff_view import diff_rows, read_diff

    rows = diff_rows(read_diff(text), look.width, look.palette)
    if look.expanded or len(rows) <= COLLAPSED_DIFF:
        return rows
    hidden = len(rows) - COLLAPSED_DIFF + 1
    return rows[: COLLAPSED_DIFF - 1] + _hint(hidden, "more", look)


def _file(content: str, block: "ToolBlock", look: Look) -> list[Row]:
    """A file's text in the colours of its language."""
    lines = content.rstrip("\n").split("\n") if content else []
    kept = lines[: MAX_FILE_LINES if look.expanded else COLLAPSED_FILE]
    if not look.expanded and len(lines) == len(kept) + 1:
        kept = lines
    from pi_tui.tui.transcript.highlight import Highlighter, language_of

    highlighter = Highlighter(language_of(file_name(block.arguments)))
    base = look.palette.style("toolOutput")
    rows: list[Row] = []
    for line in kept:
        cut = line[: MAX_FILE_LINE if look.expanded else look.width * 3]
        flat = excerpt(
            cut, max(look.width, len(cut) * 2 + TAB_SIZE), Style.null(), 1, end="head", tab_size=TAB_SIZE
        ).rows
        text = "".join(segment.text for segment in flat[0].segments) if flat else ""
        pieces = highlighter.line(text)
        runs = [Segment(piece, look.palette.style(token) if token else base) for piece, token in pieces]
        rows += fold(runs or [Segment("", base)], look.width)
    return rows + _hint(len(lines) - len(kept), "more", look)


def _note(block: "ToolBlock", look: Look) -> list[Row]:
    """The tool's own last line, where it says that not all was read."""
    last = block.output.rstrip().rpartition("\n")[2] if block.output else ""
    if last.startswith("[") and last.endswith("]") and len(last) < 200 and "image" not in last.lower():
        return wrap([Segment(one_line(last[1:-1]), look.palette.style("dim"))], look.width)
    return []


def _hint(hidden: int, which: str, look: Look) -> list[Row]:
    if hidden <= 0:
        return []
    count = f"… {hidden:,} {which} {'line' if hidden == 1 else 'lines'}"
    text = count if look.expanded else count + look.expand_hint
    return wrap([Segment(text, look.palette.style("dim"))], look.width)
