"""Markdown as HTML that may stand in any page: made without raw HTML, then cleaned by a list of what is allowed."""

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from pi_tui.export.html.code import CLASSES, CodePainter
from pi_tui.export.html.terminal_text import plain

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token
    from markupsafe import Markup

MAX_MARKDOWN: Final = 100_000
"""Characters; a longer text is shown as it was written."""
MAX_LINK: Final = 4_000
"""Characters of a link's target."""
MAX_NESTING: Final = 100
"""Levels of lists and quotations; what is deeper is left out."""
LINK_SCHEMES: Final = frozenset({"http", "https", "mailto"})

_TAGS: Final = {
    *("p", "br", "hr", "h2", "h3", "h4", "h5", "h6", "strong", "em", "s", "code", "pre", "blockquote"),
    *("ul", "ol", "li", "a", "table", "thead", "tbody", "tr", "th", "td", "span"),
}
_CODE_CLASSES: Final = {*CLASSES.values(), "image"}
_MARKUP = re.compile(r"[\\`*_~\[\]<>&|#!]|^[ \t]*(?:[-+=]|\d+[.)])|^(?: {4}|\t)|://|  $", re.MULTILINE)
"""Whatever may mean something in Markdown: a text without it is nothing but paragraphs."""
_ABSOLUTE = re.compile(r"(?:https?://|mailto:)[^\s\\]", re.IGNORECASE)


class MarkdownWriter:
    """Turns the Markdown of one page to HTML."""

    def __init__(self, painter: CodePainter) -> None:
        self._painter = painter
        self._parser: MarkdownIt | None = None

    def html(self, source: str) -> "Markup":
        """The text as HTML: links lead to other sites alone, and images are named, not loaded."""
        from markupsafe import Markup, escape

        text = plain(source).strip("\n")
        if not _MARKUP.search(text):
            parts = [part for part in re.split(r"\n\s*\n", text) if part.strip()]
            return Markup("\n").join(Markup("<p>{}</p>").format(part.strip()) for part in parts)
        if len(text) > MAX_MARKDOWN:
            return Markup('<p class="verbatim">') + escape(text) + Markup("</p>")
        self._parser = self._parser or _parser(self._painter)
        self._parser.options["linkify"] = "://" in text
        return Markup(_cleaned(self._parser.render(text)))


def _cleaned(html: str) -> str:
    import nh3

    return nh3.clean(
        html,
        tags=_TAGS,
        attributes={"a": {"href", "title"}, "ol": {"start"}, "th": {"align"}, "td": {"align"}},
        allowed_classes={"span": _CODE_CLASSES},
        attribute_filter=_allowed,  # A second look: the parser lets no other link pass.
        url_schemes=set(LINK_SCHEMES),
        link_rel="noopener noreferrer nofollow",
    )


def _allowed(tag: str, attribute: str, value: str) -> str | None:
    if attribute == "href" and not _ABSOLUTE.match(value):
        return None
    return value


def _leads_to_a_site(url: str) -> bool:
    """Any other link is shown as it was written: where it leads from this page, nobody meant."""
    return len(url) <= MAX_LINK and bool(_ABSOLUTE.match(url))


def _parser(painter: CodePainter) -> "MarkdownIt":
    from markdown_it import MarkdownIt

    parser = MarkdownIt("commonmark", {"html": False, "linkify": True, "maxNesting": MAX_NESTING})
    # A definition of a reference would not be seen.
    parser.enable(["table", "strikethrough", "linkify"]).disable(["reference"])

    def fence(self: Any, tokens: Sequence["Token"], index: int, options: Any, env: Any) -> str:
        token = tokens[index]
        language = token.info.split(maxsplit=1)[0] if token.info.strip() else ""
        return f"<pre><code>{painter.paint(token.content, language)}</code></pre>\n"

    parser.validateLink = _leads_to_a_site  # type: ignore[method-assign]
    parser.core.ruler.push("deeper_headings", _deeper_headings)
    parser.add_render_rule("fence", fence)
    parser.add_render_rule("image", _image)
    parser.add_render_rule("th_open", _cell)
    parser.add_render_rule("td_open", _cell)
    return parser


def _deeper_headings(state: Any) -> None:
    """A text's topmost headings come right below the page's own one."""
    headings = [token for token in state.tokens if token.type in ("heading_open", "heading_close")]
    top = min((int(token.tag[1]) for token in headings), default=1)
    for token in headings:
        token.tag = f"h{min(6, int(token.tag[1]) - top + 2)}"


def _image(self: Any, tokens: Sequence["Token"], index: int, options: Any, env: Any) -> str:
    """An image from elsewhere is not loaded: its text, linked to it."""
    from markupsafe import Markup

    token = tokens[index]
    shown = self.renderInlineAsText(token.children or [], options, env) or "image"
    mark = Markup('<span class="image">{}</span>').format(shown)
    return str(Markup('<a href="{}">{}</a>').format(token.attrGet("src"), mark))


def _cell(self: Any, tokens: Sequence["Token"], index: int, options: Any, env: Any) -> str:
    """The alignment as an attribute: the page forbids styles of its elements' own."""
    token = tokens[index]
    align = str(token.attrGet("style") or "").removeprefix("text-align:")
    return f'<{token.tag} align="{align}">' if align in ("left", "center", "right") else f"<{token.tag}>"
