"""Giving the terminal back, on every way out.

Nothing here needs Textual: it has to work when everything else is broken.
"""

import atexit
import contextlib
import os
import signal
import sys
import termios
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any, Final

from pi_tui.tui.terminal import modes

LEAVE_SECONDS: Final = 2.0
"""How long a program that was told to leave may take before it is ended from outside."""


class TerminalGuard:
    """Knows the state the terminal was found in, and brings it back once."""

    def __init__(self) -> None:
        self._input = 0
        self._output = 1
        self._attributes: list[Any] | None = None
        self._full_screen = False

    @property
    def attributes(self) -> list[Any] | None:
        """The line settings the terminal was found in, as `termios` has them."""
        return self._attributes

    def remember(self, input_descriptor: int, output_descriptor: int) -> None:
        """Take down the line settings the terminal has now; they are what `restore` goes back to."""
        self._input, self._output = input_descriptor, output_descriptor
        try:
            self._attributes = termios.tcgetattr(input_descriptor)
        except (termios.error, ValueError):
            self._attributes = None

    def entered_full_screen(self) -> None:
        """From now on there is a screen to leave."""
        self._full_screen = True

    def left_full_screen(self) -> None:
        """The screen was left in good order: only the line settings may be in want of repair."""
        self._full_screen = False

    def restore(self) -> None:
        """Bring the terminal back; doing it twice does no more than doing it once."""
        if self._full_screen:
            self._full_screen = False
            with contextlib.suppress(OSError):
                os.write(self._output, modes.RESET.encode())
        if self._attributes is not None:
            with contextlib.suppress(termios.error, OSError):
                termios.tcsetattr(self._input, termios.TCSANOW, self._attributes)


guard: Final = TerminalGuard()
"""The one terminal of this process."""


def give_back_at_exit() -> None:
    """Take down the state of the terminal now and bring it back when the interpreter ends."""
    guard.remember(
        sys.__stdin__.fileno() if sys.__stdin__ else 0, sys.__stdout__.fileno() if sys.__stdout__ else 1
    )
    atexit.register(guard.restore)


def on_termination(leave: Callable[[int], None]) -> None:
    """Call `leave(signal number)` on SIGTERM, SIGHUP and SIGINT, and see to it that the process does end.

    `leave` runs in the main thread, between two steps of whatever runs there. A second signal, or
    `LEAVE_SECONDS` without an end, restores the terminal and ends the process the way the signal does.
    """
    for number in (signal.SIGTERM, signal.SIGHUP, signal.SIGINT):
        signal.signal(number, _Termination(leave))


class _Termination:
    def __init__(self, leave: Callable[[int], None]) -> None:
        self._leave = leave
        self._told = False

    def __call__(self, number: int, frame: FrameType | None) -> None:
        if self._told:
            end_by(number)
        self._told = True
        watchdog = threading.Timer(LEAVE_SECONDS, end_by, (number,))
        watchdog.daemon = True
        watchdog.start()
        self._leave(number)


def end_by(number: int) -> None:
    """Restore the terminal and end this process as the signal would have done by itself."""
    guard.restore()
    if threading.current_thread() is threading.main_thread():
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(128 + number)
