"""What is written to a terminal that cannot show every character."""

import codecs
from collections.abc import Callable, Mapping
from typing import Final

from rich.cells import cell_len

Encode = Callable[[str], bytes]

_RARE: Final = dict(
    zip(
        "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏" + "✓✗❯▸▾◂‹›◆●○▣☐☑▎…" + "╭╮╰╯▁▔━┃",
        r"|/-\|/-\|/" + "+x>>v<<>**o#ox|~" + "++++_--|",
        strict=True,
    )
)
"""Signs of ours that the fonts of a Linux console lack; each takes one cell, as what stands for it does."""
_COMMON: Final = dict(
    zip("─│┼├└┌┐┘┤┬┴▌▐█■≡•·↑↓→←×«»–—‘’“”\xa0", "-|++`++++++||##=*.^v><x<>--''\"\" ", strict=True)
)
_RARE_TABLE: Final = str.maketrans(_RARE)
_TABLE: Final = str.maketrans(_RARE | _COMMON)
_CONSOLES: Final = frozenset({"linux", "linux-16color", "vt100", "vt220"})
_COERCED: Final = frozenset({"C.UTF-8", "C.utf8", "UTF-8"})
"""What Python itself makes of the locale C."""


def encoder(environ: Mapping[str, str]) -> Encode:
    """How text becomes bytes for the terminal of this environment; each character keeps its cells."""
    if _is_ascii_only(environ):
        codecs.register_error("pi-cells", _question_marks)
        return lambda text: text.translate(_TABLE).encode("ascii", "pi-cells")
    if environ.get("TERM") in _CONSOLES:
        return lambda text: text.translate(_RARE_TABLE).encode("utf-8", "replace")
    return lambda text: text.encode("utf-8", "replace")


def _is_ascii_only(environ: Mapping[str, str]) -> bool:
    """Whether the locale names another character set than UTF-8; one that names none may well be UTF-8."""
    kind = environ.get("LC_CTYPE")
    locale = environ.get("LC_ALL") or ("" if kind in _COERCED else kind) or environ.get("LANG") or ""
    if locale in ("C", "POSIX"):
        return True
    _, dot, charset = locale.partition("@")[0].partition(".")
    return bool(dot) and charset.lower().replace("-", "") != "utf8"


def _question_marks(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    return "?" * cell_len(error.object[error.start : error.end]), error.end
