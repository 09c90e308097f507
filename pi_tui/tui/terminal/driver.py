"""The terminal driver: Textual's, with the keys, modes and signals it does not handle."""

import contextlib
import os
import selectors
import signal
import sys
import termios
import time
import tty
from codecs import getincrementaldecoder
from typing import Any, Final

from textual import constants
from textual.app import App
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

from pi_tui.tui.terminal import modes
from pi_tui.tui.terminal.charset import encoder
from pi_tui.tui.terminal.events import TerminalFocus, TerminalLost
from pi_tui.tui.terminal.input import InputParser
from pi_tui.tui.terminal.output import TerminalOutput
from pi_tui.tui.terminal.probe import TerminalAnswers
from pi_tui.tui.terminal.restore import guard

POLL_SECONDS: Final = 0.1
"""How often the input thread looks whether it shall end."""

READ_BYTES: Final = 64 * 1024


class TerminalDriver(LinuxDriver):
    """Powers display and input of the client.

    Make the class known to the app with `App(driver_class=terminal_driver(answers))`.
    """

    answers: TerminalAnswers = TerminalAnswers()
    """What the terminal said before the client started."""

    def __init__(
        self, app: App[Any], *, debug: bool = False, mouse: bool = True, size: tuple[int, int] | None = None
    ) -> None:
        super().__init__(app, debug=debug, mouse=mouse, size=size)
        output = sys.__stdout__ if sys.__stdout__ and sys.__stdout__.isatty() else sys.__stderr__
        assert output is not None
        self._file = TerminalOutput(output.fileno(), encoder(os.environ))  # type: ignore[assignment]
        self._found_attributes = guard.attributes
        self._in_application_mode = False
        self._typed_ahead = self.answers.typed

    def start_application_mode(self) -> None:
        """Enter the full screen, with every mode the client needs."""
        if self._in_application_mode:
            return
        super().start_application_mode()  # type: ignore[no-untyped-call]
        if self._writer_thread is None:
            return
        if self._found_attributes is not None:
            # The probe has changed the line settings; these are the ones the shell had.
            self.attrs_before, self._found_attributes = self._found_attributes, None
        self._in_application_mode = True
        guard.entered_full_screen()
        self._request_keys()
        self.write(modes.COLOR_SCHEME_REPORTS_ON)

    def stop_application_mode(self) -> None:
        """Leave the full screen and switch off what the client switched on."""
        if not self._in_application_mode:
            return
        self.write(modes.MODIFY_OTHER_KEYS_OFF + modes.COLOR_SCHEME_REPORTS_OFF)
        super().stop_application_mode()
        self._in_application_mode = False

    def close(self) -> None:
        """Wait until everything is written."""
        super().close()
        self._writer_thread = None
        if not self._in_application_mode:
            guard.left_full_screen()

    def write(self, data: str) -> None:
        """Write to the terminal; what comes when the screen was already left is dropped."""
        if self._writer_thread is not None:
            self._writer_thread.write(data)

    def reassert_modes(self) -> None:
        """Switch on again what the client needs, and paint everything: something else had the terminal."""
        self._set_raw_line()
        self.write(modes.FULL_SCREEN + self._mouse_and_paste)
        self._request_keys()
        self._repaint()

    @property
    def _mouse_and_paste(self) -> str:
        return (modes.MOUSE if self._mouse else "") + modes.PASTE

    def _request_keys(self) -> None:
        if not constants.DISABLE_KITTY_KEY:
            self.write(modes.KITTY_KEYBOARD_SET)
        if not self.answers.kitty_keyboard:
            self.write(modes.MODIFY_OTHER_KEYS_ON)

    def _set_raw_line(self) -> None:
        with contextlib.suppress(termios.error):
            attributes = termios.tcgetattr(self.fileno)
            attributes[tty.LFLAG] = self._patch_lflag(attributes[tty.LFLAG])
            attributes[tty.IFLAG] = self._patch_iflag(attributes[tty.IFLAG])
            attributes[tty.CC][termios.VMIN] = 1
            termios.tcsetattr(self.fileno, termios.TCSANOW, attributes)

    def _repaint(self) -> None:
        def repaint() -> None:
            self._app.refresh(layout=True)

        self._loop.call_soon_threadsafe(repaint)

    # --- stopping and going on ---------------------------------------------------------------------

    def _sigtstp_application(self, *_: Any) -> None:
        """Stop the process group as the shell expects it, with the terminal given back meanwhile.

        Stopping only this process would leave a wrapper (`uv run pi`) waiting in the foreground; and where
        nobody could continue us, the system ignores SIGTSTP, so that we just go on.
        """
        if not self._auto_restart:
            # Someone else has the screen (an editor): stop along with it.
            os.kill(os.getpid(), signal.SIGSTOP)
            return
        self.suspend_application_mode()
        signal.signal(signal.SIGTSTP, signal.SIG_DFL)
        os.killpg(os.getpgrp(), signal.SIGTSTP)
        self._stop_while_in_background()
        signal.signal(signal.SIGTSTP, self._sigtstp_application)
        self._must_signal_resume = True
        self.resume_application_mode()
        self._repaint()

    def _sigcont_application(self, *_: Any) -> None:
        """Continued without having been suspended here (`kill -STOP`): make sure of the terminal."""
        if self._in_application_mode:
            self._stop_while_in_background()
            self.reassert_modes()

    def _stop_while_in_background(self) -> None:
        """A shell's `bg` leaves the terminal to the shell: stay stopped until `fg`."""
        while self._in_background():
            os.kill(os.getpid(), signal.SIGSTOP)

    def _in_background(self) -> bool:
        try:
            return os.tcgetpgrp(self.fileno) != os.getpgrp()
        except OSError:
            return False

    # --- input -------------------------------------------------------------------------------------

    def run_input_thread(self) -> None:
        """Read the terminal and send events until told to stop."""
        parser = InputParser()
        decode = getincrementaldecoder("utf-8")(errors="replace").decode
        typed_ahead, self._typed_ahead = self._typed_ahead, b""
        for message in parser.feed(decode(typed_ahead)):
            self.process_message(message)
        with selectors.SelectSelector() as selector:
            selector.register(self.fileno, selectors.EVENT_READ)
            quiet_since = time.monotonic()
            while not self.exit_event.is_set():
                patience = parser.patience
                wait = POLL_SECONDS
                if patience is not None:
                    wait = min(wait, max(0.0, quiet_since + patience - time.monotonic()))
                if selector.select(wait):
                    data = self._read()
                    if data is None:
                        self.process_message(TerminalLost())
                        return
                    quiet_since = time.monotonic()
                    for message in parser.feed(decode(data)):
                        self.process_message(message)
                elif patience is not None and time.monotonic() - quiet_since >= patience:
                    for message in parser.flush():
                        self.process_message(message)

    def _read(self) -> bytes | None:
        """What is there to read; `None` when there will never be anything again."""
        try:
            return os.read(self.fileno, READ_BYTES) or None
        except BlockingIOError:
            # A child that shared the terminal left it non-blocking.
            return b""
        except OSError:
            return None

    def process_message(self, message: Message) -> None:
        """Send a message to the app; the focus coming back is a chance to repair modes."""
        if isinstance(message, TerminalFocus) and message.focused:
            # A multiplexer that was detached and attached again may have forgotten them.
            self.write(self._mouse_and_paste)
        super().process_message(message)


def terminal_driver(answers: TerminalAnswers) -> type[TerminalDriver]:
    """The driver class for a terminal that gave these answers to a `TerminalProbe`."""
    return type("AnsweredTerminalDriver", (TerminalDriver,), {"answers": answers})
