"""What a terminal would have kept of a program's output: plain text, and the same with its colours."""

import codecs
import re

from pi_tui.agent.tools import limits

_SGR = re.compile(r"\x1b\[[0-9;:]*m")
_COLOURS_AT_END = re.compile(r"(?:\x1b\[[0-9;:]*m)+\Z")
_ESCAPE = re.compile(
    r"\x1b(?!\[[0-9;:]*m)"
    r"(?:\[[0-?]*[ -/]*[@-~]"  # CSI
    r"|\][^\x07\x1b\n]*(?:\x07|\x1b\\)"  # OSC
    r"|[PX^_][^\x1b\n]*\x1b\\"  # DCS, SOS, PM, APC
    r"|[ -/]+[0-~]"
    r"|[0-Z\\^-~]"
    r"|[\]\[]?)"  # what is none: the introducer goes, the text stays
)
_UNFINISHED_ESCAPE = re.compile(
    r"\x1b(?:\[[0-?]*[ -/]*|\][^\x07\x1b\n]*\x1b?|[PX^_][^\x1b\n]*\x1b?|[ -/]*)\Z",
)
_CONTROL = re.compile(r"[\x00-\x07\x0b-\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]+")
_C1 = re.compile(r"[\x80-\x9f]")
_PLAIN_BYTES = bytes(byte for byte in range(256) if byte >= 0x80 or 0x20 <= byte < 0x7F or byte in b"\t\n")


def without_colours(text: str) -> str:
    return _SGR.sub("", text) if "\x1b" in text else text


def has_colours(text: str) -> bool:
    return _SGR.search(text) is not None


class TerminalText:
    """Turns the bytes of a program, as they come, into lines with no control but SGR colours.

    A carriage return starts the line anew, a backspace takes a character back, bytes that are not UTF-8
    become U+FFFD, every other control and escape sequence is dropped.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._escape = ""
        self.open_line = ""
        """The line that has no end yet; its trailing carriage return, if any, is kept."""

    def feed(self, data: bytes, final: bool = False) -> str:
        """Take the next bytes; return what is settled now (whole lines, or a piece of an endless one)."""
        text = self._decoder.decode(data, final)
        plain = not (self._escape or "\r" in self.open_line or _needs_cleaning(data, text))
        if not plain:
            text = self._strip(self._escape + text, final)
        settled, newline, rest = (self.open_line + text).rpartition("\n")
        settled += newline
        trailing = ""
        if not plain:
            settled = "\n".join(map(_typed, settled.split("\n")))
            trailing = "\r" if rest.endswith("\r") and not final else ""
            rest = _typed(rest)
        if len(rest) > limits.OPEN_LINE_CHARS:
            settled, rest = settled + rest, ""
        self.open_line = rest + trailing
        return settled

    def _strip(self, text: str, final: bool) -> str:
        self._escape = ""
        if not final and (
            unfinished := _UNFINISHED_ESCAPE.search(text, max(0, len(text) - limits.ESCAPE_CHARS))
        ):
            self._escape = unfinished[0]
            text = text[: unfinished.start()]
        if "\x1b" in text:
            text = _ESCAPE.sub("", text)
        return _CONTROL.sub("", text)


def _needs_cleaning(data: bytes, text: str) -> bool:
    return bool(data.translate(None, _PLAIN_BYTES)) or not (text.isascii() or _C1.search(text) is None)


def _typed(line: str) -> str:
    """What stands on the line after its carriage returns and backspaces."""
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if without_colours(part)), "")
    if "\b" not in line:
        return line
    kept, *rest = line.split("\b")
    for part in rest:
        kept = _without_last_character(kept) + part
    return kept


def _without_last_character(text: str) -> str:
    """A backspace at the end of `text`; colours take no room there."""
    colours = _COLOURS_AT_END.search(text, max(0, len(text) - limits.COLOURS_CHARS))
    if colours is None:
        return text[:-1]
    return text[: max(0, colours.start() - 1)] + colours[0]
