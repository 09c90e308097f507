"""Markdown source to nodes, by markdown-it."""

import re
from collections.abc import Sequence
from functools import lru_cache
from threading import Lock
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

from pi_tui.tui.transcript.ansi import clean
from pi_tui.tui.transcript.code import Code
from pi_tui.tui.transcript.markdown_nodes import (
    PLAIN,
    Heading,
    Inline,
    Item,
    ItemList,
    Mark,
    Node,
    Paragraph,
    Quote,
    Rule,
    Span,
    Table,
)

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

SAFE_SCHEMES = ("http", "https", "file", "mailto")
MAX_URL = 2_000
"""Characters; a longer address is shown as text and cannot be clicked."""

_bare_url = re.compile(r"(?:https?://|mailto:)[^\s<>\"'`|{}\\^\[\]]+")
_url_tail = re.compile(r"[.,;:!?*_~]+$")
_task = re.compile(r"\[([ xX])\](?:\s+|$)")
_line_break_tag = re.compile(r"<br\s*/?>", re.IGNORECASE)


_importing = Lock()
"""Two threads that import a package with cycles at once can find it half made."""


@lru_cache(maxsize=1)
def _parser() -> "MarkdownIt":
    with _importing:
        from markdown_it import MarkdownIt

    # Link definitions anywhere in a text would change blocks that are already on screen.
    return MarkdownIt("commonmark", {"html": False}).enable(["table", "strikethrough"]).disable(["reference"])


def parse(source: str) -> list[Node]:
    """The blocks of a Markdown text."""
    return _Builder(_parser().parse(source)).nodes()


def block_starts(source: str) -> list[int]:
    """The line numbers where the top-level blocks of a text start."""
    parser = _parser()
    from markdown_it.rules_block import StateBlock

    state = StateBlock(source, parser, {}, [])
    parser.block.tokenize(state, 0, state.lineMax)
    return [token.map[0] for token in state.tokens if token.level == 0 and token.nesting >= 0 and token.map]


class _Builder:
    """Walks the flat list of block tokens."""

    def __init__(self, tokens: "Sequence[Token]") -> None:
        self.tokens = tokens
        self.position = 0

    def nodes(self, closing: str = "") -> list[Node]:
        found: list[Node] = []
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token.type == closing:
                break
            node = self._node(token)
            if node is not None:
                found.append(node)
        return found

    def _node(self, token: "Token") -> Node | None:
        node: Node | None = None
        match token.type:
            case "paragraph_open":
                node = Paragraph(self._inline())
            case "heading_open":
                node = Heading(int(token.tag[1:]), self._inline())
            case "fence":
                node = Code.finished(token.content, token.info)
            case "code_block":
                node = Code.finished(token.content, "")
            case "blockquote_open":
                node = Quote(self.nodes("blockquote_close"))
            case "bullet_list_open":
                node = self._list(None)
            case "ordered_list_open":
                node = self._list(int(token.attrs.get("start", 1)))
            case "table_open":
                node = self._table()
            case "hr":
                node = Rule()
        return node

    def _inline(self) -> Inline:
        """The inline token at the position, and past the closing token after it."""
        lines = inline_lines(self.tokens[self.position].children or [])
        self.position += 2
        return lines

    def _list(self, start: int | None) -> ItemList:
        items: list[Item] = []
        tight = True
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token.type in ("bullet_list_close", "ordered_list_close"):
                break
            if token.type == "list_item_open":
                following = self.tokens[self.position]
                if following.type == "paragraph_open" and not following.hidden:
                    tight = False
                items.append(_item(self.nodes("list_item_close")))
        return ItemList(items, start, tight)

    def _table(self) -> Table:
        rows: list[list[list[Span]]] = []
        aligns: list[str] = []
        while self.position < len(self.tokens):
            token = self.tokens[self.position]
            self.position += 1
            if token.type == "table_close":
                break
            if token.type == "tr_open":
                rows.append([])
            elif token.type in ("th_open", "td_open"):
                if len(rows) == 1:
                    aligns.append(str(token.attrs.get("style", "")).rpartition(":")[2])
                rows[-1].append(_joined(self._inline()))
        return Table(rows[0] if rows else [], rows[1:], aligns)


