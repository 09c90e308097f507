"""What programs and models say as text for a page: no controls, and the colours of output as classes."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple

MAX_CODES: Final = 64
"""Numbers of one colour sequence that are read."""

_CONTROLS = (
    "\x00-\x08\x0b-\x1f\x7f-\x9f"
    "\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069"  # text direction, line separators
    "\ufeff\ufff9-\ufffb\U000e0001\U000e0020-\U000e007f"  # byte order mark, annotations, tags
)
_CONTROL = re.compile(f"[{_CONTROLS}]")
_SURROGATE = re.compile("[\ud800-\udfff]")
_ESCAPE = re.compile(
    r"(?:\x1b\[|\x9b)(?P<codes>[0-?]*)[ -/]*(?P<final>[@-~])"  # CSI
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS and the like
    r"|\x1b[ -/]+[0-~]"
    r"|\x1b[0-Z\\\]^_`-~]"
    r"|\x1b"
)
_HARMLESS = bytes([9, 10, *range(32, 127)])
_OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n|\r|\Z)")

_ATTRIBUTES = {1: "ab", 2: "ad", 3: "ai", 4: "au"}
_ATTRIBUTES_OFF = {22: ("ab", "ad"), 23: ("ai",), 24: ("au",)}
_HUES = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")


class Run(NamedTuple):
    """Text and the classes it has on the page, separated by blanks."""

    text: str
    classes: str


def plain(text: str) -> str:
    """The text without escape sequences and controls; line breaks and tabs stay."""
    if text.isascii() and not text.encode().translate(None, _HARMLESS):
        # Nearly all that tools print: looked at in this way many times faster than by a pattern.
        return text
    if "\x1b" in text or "\x9b" in text:
        text = _ESCAPE.sub("", text)
    return _cleaned(text)


def one_line(text: str, limit: int) -> str:
    """The text with its blanks joined, cut at `limit` characters."""
    words = " ".join(plain(text[: limit * 4]).split())
    return words[:limit] + "…" if len(words) > limit or len(text) > limit * 4 else words


def coloured(text: str) -> Iterator[Run]:
    """The runs of a program's output."""
    hue, attributes = "", frozenset[str]()
    position = 0
    for match in _ESCAPE.finditer(text):
        if match.start() > position:
            yield _run(text[position : match.start()], hue, attributes)
        position = match.end()
        if match["final"] == "m":
            hue, attributes = _after(match["codes"], hue, attributes)
    if position < len(text):
        yield _run(text[position:], hue, attributes)


def _run(text: str, hue: str, attributes: frozenset[str]) -> Run:
    return Run(_cleaned(text), " ".join([*([f"c-{hue}"] if hue else []), *sorted(attributes)]))


def _cleaned(text: str) -> str:
    if "\r" in text:
        text = _OVERWRITTEN.sub("", text)
    return _CONTROL.sub("", _SURROGATE.sub("\ufffd", text))


def _after(parameters: str, hue: str, attributes: frozenset[str]) -> tuple[str, frozenset[str]]:
    """Colour and attributes after an SGR sequence; backgrounds are left out."""
    codes = [int(code) if code.isdigit() and len(code) < 5 else 0 for code in re.split("[;:]", parameters)]
    position = 0
    codes = codes[:MAX_CODES]
    while position < len(codes):
        code = codes[position]
        if code in (38, 48, 58):
            found, position = _extended(codes, position)
            hue = found if code == 38 else hue
            continue
        if code == 0:
            hue, attributes = "", frozenset()
        elif code in _ATTRIBUTES:
            attributes |= {_ATTRIBUTES[code]}
        elif code in _ATTRIBUTES_OFF:
            attributes -= set(_ATTRIBUTES_OFF[code])
        elif 30 <= code <= 37 or 90 <= code <= 97:
            hue = _HUES[code % 10]
        elif code == 39:
            hue = ""
        position += 1
    return hue, attributes


def _extended(codes: list[int], position: int) -> tuple[str, int]:
    """The nearest of the eight hues to `38;5;n` or `38;2;r;g;b`, and the position after it."""
    kind = codes[position + 1] if position + 1 < len(codes) else 0
    if kind == 5 and position + 2 < len(codes):
        return _indexed(min(codes[position + 2], 255)), position + 3
    if kind == 2 and position + 4 < len(codes):
        red, green, blue = (min(code, 255) for code in codes[position + 2 : position + 5])
        return _nearest(red, green, blue), position + 5
    return "", len(codes)


def _indexed(index: int) -> str:
    if index < 16:
        return _HUES[index % 8]
    if index >= 232:
        return "white" if index >= 244 else "black"
    cube = index - 16
    red, green, blue = (51 * (cube // step % 6) for step in (36, 6, 1))
    return _nearest(red, green, blue)


def _nearest(red: int, green: int, blue: int) -> str:
    middle = (max(red, green, blue) + min(red, green, blue)) / 2
    if max(red, green, blue) - min(red, green, blue) < 40:
        return "white" if middle >= 128 else "black"
    return _HUES[(red > middle) + 2 * (green > middle) + 4 * (blue > middle)]
