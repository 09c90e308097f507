"""Terminal input to Textual events."""

import re
from collections.abc import Iterator
from typing import Final

from textual import constants, events, messages
from textual._xterm_parser import IS_ITERM, XTermParser
from textual.message import Message

from pi_tui.tui.terminal.appearance import RGB, color_reply
from pi_tui.tui.terminal.events import TerminalAppearance, TerminalColorsTold, TerminalFocus
from pi_tui.tui.terminal.key_names import Key, key_of_character, key_of_sequence
from pi_tui.tui.terminal.sequences import Kind, SequenceReader, Token

UNFINISHED_SECONDS: Final = 1.0
"""How long the rest of a sequence may be on its way, over a slow line."""

UNFINISHED_PASTE_SECONDS: Final = 10.0

COLOR_REPLIES_LIMIT: Final = 64

_MOUSE: Final = re.compile(r"\x1b\[<?[-\d;]+[mM]\Z")
_MODE_REPORT: Final = re.compile(r"\x1b\[\?(\d+);(\d)\$y\Z")
_RESIZE: Final = re.compile(r"\x1b\[48;(\d+)[\d:]*;(\d+)[\d:]*;(\d+)[\d:]*;(\d+)[\d:]*t\Z")
_COLOR_SCHEME: Final = re.compile(r"\x1b\[\?997;([12])n\Z")
_ATTRIBUTES: Final = re.compile(r"\x1b\[\?[\d;]*c\Z")
_CURSOR_POSITION: Final = re.compile(r"\x1b\[(\d+);(\d+)R\Z")
_SHIFTED_F3: Final = re.compile(r"\x1b\[1;[2-8]R\Z")


class InputParser:
    """Makes Textual events of what is read from the terminal; no terminal needed."""

    def __init__(self) -> None:
        self._reader = SequenceReader()
        self._mouse = XTermParser()
        self._colors: list[tuple[str, RGB]] = []

    @property
    def patience(self) -> float | None:
        """Seconds without input after which to call `flush`; `None` when nothing is unfinished."""
        if not self._reader.waits:
            return None
        if self._reader.may_be_keys:
            return constants.ESCAPE_DELAY
        return UNFINISHED_PASTE_SECONDS if self._reader.pasting else UNFINISHED_SECONDS

    def feed(self, data: str) -> Iterator[Message]:
        """The events that `data` completes."""
        if not self._reader.waits and looks_pasted(data):
            yield events.Paste(data)
            return
        for token in self._reader.feed(data):
            yield from self._events_of(token)

    def flush(self) -> Iterator[Message]:
        """Nothing more came: the events of what was unfinished."""
        for token in self._reader.flush():
            yield from self._events_of(token)

    def _events_of(self, token: Token) -> Iterator[Message]:
        match token.kind:
            case Kind.TEXT:
                for character in token.text:
                    yield _key_event(key_of_character(character))
            case Kind.PASTE:
                yield events.Paste(token.text)
            case Kind.STRING:
                reply = color_reply(token.text[1:]) if token.text.startswith("]") else None
                if reply is not None and len(self._colors) < COLOR_REPLIES_LIMIT:
                    self._colors.append(reply)
            case Kind.SEQUENCE:
                yield from self._events_of_sequence(token.text)

    def _events_of_sequence(self, sequence: str) -> Iterator[Message]:
        if sequence in ("\x1b[I", "\x1b[O"):
            yield TerminalFocus(sequence == "\x1b[I")
        elif _MOUSE.match(sequence):
            if (mouse_event := self._mouse.parse_mouse_code(sequence)) is not None:
                yield mouse_event
        elif match := _RESIZE.match(sequence):
            height, width, pixel_height, pixel_width = map(int, match.groups())
            resize = events.Resize.from_dimensions((width, height), (pixel_width, pixel_height))
            self._mouse.terminal_size, self._mouse.terminal_pixel_size = resize.size, resize.pixel_size
            self._mouse.mouse_pixels = True
            yield resize
        elif match := _MODE_REPORT.match(sequence):
            yield from _mode_report(match[1], int(match[2]))
        elif match := _COLOR_SCHEME.match(sequence):
            yield TerminalAppearance("dark" if match[1] == "1" else "light")
        elif _ATTRIBUTES.match(sequence):
            # The question for these goes out last, so that its answer ends the answers.
            replies, self._colors = self._colors, []
            if replies:
                yield TerminalColorsTold(replies)
        elif (match := _CURSOR_POSITION.match(sequence)) and not _SHIFTED_F3.match(sequence):
            yield events.CursorPosition(int(match[2]) - 1, int(match[1]) - 1)
        elif (key := key_of_sequence(sequence)) is not None:
            yield _key_event(key)


def looks_pasted(data: str) -> bool:
    """Whether one read is a paste from a terminal that does not bracket pastes.

    Nobody types a line break and more within one read; what ends in a single break may be keys typed ahead.
    """
    if len(data) < 3 or not all(character.isprintable() or character in "\r\n\t" for character in data):
        return False
    breaks = data.count("\r") + data.count("\n")
    return breaks > 2 or (breaks > 0 and data[-1] not in "\r\n" and data[0] not in "\r\n")


def _mode_report(mode: str, setting: int) -> Iterator[Message]:
    if mode == "2026" and setting > 0:
        yield messages.TerminalSupportsSynchronizedOutput()
    elif mode == "2048" and constants.SMOOTH_SCROLL and not IS_ITERM:
        yield messages.InBandWindowResize.from_setting_parameter(setting)


def _key_event(key: Key) -> events.Key:
    return events.Key(key.name, key.character)