def _item(children: list[Node]) -> Item:
    first = children[0] if children else None
    if isinstance(first, Paragraph) and first.lines and first.lines[0]:
        text, mark = first.lines[0][0]
        task = _task.match(text) if mark == PLAIN else None
        if task is not None:
            first.lines[0][0] = Span(text[task.end() :], mark)
            return Item(children, task[1] != " ")
    return Item(children)


def _joined(lines: Inline) -> list[Span]:
    """A table cell's lines as one."""
    spans: list[Span] = []
    for number, line in enumerate(lines):
        if number:
            spans.append(Span(" ", PLAIN))
        spans += line
    return spans


def inline_lines(tokens: "Sequence[Token]") -> Inline:
    """Inline tokens as lines of marked text."""
    lines: Inline = [[]]
    marks: list[Mark] = [PLAIN]
    for token in tokens:
        mark = marks[-1]
        match token.type:
            case "text":
                _add_text(lines, token.content, mark)
            case "softbreak" | "hardbreak":
                lines.append([])
            case "code_inline":
                lines[-1].append(Span(_shown(token.content), mark._replace(code=True)))
            case "strong_open":
                marks.append(mark._replace(bold=True))
            case "em_open":
                marks.append(mark._replace(italic=True))
            case "s_open":
                marks.append(mark._replace(strike=True))
            case "link_open":
                marks.append(mark._replace(href=safe_url(str(token.attrs.get("href", "")))))
            case "link_close":
                _add_address(lines[-1], marks.pop(), mark.href)
            case "strong_close" | "em_close" | "s_close":
                marks.pop()
            case "image":
                href = safe_url(str(token.attrs.get("src", "")))
                lines[-1].append(
                    Span(_shown(token.content or "image"), mark._replace(href=href, italic=True))
                )
                _add_address(lines[-1], mark, href)
    return lines


def _add_text(lines: Inline, text: str, mark: Mark) -> None:
    text = _shown(text)
    parts = _line_break_tag.split(text) if "<" in text else [text]
    for number, part in enumerate(parts):
        if number:
            lines.append([])
        if mark.href or ("://" not in part and "mailto:" not in part):
            if part:
                lines[-1].append(Span(part, mark))
            continue
        lines[-1] += _with_bare_urls(part, mark)


def _with_bare_urls(text: str, mark: Mark) -> list[Span]:
    spans: list[Span] = []
    position = 0
    for match in _bare_url.finditer(text):
        end = match.end() - len(match[0]) + len(_url_tail.sub("", match[0]))
        if text[end - 1] == ")" and "(" not in text[match.start() : end]:
            end -= 1
        href = safe_url(text[match.start() : end])
        if not href:
            continue
        spans.append(Span(text[position : match.start()], mark))
        spans.append(Span(text[match.start() : end], mark._replace(href=href)))
        position = end
    spans.append(Span(text[position:], mark))
    return [span for span in spans if span.text]


def _add_address(line: list[Span], mark: Mark, href: str) -> None:
    """Shows where a link goes, unless its text says so already."""
    label = ""
    for span in reversed(line):
        if span.mark.href != href:
            break
        label = span.text + label
    if href.startswith(("http", "mailto")) and not _same_address(label, href):
        line.append(
            Span(f" ({href})", mark._replace(href=href, url=True, bold=False, italic=False, code=False))
        )


def _same_address(label: str, href: str) -> bool:
    bare = href.removeprefix("mailto:").removeprefix("https://").removeprefix("http://").rstrip("/")
    return label.strip().removeprefix("https://").removeprefix("http://").rstrip("/") == bare


def safe_url(url: str) -> str:
    """The address if a terminal may be given it as a link, else an empty string."""
    if len(url) > MAX_URL:
        return ""
    try:
        scheme = urlsplit(url).scheme
    except ValueError:
        return ""
    if scheme.lower() not in SAFE_SCHEMES:
        return ""
    return quote(url, safe="!#$%&'()*+,/:;=?@[]~-._")


def _shown(text: str) -> str:
    text = clean(text)
    return text.replace("\t", " ") if "\t" in text else text
