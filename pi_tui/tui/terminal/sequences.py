"""Cutting terminal input into text, escape sequences and pastes, by the grammar of ECMA-48.

Pure: what was read goes in, tokens come out, and what is not finished yet is kept.
"""

import re
from collections.abc import Generator, Iterator
from dataclasses import dataclass
from enum import Enum, auto
from typing import Final

ESC: Final = "\x1b"
PASTE_START: Final = "\x1b[200~"
PASTE_END: Final = "\x1b[201~"

STRING_LIMIT: Final = 64 * 1024
"""Characters of one OSC, DCS or APC string; a longer one is thrown away."""

PASTE_LIMIT: Final = 8 * 1024 * 1024
"""Characters of one paste token; what is longer comes in several."""

LONE_ESCAPE_CHARACTERS: Final = 2
"""Up to this length an unfinished sequence may be keys somebody pressed: Esc, Alt+[, Alt+Shift+O, Esc Esc."""


class Kind(Enum):
    TEXT = auto()
    """Characters as they were typed, control characters among them."""
    SEQUENCE = auto()
    """A whole escape sequence: CSI, SS3, or Esc and a character."""
    STRING = auto()
    """The inside of an OSC, DCS, APC, PM or SOS string with its introducer, without its terminator."""
    PASTE = auto()
    """What stood between the brackets of a paste."""


@dataclass(frozen=True)
class Token:
    kind: Kind
    text: str


_COMPLETE: Final = re.compile(
    r"""
      \x1b [\]PX^_] (?P<string>[^\x07\x1b]*(?:\x1b(?!\\)[^\x07\x1b]+)*) (?: \x07 | \x1b\\ )
    | \x1b? \x1b \[\[ [A-E]                 # function keys of the Linux console
    | \x1b? \x1b \[ [0-?]* [ -/]* [@-Z\\-~] # CSI, also with the Esc of an Alt key before it
    | \x1b? \x1b O [0-9;]* [@-~]            # SS3
    | \x1b [^\x1b\[\]OPX^_]                 # Alt and a character
    """,
    re.VERBOSE | re.DOTALL,
)
_UNFINISHED: Final = re.compile(
    r"""
      (?: \x1b [\]PX^_] [^\x07]* | \x1b? \x1b (?: \[ \[? | \[ [0-?]* [ -/]* | O [0-9;]* )? ) \Z
    """,
    re.VERBOSE | re.DOTALL,
)


class SequenceReader:
    """Turns what is read from a terminal into tokens."""

    def __init__(self) -> None:
        self._rest = ""
        self._paste: list[str] | None = None
        self._pasted = 0

    @property
    def waits(self) -> bool:
        """Something is unfinished and needs more input, or `flush`."""
        return bool(self._rest) or self._paste is not None

    @property
    def pasting(self) -> bool:
        """The end of a paste has not come yet."""
        return self._paste is not None

    @property
    def may_be_keys(self) -> bool:
        """What is unfinished is so short that it may be a key of its own: do not wait for long."""
        return 0 < len(self._rest) <= LONE_ESCAPE_CHARACTERS and self._paste is None

    def feed(self, data: str) -> Iterator[Token]:
        """The tokens that `data` completes."""
        data, self._rest = self._rest + data, ""
        position = 0
        while position < len(data):
            if self._paste is not None:
                position = yield from self._read_paste(data, position)
                continue
            start = data.find(ESC, position)
            if start != position:
                end = len(data) if start < 0 else start
                yield Token(Kind.TEXT, data[position:end])
                position = end
                continue
            match = _COMPLETE.match(data, position)
            if match is None:
                if _UNFINISHED.match(data, position):
                    self._rest = data[position:] if len(data) - position <= STRING_LIMIT else ""
                    return
                # Two Esc keys, or an Esc right before something else.
                yield Token(Kind.SEQUENCE, ESC)
                position += 1
                continue
            position = match.end()
            if match[0] == PASTE_START:
                self._paste = []
            elif (string := match["string"]) is not None:
                yield Token(Kind.STRING, match[0][1] + string)
            else:
                yield Token(Kind.SEQUENCE, match[0])

    def flush(self) -> Iterator[Token]:
        """Nothing more came: short remains are keys, longer ones are dropped, a paste ends."""
        rest, self._rest = self._rest, ""
        if self._paste is not None:
            self._paste.append(rest)
            yield self._end_paste()
            self._paste = None
        elif rest == ESC * 2:
            yield Token(Kind.SEQUENCE, ESC)
            yield Token(Kind.SEQUENCE, ESC)
        elif 0 < len(rest) <= LONE_ESCAPE_CHARACTERS:
            yield Token(Kind.SEQUENCE, rest)

    def _read_paste(self, data: str, position: int) -> Generator[Token, None, int]:
        assert self._paste is not None
        end = data.find(PASTE_END, position)
        if end >= 0:
            self._paste.append(data[position:end])
            yield self._end_paste()
            self._paste = None
            return end + len(PASTE_END)
        # The end mark may be cut in two by the read.
        kept = next(
            (n for n in range(len(PASTE_END) - 1, 0, -1) if data.endswith(PASTE_END[:n], position)), 0
        )
        body = data[position : len(data) - kept]
        self._rest = data[len(data) - kept :]
        self._paste.append(body)
        self._pasted += len(body)
        if self._pasted >= PASTE_LIMIT:
            yield self._end_paste()
        return len(data)

    def _end_paste(self) -> Token:
        assert self._paste is not None
        token = Token(Kind.PASTE, "".join(self._paste))
        self._paste.clear()
        self._pasted = 0
        return token
