"""Foreign text made a part of a Markdown document that it cannot break out of.

Headings sink below ours, HTML is shown and not meant, a fence that was left open is closed. Code stays as it is.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from pi_tui.agent.tools.terminal_text import terminal_text, without_colours

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

DEEPER = 2
"""By how many levels headings sink; no heading is deeper than the sixth."""
DEEPEST = 6
LEAST_FENCE = 3
TAB = 4

_MARKUP = re.compile(r"([\\`*_\[\]#|~$])")
_BACKTICKS = re.compile(r"`+")
_INFO = re.compile(r"[^A-Za-z0-9+#.-]")
_HEADING_SIGNS = re.compile(r"(?:^|(?<=[\s>]))(#{1,6})(?=\s|$)")
_CLOSING_FENCE = re.compile(r" {0,3}(`{3,}|~{3,})[ \t]*")
_CODE = ("fence", "code_block")
_MAY_MEAN_MORE = re.compile(r"<|```|~~~|(?:^|[ \t>])#|^[^\n]*[=-]+[ \t]*$", re.MULTILINE)
"""Without any of these, a text has neither HTML nor fences nor headings."""


def plain(text: str) -> str:
    """The text as lines that end with a newline sign alone, without colours and other controls."""
    return without_colours(terminal_text(text.encode("utf-8", "replace")))


def inline(text: str) -> str:
    """A text behind other text in a line of ours: one line, and none of its signs means anything."""
    line = " ".join(plain(text).split())
    return _MARKUP.sub(r"\\\1", line.replace("&", "&amp;").replace("<", "&lt;"))


def summary(text: str) -> str:
    """A text in the summary of a fold, which is HTML."""
    import html

    return html.escape(" ".join(plain(text).split()))


def fence(text: str, info: str = "") -> str:
    """Text as a code block, whose fence is longer than any in it."""
    body = plain(text).rstrip("\n")
    longest = max((len(run) for run in _BACKTICKS.findall(body)), default=0)
    marks = "`" * max(LEAST_FENCE, longest + 1)
    return f"{marks}{_INFO.sub('', info)}\n{body}\n{marks}\n"


def quoted(text: str) -> str:
    """Markdown of a user as a quotation."""
    # Behind the sign of a quotation a tab is narrower, and code would be code no more.
    markdown = nested(plain(text).expandtabs(TAB))
    return "".join(f"> {line}".rstrip() + "\n" for line in markdown.rstrip("\n").split("\n"))


def nested(text: str) -> str:
    """Markdown of a model or a user, as a part of ours."""
    clean = plain(text).rstrip()
    if not _MAY_MEAN_MORE.search(clean):
        return clean + "\n"
    lines = clean.split("\n")
    tokens = _parser().parse("\n".join(lines))
    code = _code_lines(tokens)
    still_open = _open_fence(tokens, lines)
    for start, end in _stretches(tokens, code, len(lines)) if "<" in clean else ():
        lines[start:end] = _without_html("\n".join(lines[start:end])).split("\n")
    for token in tokens:
        if token.type == "heading_open" and token.map is not None:
            _sink(lines, token)
    if still_open is not None:
        lines.append(still_open)
    return "\n".join(lines) + "\n"


@cache
def _parser() -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    # What is within a paragraph is read here.
    parser.core.ruler.enableOnly(["normalize", "block"])
    return parser


def _code_lines(tokens: "Sequence[Token]") -> set[int]:
    return {line for token in tokens if token.type in _CODE and token.map for line in range(*token.map)}


def _stretches(tokens: "Sequence[Token]", code: set[int], count: int) -> Iterator[tuple[int, int]]:
    """Lines that are read together: those of a paragraph, and each other line that is not code by itself."""
    ends: dict[int, int] = {}
    for token in tokens:
        if token.type == "inline" and token.map is not None:
            start, end = token.map
            ends[start] = max(end, ends.get(start, 0))
    at = 0
    while at < count:
        end = ends.get(at, at + 1)
        if at not in code:
            yield at, end
        at = end


def _without_html(text: str) -> str:
    """Every `<` outside of code spans as an entity, so that none begins a tag, a comment or a link."""
    made: list[str] = []
    at = 0
    while at < len(text):
        sign = text[at]
        if sign == "\\":
            made.append("&lt;" if text[at + 1 : at + 2] == "<" else text[at : at + 2])
            at += 2
        elif sign == "`":
            end = _span_end(text, at)
            span = text[at:end]
            made.append(span.replace("<", "&lt;") if _ends_early(span) else span)
            at = end
        else:
            made.append("&lt;" if sign == "<" else sign)
            at += 1
    return "".join(made)


def _ends_early(span: str) -> bool:
    """A bar may be the end of a table's cell, a line may begin with a tag: both are read before code is."""
    return "|" in span or "\n" in span


def _span_end(text: str, start: int) -> int:
    """Where the code span that begins at `start` ends; behind its backticks if it is none."""
    opening = _BACKTICKS.match(text, start)
    assert opening is not None
    for closing in _BACKTICKS.finditer(text, opening.end()):
        if len(closing[0]) == len(opening[0]):
            return closing.end()
    return opening.end()


def _sink(lines: list[str], token: "Token") -> None:
    assert token.map is not None
    start, end = token.map
    marks = "#" * min(DEEPEST, int(token.tag[1]) + DEEPER)
    if token.markup.startswith("#"):
        lines[start] = _HEADING_SIGNS.sub(marks, lines[start], count=1)
        return
    # An underlined heading; `end` is behind its underline.
    last = end - 1
    if token.level == 0 and last - start == 1:
        lines[start], lines[last] = f"{marks} {lines[start].strip()}", ""
    else:
        lines[last] = re.sub(r"([=-]+\s*)$", r"\\\1", lines[last])


def _open_fence(tokens: "Sequence[Token]", lines: list[str]) -> str | None:
    """The fence that would swallow what follows the text."""
    last = tokens[-1] if tokens else None
    if last is None or last.type != "fence" or last.level > 0 or last.map is None:
        return None
    closing = _CLOSING_FENCE.fullmatch(lines[-1]) if last.map[1] - last.map[0] > 1 else None
    if closing and closing[1][0] == last.markup[0] and len(closing[1]) >= len(last.markup):
        return None
    return last.markup
