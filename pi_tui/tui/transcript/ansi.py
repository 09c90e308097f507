"""Text from outside, made safe for the screen: nothing of it reaches the terminal as a control.

What models, tools and files say may hold escape sequences, control characters or halves of characters.
Colours (SGR) of tool output are kept; what else is not text is taken out. Markup is never read.
"""

import re
import unicodedata
from collections.abc import Iterator
from functools import lru_cache

from rich.cells import cell_len
from rich.color import Color
from rich.segment import Segment
from rich.style import Style

TAB_SIZE = 4
TERMINAL_TAB_SIZE = 8

MAX_MARKS = 16
"""Characters per cell on average beyond which combining marks are taken out."""

_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"  # text direction, line separators
    "\ufeff\ufff9-\ufffb\U000e0001\U000e0020-\U000e007f"  # byte order mark, annotations, tags
)
_unsafe = re.compile(f"[{_CONTROLS}\ud800-\udfff]")
_surrogate = re.compile("[\ud800-\udfff]")
_control = re.compile(f"[{_CONTROLS}]")
_escape = re.compile(
    r"(?:\x1b\[|\x9b)(?P<parameters>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS and the like
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[0-Z\\\]^_`-~]"
    r"|\x1b"
)


def clean(text: str) -> str:
    """The text without controls, line by line as it was; tabs and line breaks stay.

    Works character by character, so that text cleaned in pieces equals text cleaned whole.
    """
    if text.isascii() and text.isprintable():
        return text
    if _unsafe.search(text) is not None:
        text = _control.sub("", _surrogate.sub("\ufffd", text))
    return text


def one_line(text: str, limit: int = 500) -> str:
    """Foreign text for a title: escapes taken out, blanks joined, cut at `limit` characters."""
    cut = text[: limit * 4]
    words = " ".join(clean(_escape.sub("", cut)).split())
    if len(words) > limit or len(cut) < len(text):
        return words[:limit] + "…"
    return words


def plain(text: str, tab_size: int = TERMINAL_TAB_SIZE) -> str:
    """Foreign text of several lines without its colours."""
    return "\n".join("".join(run.text for run in runs) for runs in styled_lines(text, Style.null(), tab_size))


def styled_lines(text: str, base: Style, tab_size: int = TERMINAL_TAB_SIZE) -> list[list[Segment]]:
    """The lines of foreign text as styled runs, colours over `base`; an empty line has one empty run."""
    style = base
    lines: list[list[Segment]] = []
    state = _Sgr()
    for line in text.split("\n"):
        if "\x1b" not in line and "\x9b" not in line:
            lines.append([Segment(_flat(line, tab_size), style)])
            continue
        runs: list[Segment] = []
        for piece, parameters in _pieces(line):
            if piece:
                runs.append(Segment(piece, style))
            if parameters is not None:
                state.apply(parameters)
                style = base + state.style()
        lines.append(_flat_runs(runs, tab_size) or [Segment("", base)])
    return lines


def _pieces(line: str) -> Iterator[tuple[str, str | None]]:
    """The text before each escape sequence, with the parameters of those that are colours."""
    position = 0
    for match in _escape.finditer(line):
        colour = match["parameters"] if match["final"] == "m" else None
        yield line[position : match.start()], colour
        position = match.end()
    yield line[position:], None


def _flat_runs(runs: list[Segment], tab_size: int) -> list[Segment]:
    if len(runs) == 1:
        return [Segment(_flat(runs[0].text, tab_size), runs[0].style)]
    flat: list[Segment] = []
    column = 0
    for text, style, _ in runs[_first_not_overwritten(runs) :]:
        shown = _flat(text, tab_size, column)
        column += cell_len(shown)
        if shown:
            flat.append(Segment(shown, style))
    return flat


def _first_not_overwritten(runs: list[Segment]) -> int:
    """The run in which the text after the last carriage return begins."""
    more = False
    for number in range(len(runs) - 1, -1, -1):
        text = runs[number].text
        if "\r" in text and (more or not text.endswith("\r")):
            return number + text.endswith("\r")
        more = more or bool(text.strip("\r"))
    return 0


def _flat(text: str, tab_size: int, column: int = 0) -> str:
    """One line as a terminal would leave it: the text after the last carriage return, tabs as blanks."""
    if text.isascii() and text.isprintable():
        return text
    if "\r" in text:
        text = text.rstrip("\r").rpartition("\r")[2]
    if "\b" in text:
        text = _backspaced(text)
    if "\t" in text:
        lead = column % tab_size
        text = (" " * lead + text).expandtabs(tab_size)[lead:]
    return without_mark_floods(clean(text))


def without_mark_floods(text: str) -> str:
    """The text itself, or without combining marks if it has absurdly many."""
    if len(text) > 4 * MAX_MARKS and not text.isascii() and cell_len(text) * MAX_MARKS < len(text):
        return "".join(
            c for c in text if not unicodedata.combining(c) and c not in "\u200b\u200c\u200d\ufe0f"
        )
    return text


def _backspaced(text: str) -> str:
    kept: list[str] = []
    for character in text:
        if character != "\b":
            kept.append(character)
        elif kept:
            kept.pop()
    return "".join(kept)


_ATTRIBUTES = {1: "bold", 2: "dim", 3: "italic", 4: "underline", 7: "reverse", 9: "strike"}
_ATTRIBUTES_OFF = {
    22: ("bold", "dim"),
    23: ("italic",),
    24: ("underline",),
    27: ("reverse",),
    29: ("strike",),
}


class _Sgr:
    """The colours and attributes that SGR sequences have set so far."""

    def __init__(self) -> None:
        self.foreground: Color | None = None
        self.background: Color | None = None
        self.attributes: frozenset[str] = frozenset()

    def style(self) -> Style:
        return _style(self.foreground, self.background, self.attributes)

    def apply(self, parameters: str) -> None:
        codes = [int(code) if code.isdigit() else 0 for code in parameters.replace(":", ";").split(";")[:64]]
        position = 0
        while position < len(codes):
            code = codes[position]
            if code in (38, 48, 58):
                position = self._extended(codes, position)
            else:
                self._simple(code)
                position += 1

    def _simple(self, code: int) -> None:
        if code == 0:
            self.foreground = self.background = None
            self.attributes = frozenset()
        elif code in _ATTRIBUTES:
            self.attributes |= {_ATTRIBUTES[code]}
        elif code in _ATTRIBUTES_OFF:
            self.attributes -= set(_ATTRIBUTES_OFF[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            self.foreground = Color.from_ansi(code - 30 if code < 90 else code - 82)
        elif 40 <= code <= 47 or 100 <= code <= 107:
            self.background = Color.from_ansi(code - 40 if code < 100 else code - 92)
        elif code == 39:
            self.foreground = None
        elif code == 49:
            self.background = None

    def _extended(self, codes: list[int], position: int) -> int:
        """Reads `38;5;n` or `38;2;r;g;b`; returns the position after it."""
        kind = codes[position + 1] if position + 1 < len(codes) else None
        color: Color | None = None
        if kind == 5 and position + 2 < len(codes):
            color = Color.from_ansi(min(codes[position + 2], 255))
            after = position + 3
        elif kind == 2 and position + 4 < len(codes):
            red, green, blue = (min(code, 255) for code in codes[position + 2 : position + 5])
            color = Color.from_rgb(red, green, blue)
            after = position + 5
        else:
            return len(codes)
        if codes[position] == 38:
            self.foreground = color
        elif codes[position] == 48:
            self.background = color
        return after


@lru_cache(maxsize=512)
def _style(foreground: Color | None, background: Color | None, attributes: frozenset[str]) -> Style:
    on = {name: True if name in attributes else None for name in _ATTRIBUTES.values()}
    return Style(
        color=foreground,
        bgcolor=background,
        bold=on["bold"],
        dim=on["dim"],
        italic=on["italic"],
        underline=on["underline"],
        reverse=on["reverse"],
        strike=on["strike"],
    )
