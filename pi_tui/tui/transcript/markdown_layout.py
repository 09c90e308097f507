"""Markdown nodes to rows of a given width in the colours of a palette."""

from collections.abc import Iterable

from rich.cells import cell_len
from rich.segment import Segment
from rich.style import Style

from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript.ansi import without_mark_floods
from pi_tui.tui.transcript.code import Code
from pi_tui.tui.transcript.markdown_nodes import (
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
from pi_tui.tui.transcript.table import table_rows
from pi_tui.tui.transcript.wrap import Row, wrap

MIN_INDENTED = 16
"""Cells below which lists and quotes are no longer indented."""
MAX_SHOWN_URL = 60
"""Characters of a link's address that are shown after its text."""


class Layout:
    """Sets nodes in one look.

    Args:
        palette: The colours.
        base: The style of plain text.
        muted: True sets everything in `base` alone, with no colours of its own.
    """

    def __init__(self, palette: Palette, base: Style, *, muted: bool = False) -> None:
        self.palette = palette
        self.base = base
        self.muted = muted
        self._marks: dict[Mark, Style] = {}

    def rows(self, nodes: Iterable[Node], width: int, *, tight: bool = False) -> list[Row]:
        rows: list[Row] = []
        before: Node | None = None
        for node in nodes:
            if before is not None and needs_gap(before, node, tight):
                rows.append(Row([]))
            rows += self.node(node, width)
            before = node
        return rows

    def node(self, node: Node, width: int) -> list[Row]:
        match node:
            case Paragraph():
                return self._inline(node.lines, width, self.base)
            case Heading():
                return self._inline(node.lines, width, self._heading(node.level))
            case Code():
                return node.rows(width, self.palette, self.base)
            case Quote():
                return self._quote(node, width)
            case ItemList():
                return self._list(node, width)
            case Table():
                return table_rows(node, width, self)
            case Rule():
                return [Row([Segment("─" * max(1, min(width, 80)), self.colour("mdHr"))])]

    def colour(self, token: str) -> Style:
        return self.base if self.muted else self.base + self.palette.style(token)

    def runs(self, spans: list[Span], base: Style) -> list[Segment]:
        return [Segment(self._visible(span), base + self._mark(span.mark)) for span in spans if span.text]

    def _visible(self, span: Span) -> str:
        text = without_mark_floods(span.text)
        if span.mark.url and len(text) > MAX_SHOWN_URL:
            return text[: MAX_SHOWN_URL - 2] + "…)"
        return text

    def _inline(self, lines: Inline, width: int, base: Style) -> list[Row]:
        rows: list[Row] = []
        for line in lines:
            rows += wrap(self.runs(line, base) or [Segment("", base)], width)
        return rows

    def _heading(self, level: int) -> Style:
        emphasis = Style(
            bold=True, underline=True if level == 1 else None, italic=True if level > 3 else None
        )
        return self.colour("mdHeading") + emphasis

    def _mark(self, mark: Mark) -> Style:
        style = self._marks.get(mark)
        if style is None:
            style = Style(bold=mark.bold or None, italic=mark.italic or None, strike=mark.strike or None)
            if mark.url:
                style += self._own("mdLinkUrl")
            elif mark.href:
                style += self._own("mdLink") + Style(underline=True)
            if mark.code:
                style += self._own("mdCode")
            if mark.href:
                style += Style(link=mark.href)
            self._marks[mark] = style
        return style

    def _own(self, token: str) -> Style:
        return Style.null() if self.muted else self.palette.style(token)

    def _quote(self, quote: Quote, width: int) -> list[Row]:
        bar = Segment("▎ " if width >= MIN_INDENTED else "", self.colour("mdQuoteBorder"))
        inner = self
        if not self.muted:
            inner = Layout(self.palette, self.base + self.palette.style("mdQuote", italic=True))
        rows = inner.rows(quote.children, max(1, width - len(bar.text)))
        return [_prefixed(row, bar, decoration=True) for row in rows] or [Row([bar])]

    def _list(self, node: ItemList, width: int) -> list[Row]:
        rows: list[Row] = []
        last = (node.start or 0) + len(node.items) - 1
        for number, item in enumerate(node.items):
            if number and not node.tight:
                rows.append(Row([]))
            rows += self._item(item, self._bullet(item, node.start, number, last), node.tight, width)
        return rows

    def _bullet(self, item: Item, start: int | None, number: int, last: int) -> Segment:
        if item.done is not None:
            return Segment(
                "☑ " if item.done else "☐ ", self.colour("success" if item.done else "mdListBullet")
            )
        if start is None:
            return Segment("• ", self.colour("mdListBullet"))
        return Segment(f"{start + number}.".rjust(len(str(last)) + 1) + " ", self.colour("mdListBullet"))

    def _item(self, item: Item, bullet: Segment, tight: bool, width: int) -> list[Row]:
        size = cell_len(bullet.text) if width >= MIN_INDENTED else 0
        rows = self.rows(item.children, max(1, width - size), tight=tight)
        if not rows:
            return [Row([bullet])]
        if not size:
            short = Segment(bullet.text[: max(0, width - 1)], bullet.style)
            return [Row([short]), *rows] if short.text.strip() else rows
        blank = Segment(" " * size, self.base)
        return [
            _prefixed(row, bullet if not number else blank, decoration=bool(number and row.joint is not None))
            for number, row in enumerate(rows)
        ]


def needs_gap(before: Node, node: Node, tight: bool = False) -> bool:
    """True if an empty row stands between two blocks."""
    if tight:
        return isinstance(before, Code) or (isinstance(node, Code) and not isinstance(before, Paragraph))
    return not isinstance(before, Heading) or isinstance(node, Heading | Rule)


def _prefixed(row: Row, prefix: Segment, *, decoration: bool) -> Row:
    segments, gutter, joint = row
    if not prefix.text:
        return row
    if not segments:
        return Row(
            [prefix] if not prefix.text.isspace() else [], len(prefix.text) if decoration else 0, joint
        )
    if gutter or decoration:
        gutter += len(prefix.text)
    return Row([prefix, *segments], gutter, joint)
