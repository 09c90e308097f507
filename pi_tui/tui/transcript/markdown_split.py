"""Where a growing Markdown text may be cut so that what is before the cut never changes again.

Every decision depends on finished lines alone, or on a fixed number of characters from where a block starts:
the pieces of a text are the same however it arrived.
"""

import re
from typing import NamedTuple

from pi_tui.tui.transcript.markdown_parse import block_starts

WINDOW = 3_000
"""Characters after which a block that is still open is cut, so that one flush never parses more than this."""

fence_start = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)\n")
_fence_line = re.compile(r"^ {0,3}(?:`{3,}|~{3,})[^\n]*\n", re.MULTILINE)
_any_fence = re.compile(r"^([ \t>]*(?:[-*+]|\d{1,9}[.)])?[ \t]*)(`{3,}|~{3,})([^\n]*)$")
_plain_start = re.compile(r"#{1,6} |[^\W\d_]|\*\*|`(?!``)")
_leading_blanks = re.compile(r"(?:[ \t]*\n)+")
_outer_line = re.compile(r"\n(?=[^\s])")
_table_head = re.compile(r"([^\n]*\|[^\n]*\n[ \t]*\|?[ \t]*:?-+:?[ \t]*(?:\|[ \t]*:?-*:?[ \t]*)*\n)")


class Fence(NamedTuple):
    """An open code fence: what closes it, and how far its lines are indented."""

    mark: str
    info: str
    indent: int

    def closed_by(self, line: str) -> bool:
        rest = line.strip()
        return (
            len(rest) >= len(self.mark)
            and rest == self.mark[0] * len(rest)
            and len(line) - len(line.lstrip(" ")) <= self.indent + 3
        )

    def content(self, line: str) -> str:
        """A line without the fence's own indentation."""
        return line[min(self.indent, len(line) - len(line.lstrip(" "))) :]


class Cut(NamedTuple):
    """An end within a block that is too long: the offset, and what the rest needs to be read as before."""

    end: int
    table_head: str = ""
    fence: Fence | None = None


def sections(text: str, size: int) -> list[str]:
    """A whole text as parts of about `size` characters that can be read one by one.

    A part ends before a line of text or a heading at the left edge, after an empty line and outside of code.
    """
    if len(text) <= size:
        return [text]
    parts: list[str] = []
    part: list[str] = []
    length = 0
    fence: Fence | None = None
    blank = False
    for line in text.splitlines(keepends=True):
        if fence is None and blank and length >= size and _plain_start.match(line):
            parts.append("".join(part))
            part, length = [], 0
        match = _any_fence.match(line.rstrip("\n"))
        if fence is not None:
            fence = None if fence.closed_by(line.rstrip("\n")) else fence
        elif match is not None:
            fence = Fence(match[2], match[3].strip(), len(match[1]))
        blank = not line.strip()
        part.append(line)
        length += len(line)
    parts.append("".join(part))
    return parts


def without_leading_blanks(text: str) -> str:
    match = _leading_blanks.match(text)
    return text[match.end() :] if match else text


def opened_fence(text: str) -> tuple[Fence, int] | None:
    """The fence a text starts with, and the offset of its first line of code."""
    match = fence_start.match(text)
    if match is None or (match[2][0] == "`" and "`" in match[3]):
        return None
    return Fence(match[2], match[3].strip(), len(match[1])), match.end()


def finished_blocks(text: str) -> list[str]:
    """The sources of the blocks at the start of a text that are over for good, up to a fence."""
    window = text[:WINDOW]
    complete = window[: window.rfind("\n") + 1]
    if complete.count("\n") < 2:
        return []
    return _blocks_to_fence(complete) or _before_fence(_sliced(complete), keep_last=False)


def last_blocks(text: str) -> list[str]:
    """The sources of the blocks of a text that has ended, up to a fence that is not at its start."""
    return _blocks_to_fence(text) or _before_fence(_sliced(text), keep_last=True)


def forced_cut(text: str) -> Cut:
    """Where a block longer than the window is cut: before an unindented line, else a line, else a word."""
    window = text[:WINDOW]
    half = WINDOW // 2
    outer = [match.end() for match in _outer_line.finditer(window, half)]
    end = outer[-1] if outer else window.rfind("\n", half) + 1 or window.rfind(" ", half) + 1 or WINDOW
    head = _table_head.match(text)
    if head is not None and end > head.end():
        return Cut(end, table_head=head[1])
    return Cut(end, fence=_inner_fence(window[:end]))


def _sliced(text: str) -> list[str]:
    starts = block_starts(text)
    lines = text.splitlines(keepends=True)
    bounds = [*starts[1:], len(lines)]
    return ["".join(lines[start:end]) for start, end in zip([0, *starts[1:]], bounds, strict=True)]


def _blocks_to_fence(text: str) -> list[str]:
    """The finished blocks before the first line that looks like a fence: what follows it need not be parsed."""
    first_line = text.find("\n") + 1
    match = _fence_line.search(text, first_line)
    return _before_fence(_sliced(text[: match.end()]), keep_last=False) if match is not None else []


def _before_fence(blocks: list[str], *, keep_last: bool) -> list[str]:
    for number, block in enumerate(blocks[1:], start=1):
        if opened_fence(block) is not None:
            return blocks[:number]
    return blocks if keep_last else blocks[:-1]


def _inner_fence(text: str) -> Fence | None:
    """The fence within a list or quote that is open at the end of a text."""
    fence: Fence | None = None
    for line in text.split("\n"):
        if fence is not None:
            if fence.closed_by(line):
                fence = None
            continue
        match = _any_fence.match(line)
        if match is not None and not (match[2][0] == "`" and "`" in match[3]):
            fence = Fence(match[2], match[3].strip(), len(match[1]))
    return fence
