"""A program in a pseudo-terminal: its process, what it wrote and when, and what the terminal answered.

Knows no screen (see `terminal.py` for that), so that it costs little enough to measure by.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import resource
import select
import shutil
import signal
import struct
import termios
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from tests.e2e import terminal_keys
from tests.e2e.terminal_protocol import Cells, TerminalModes, TerminalProtocol

LOG_BYTES = 64 << 20
"""Output kept for inspection; beyond it the older half is dropped."""
READ_BYTES = 1 << 16
KEPT_ARRIVALS = 1 << 12
PATIENCE = 30.0
"""Seconds that something is waited for: much, as a wait that succeeds costs nothing and machines are busy."""
LOOK_AGAIN = 0.1
"""Seconds until a condition is looked at though nothing was written: it may be about something else."""
FAREWELL_SECONDS = 3.0
"""How long a program has to leave after SIGHUP before it is killed."""

ENTER_DIRECTORY_AND_RUN = 'cd "$1" && shift && exec "$@"'


class PseudoTerminal:
    """Runs a command on a controlling pseudo-terminal and reads all it writes in a thread."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        columns: int = 120,
        rows: int = 40,
        cwd: Path | str = ".",
        env: Mapping[str, str] | None = None,
        background: str = "101418",
        foreground: str = "d0d0d0",
        kitty_keyboard: bool = False,
    ) -> None:
        """`env` is the whole environment (default: ours); the colours, RRGGBB, are what OSC 11 and 10 answer."""
        self.columns, self.rows = columns, rows
        self.changed = threading.Condition()
        self.status: int | None = None
        """Exit code, or minus the number of the signal that ended it; None while it runs."""
        self.usage: resource.struct_rusage | None = None
        """CPU seconds and peak RSS of the program and the children it waited for, once it has left."""
        self._protocol = TerminalProtocol(
            size=lambda: (self.columns, self.rows),
            cursor=self.cursor_position,
            background=background,
            foreground=foreground,
            kitty_keyboard=kitty_keyboard,
        )
        self._log = bytearray()
        self._log_start = 0
        self._arrivals: deque[tuple[int, float]] = deque(maxlen=KEPT_ARRIVALS)
        """Position after each chunk of output, and when it was read."""
        self._changes = 0
        self._output_ended = False
        self._master, slave = os.openpty()
        self._wake_reader, self._wake = os.pipe()
        self._set_size()
        self.started = time.perf_counter()
        self.pid = self._spawn(command, os.ttyname(slave), str(cwd), dict(os.environ if env is None else env))
        os.close(slave)
        self._reader = threading.Thread(target=self._read_output, name="pty-output", daemon=True)
        self._waiter = threading.Thread(target=self._await_exit, name="pty-exit", daemon=True)
        self._reader.start()
        self._waiter.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    # Input

    def send(self, text: str | bytes) -> None:
        """Types `text` as it is."""
        data = text.encode() if isinstance(text, str) else text
        while data:
            data = data[os.write(self._master, data) :]

    def press(self, *keys: str) -> None:
        """Presses keys by name (`enter`, `ctrl+c`, `alt+up`), encoded for the keyboard mode that is on."""
        for key in keys:
            self.send(
                terminal_keys.encode(
                    key, kitty_flags=self.modes.kitty_flags, modify_other_keys=self.modes.modify_other_keys
                )
            )

    def paste(self, text: str) -> None:
        """Pastes `text`: bracketed when the program asked for it, as terminals do."""
        self.send(f"\x1b[200~{text}\x1b[201~" if 2004 in self.modes.private else text)

    def resize(self, columns: int, rows: int) -> None:
        self.columns, self.rows = columns, rows
        self._set_size()

    def signal(self, number: signal.Signals) -> None:
        os.kill(self.pid, number)

    def hang_up(self) -> None:
        """Closes the terminal's end, as closing its window does."""
        if self._master >= 0:
            os.write(self._wake, b".")
            self._reader.join()
            os.close(self._master)
            os.close(self._wake)
            os.close(self._wake_reader)
            self._master = -1

    # Output

    @property
    def modes(self) -> TerminalModes:
        return self._protocol.modes

    @property
    def raw(self) -> bytes:
        """Everything written so far (the last `LOG_BYTES` of it)."""
        with self.changed:
            return bytes(self._log)

    @property
    def written(self) -> int:
        """Bytes written so far; a position for `raw_since`."""
        return self._log_start + len(self._log)

    def raw_since(self, position: int) -> bytes:
        with self.changed:
            return bytes(self._log[max(0, position - self._log_start) :])

    def cursor_position(self) -> tuple[int, int]:
        """Row and column from 1, for cursor position reports."""
        return 1, 1

    def has_written(self, text: str, *, since: int = 0) -> bool:
        with self.changed:
            return self._log.find(text.encode(), max(0, since - self._log_start)) >= 0

    def wait_until(self, condition: Callable[[], bool], timeout: float, what: str) -> None:
        """Waits until `condition` holds, looking whenever there is output or the program ends.

        Raises TimeoutError with `what` and what is to be seen.
        """
        deadline = time.monotonic() + timeout
        while True:
            with self.changed:
                changes = self._changes
                ended = self._output_ended and self.status is not None
            # Looking is done without the lock: it may take long, and must not hold up the program's output.
            if condition():
                return
            remaining = deadline - time.monotonic()
            if ended or remaining <= 0:
                why = f"the program left with {self.status}" if ended else f"after {timeout} s"
                raise TimeoutError(f"no {what} ({why})\n{self.describe()}")
            with self.changed:
                if self._changes == changes:
                    self.changed.wait(min(remaining, LOOK_AGAIN))

    def wait_for_output(self, needle: str | bytes, timeout: float = PATIENCE, *, since: int = 0) -> float:
        """Waits until `needle` has been written, no control sequence inside it, at or after position `since`.

        Returns when the bytes that completed it arrived, on the clock of `time.perf_counter`.
        """
        wanted = needle.encode() if isinstance(needle, str) else needle
        searched = since
        arrived = 0.0

        def found() -> bool:
            nonlocal searched, arrived
            with self.changed:
                index = self._log.find(wanted, max(0, searched - self._log_start))
                if index >= 0:
                    end = self._log_start + index + len(wanted)
                    arrived = next(time for position, time in self._arrivals if position >= end)
                searched = max(since, self.written - len(wanted) + 1)
                return index >= 0

        self.wait_until(found, timeout, f"output {needle!r}")
        return arrived

    def wait_until_silent(self, seconds: float, timeout: float) -> None:
        """Waits until nothing has been written for `seconds`."""
        deadline = time.monotonic() + timeout
        with self.changed:
            while self.changed.wait(seconds):
                if time.monotonic() > deadline:
                    raise TimeoutError(f"no silence of {seconds} s within {timeout} s")

    def wait_for_exit(self, timeout: float = PATIENCE) -> int:
        """Waits for the program to leave and for its last output; returns its status."""
        self.wait_until(lambda: self.status is not None and self._output_ended, timeout, "exit")
        assert self.status is not None
        return self.status

    def describe(self) -> str:
        return self.raw[-2000:].decode(errors="replace")

    def line_discipline(self) -> dict[str, bool]:
        """The kernel's side of the terminal: what a shell expects to find on."""
        flags = termios.tcgetattr(self._master)
        return {
            "echo": bool(flags[3] & termios.ECHO),
            "canonical": bool(flags[3] & termios.ICANON),
            "signals": bool(flags[3] & termios.ISIG),
            "cr to nl": bool(flags[0] & termios.ICRNL),
        }

    def close(self) -> None:
        """Ends the program if it still runs: hangs up, then kills."""
        self.hang_up()
        self._waiter.join(FAREWELL_SECONDS)
        if self.status is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self.pid, signal.SIGKILL)
            self._waiter.join()

    # Internals

    def _set_size(self) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", self.rows, self.columns, 0, 0))

    def _spawn(self, command: Sequence[str], terminal: str, cwd: str, env: dict[str, str]) -> int:
        # A session leader that opens a terminal gets it as its controlling terminal. posix_spawn instead of
        # fork: this process has threads.
        program = shutil.which(command[0], path=env.get("PATH")) or command[0]
        return os.posix_spawn(
            "/bin/sh",
            ["sh", "-c", ENTER_DIRECTORY_AND_RUN, "sh", cwd, program, *command[1:]],
            env,
            file_actions=[
                (os.POSIX_SPAWN_OPEN, 0, terminal, os.O_RDWR, 0),
                (os.POSIX_SPAWN_DUP2, 0, 1),
                (os.POSIX_SPAWN_DUP2, 0, 2),
            ],
            setsid=True,
            setsigdef=[signal.SIGPIPE, signal.SIGINT, signal.SIGHUP, signal.SIGTERM, signal.SIGTSTP],
        )

    def _read_output(self) -> None:
        while True:
            ready, _, _ = select.select([self._master, self._wake_reader], [], [])
            if self._wake_reader in ready:
                break
            try:
                data = os.read(self._master, READ_BYTES)
            except OSError:  # EIO: the last process has closed the terminal
                break
            arrived = time.perf_counter()
            with self.changed:
                self._log += data
                self._arrivals.append((self.written, arrived))
                self._bound_log()
            cells, answer = self._protocol.feed(data)
            with self.changed:
                self._show(cells)
                self._announce()
            if answer:
                self.send(answer)
        with self.changed:
            self._output_ended = True
            self._announce()

    def _announce(self) -> None:
        self._changes += 1
        self.changed.notify_all()

    def _bound_log(self) -> None:
        if len(self._log) > LOG_BYTES:
            surplus = LOG_BYTES // 2
            del self._log[:surplus]
            self._log_start += surplus

    def _show(self, cells: list[Cells]) -> None:
        """What is for the screen, with `changed` held."""

    def _await_exit(self) -> None:
        _, status, usage = os.wait4(self.pid, 0)
        with self.changed:
            self.usage = usage
            self.status = os.waitstatus_to_exitcode(status)
            self._announce()
