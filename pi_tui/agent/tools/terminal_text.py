"""What a terminal would have kept of a program's output: plain text, and the same with its colours."""

import codecs
import re
from collections.abc import Iterator

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


def without_colours(text: str) -> str:
    return _SGR.sub("", text) if "\x1b" in text else text


def terminal_text(data: bytes, final: bool = True) -> str:
    """The lines a program's output leaves, with no control in them but SGR colours.

    A carriage return starts the line anew, a backspace takes a character back, bytes that are not UTF-8
    become U+FFFD, every other control and escape sequence is dropped.

    Args:
        final: False if more will come; then a character or sequence that has only begun is left out.
    """
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    parts = [decoder.decode(piece) for piece in _pieces(data)]
    if final:
        parts[-1] += decoder.decode(b"", final=True)
    else:
        parts[-1] = _UNFINISHED_ESCAPE.sub("", parts[-1])
    text = "".join(map(_without_controls, parts))
    if "\r" in text or "\b" in text:
        text = "\n".join(map(_typed, text.split("\n")))
    return text


def _pieces(data: bytes) -> Iterator[bytes]:
    """The data in small pieces, so that others run in between, with no escape sequence cut in two."""
    start = 0
    while len(data) - start > limits.CLEANED_BYTES:
        limit = start + limits.CLEANED_BYTES
        end = max(data.rfind(b"\n", start, limit), data.rfind(b"\r", start, limit)) + 1
        if end <= start:
            escape = data.rfind(b"\x1b", start + 1, limit)
            end = escape if escape > start else limit
        yield data[start:end]
        start = end
    yield data[start:]


def _without_controls(text: str) -> str:
    if "\x1b" in text:
        text = _ESCAPE.sub("", text)
    return _CONTROL.sub("", text)


def _typed(line: str) -> str:
    """What stands on the line after its carriage returns and backspaces."""
    if "\r" in line:
        line = next((part for part in reversed(line.split("\r")) if without_colours(part)), "")
    if "\b" not in line:
        return line
    first, *others = line.split("\b")
    kept = [first]
    for part in others:
        while len(kept) > 1 and not kept[-1]:
            kept.pop()
        kept[-1] = _without_last_character(kept[-1])
        kept.append(part)
    return "".join(kept)


def _without_last_character(text: str) -> str:
    """A backspace at the end of `text`; colours take no room there."""
    colours = _COLOURS_AT_END.search(text, max(0, len(text) - limits.COLOURS_CHARS))
    if colours is None:
        return text[:-1]
    return text[: max(0, colours.start() - 1)] + colours[0]
