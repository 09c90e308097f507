"""Code in colours, as far as a page's allowance for it goes."""

from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from markupsafe import Markup
    from pygments.lexer import Lexer

MAX_CODE: Final = 24_000
"""Characters of one text; a longer one has no colours."""
MOST_PAGE_CODE: Final = 1_000_000
LEAST_PAGE_CODE: Final = 100_000
"""Characters of all texts on the page of a short and of a long session: a second colours some 300,000."""
MAX_LINE: Final = 4_000
"""Characters; some lexers take a time that grows faster than the line."""

CLASSES: Final = {
    "Comment": "hc",
    "Keyword": "hk",
    "Keyword.Type": "ht",
    "Keyword.Constant": "hn",
    "Name.Attribute": "hv",
    "Name.Builtin": "hf",
    "Name.Builtin.Pseudo": "hk",
    "Name.Class": "ht",
    "Name.Constant": "hn",
    "Name.Decorator": "hf",
    "Name.Exception": "ht",
    "Name.Function": "hf",
    "Name.Namespace": "ht",
    "Name.Tag": "hk",
    "Name.Variable": "hv",
    "Name.Property": "hv",
    "Literal.String": "hs",
    "Literal.Number": "hn",
    "Operator": "ho",
    "Operator.Word": "hk",
    "Generic.Deleted": "ds",
    "Generic.Inserted": "da",
    "Generic.Heading": "hh",
    "Generic.Subheading": "hh",
    "Generic.Prompt": "hk",
}
"""What stands in code, by Pygments' names, and its class on the page."""


class CodePainter:
    """Colours one page's code."""

    def __init__(self, session_bytes: int = 0) -> None:
        """The longer a session is, the longer the rest of its page takes, and the less is left for colours."""
        self._left = max(LEAST_PAGE_CODE, MOST_PAGE_CODE - session_bytes // 20)

    def paint(self, code: str, language: str) -> "Markup":
        """The escaped code; in spans of `CLASSES` if the language is known and the allowance not used up."""
        from markupsafe import escape

        lexer = _lexer(language.lower()) if language else None
        if lexer is None or len(code) > min(MAX_CODE, self._left) or _has_long_line(code):
            return escape(code)
        self._left -= len(code)
        return _spans(lexer, code)


def language_of(file_name: str) -> str:
    """The language a file's name stands for; empty if unknown."""
    stem, dot, suffix = file_name.rpartition(".")
    return _language_of(f"x.{suffix}" if stem and dot else file_name)


@lru_cache(maxsize=256)
def _language_of(file_name: str) -> str:
    from pygments.lexers import find_lexer_class_for_filename

    found = find_lexer_class_for_filename(file_name) if file_name else None
    return found.aliases[0] if found is not None and found.aliases else ""


def _spans(lexer: "Lexer", code: str) -> "Markup":
    """The escaped code in spans; escaped with plain `str` methods, since most of the pieces are tiny."""
    from markupsafe import Markup

    parts: list[str] = []
    opened = ""
    for kind, text in lexer.get_tokens(code):
        name = opened if text.isspace() else _class_of(kind)
        if name != opened:
            parts.append("</span>" if opened else "")
            parts.append(f'<span class="{name}">' if name else "")
            opened = name
        parts.append(text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;"))
    return Markup("".join(parts) + ("</span>" if opened else ""))


def _has_long_line(code: str) -> bool:
    return len(code) > MAX_LINE and any(len(line) > MAX_LINE for line in code.split("\n"))


@lru_cache(maxsize=256)
def _class_of(kind: Any) -> str:
    name = str(kind).removeprefix("Token.")
    while name:
        if name in CLASSES:
            return CLASSES[name]
        name = name.rpartition(".")[0]
    return ""


@lru_cache(maxsize=64)
def _lexer(language: str) -> "Lexer | None":
    from pygments.lexers import get_lexer_by_name
    from pygments.util import ClassNotFound

    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None
