"""Asking the terminal about itself before the client starts.

The questions go out first, the answers are read when the imports are done, so that nobody waits. What the
user typed meanwhile is kept and handed to the driver. Nothing here needs Textual.
"""

import os
import re
import select
import sys
import termios
import time
from dataclasses import dataclass, field
from typing import Final

from pi_tui.tui.terminal import modes
from pi_tui.tui.terminal.appearance import RGB, color_reply
from pi_tui.tui.terminal.restore import guard

ANSWER_SECONDS: Final = 0.1
"""The longest anyone waits for the answers, counted from the moment they were asked for."""

TYPED_AHEAD_LIMIT: Final = 64 * 1024
"""Bytes typed before the client starts that are kept."""

_COLOR: Final = re.compile(rb"\x1b\]((?:10|11|4;)[^\x07\x1b]*)(?:\x07|\x1b\\)")
_KITTY: Final = re.compile(rb"\x1b\[\?(\d+)u")
_ATTRIBUTES: Final = re.compile(rb"\x1b\[\?[\d;]*c")


@dataclass
class TerminalAnswers:
    """What the terminal said in time; `None` is "no answer", never "no"."""

    colors: list[tuple[str, RGB]] = field(default_factory=list)
    """As `appearance.color_reply` reads them."""
    kitty_keyboard: bool | None = None
    typed: bytes = b""
    """What was no answer: keys pressed meanwhile."""


def read_answers(received: bytes) -> TerminalAnswers:
    """Sort the answers out of what came in."""
    answers = TerminalAnswers()
    replies = (color_reply(body.decode("ascii", "replace")) for body in _COLOR.findall(received))
    answers.colors = [reply for reply in replies if reply is not None]
    finished = _ATTRIBUTES.search(received) is not None
    if _KITTY.search(received):
        answers.kitty_keyboard = True
    elif finished:
        answers.kitty_keyboard = False
    for pattern in (_COLOR, _KITTY, _ATTRIBUTES):
        received = pattern.sub(b"", received)
    answers.typed = received
    return answers


class TerminalProbe:
    """Questions that are on their way. Make one early, call `answers` late."""

    def __init__(self) -> None:
        self._asked_at = time.monotonic()
        self._descriptor: int | None = None
        self._answers: TerminalAnswers | None = None
        if not (sys.__stdin__ and sys.__stdout__ and sys.__stdin__.isatty() and sys.__stdout__.isatty()):
            return
        attributes = guard.attributes
        if attributes is None or os.tcgetpgrp(sys.__stdin__.fileno()) != os.getpgrp():
            return
        self._descriptor = sys.__stdin__.fileno()
        quiet = [*attributes]
        quiet[3] &= ~(termios.ECHO | termios.ICANON)
        termios.tcsetattr(self._descriptor, termios.TCSANOW, quiet)
        questions = modes.COLOR_QUERIES + modes.KITTY_KEYBOARD_QUERY + modes.DEVICE_ATTRIBUTES_QUERY
        os.write(sys.__stdout__.fileno(), questions.encode())

    def answers(self) -> TerminalAnswers:
        """Read what came in, at most until `ANSWER_SECONDS` after the questions. Echo stays off."""
        if self._answers is None:
            self._answers = self._read()
        return self._answers

    def finish(self) -> None:
        """Read the answers now and give the terminal back: the user is going to be asked something."""
        self.answers()
        guard.restore()

    def _read(self) -> TerminalAnswers:
        if self._descriptor is None:
            return TerminalAnswers()
        received = b""
        while len(received) < TYPED_AHEAD_LIMIT:
            left = max(0.0, self._asked_at + ANSWER_SECONDS - time.monotonic())
            if not select.select([self._descriptor], [], [], left)[0]:
                break
            chunk = os.read(self._descriptor, 4096)
            received += chunk
            if not chunk or _ATTRIBUTES.search(received):
                break
        return read_answers(received)
