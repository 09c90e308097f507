"""Waiting for what a running command does next, and passing its output on as it grows."""

import asyncio
import contextlib
import fcntl
import os
import select
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.command_output import CommandOutput

OnOutput = Callable[[str], None]


class Watch:
    """Waits for output, for the shell's end and for being woken, whichever comes first."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        pipe: int,
        wake: "WakePipe",
        output: CommandOutput,
        updates: "Updates | None",
    ) -> None:
        self.process = process
        self.at_end = False
        self._pipe = pipe
        self._wake = wake
        self._output = output
        self._updates = updates
        self._exited_at: float | None = None
        self._heard_at = 0.0
        self._owed_bytes = 0
        """What the pipe held when the shell ended: surely the command's own."""
        self._poll = select.poll()
        self._poll.register(pipe, select.POLLIN)
        self._poll.register(wake.reader, select.POLLIN)
        self._exit_descriptor = _exit_descriptor(process.pid)
        if self._exit_descriptor is not None:
            self._poll.register(self._exit_descriptor, select.POLLIN)

    @property
    def exited(self) -> bool:
        return self._exited_at is not None

    def is_complete(self, cut_short: bool) -> bool:
        """The shell has ended, and its output has too, or was silent, or went on, for long enough."""
        if self._exited_at is None:
            return False
        now = time.monotonic()
        if self.at_end or cut_short:
            return True
        if self._owed_bytes > 0:
            return False
        quiet = now - max(self._heard_at, self._exited_at) >= limits.DRAIN_QUIET_SECONDS
        return quiet or now - self._exited_at >= limits.DRAIN_SECONDS

    def step(self, seconds: float | None) -> None:
        """Take in what happens next, or nothing within `seconds`."""
        for descriptor, _ in self._poll.poll(self._milliseconds(seconds)):
            if descriptor == self._pipe:
                self._read()
            elif descriptor == self._wake.reader:
                self._wake.clear()
        if self._exited_at is None and self.process.poll() is not None:
            self._exited_at = time.monotonic()
            self._owed_bytes = 0 if self.at_end else _bytes_in(self._pipe)
            if self._exit_descriptor is not None:
                self._poll.unregister(self._exit_descriptor)
                os.close(self._exit_descriptor)
                self._exit_descriptor = None
        if self._updates is not None:
            self._updates.offer(self._output)

    def read_what_is_there(self) -> None:
        budget = limits.PIPE_BYTES
        while not self.at_end and budget > 0 and (size := self._read()):
            budget -= size

    def _milliseconds(self, seconds: float | None) -> float | None:
        waits = [seconds] if seconds is not None else []
        if self._exited_at is not None:
            waits.append(limits.DRAIN_QUIET_SECONDS)
        elif self._exit_descriptor is None:
            waits.append(limits.KILL_POLL_SECONDS)
        if self._updates is not None and (due := self._updates.due_in()) is not None:
            waits.append(due)
        return max(0.0, min(waits) * 1000) if waits else None

    def _read(self) -> int:
        try:
            data = os.read(self._pipe, limits.PIPE_READ_BYTES)
        except BlockingIOError:
            return 0
        if not data:
            self.at_end = True
            self._poll.unregister(self._pipe)
            return 0
        self._heard_at = time.monotonic()
        self._owed_bytes -= len(data)
        self._output.feed(data)
        if self._updates is not None:
            self._updates.changed = True
        if len(data) >= limits.FLOOD_BYTES:
            time.sleep(limits.FLOOD_PAUSE_SECONDS)
        return len(data)


class Updates:
    """Passes the end of the output to the event loop: now and then, and never two at a time."""

    def __init__(self, loop: asyncio.AbstractEventLoop, on_output: OnOutput) -> None:
        self.changed = False
        self._loop = loop
        self._on_output = on_output
        self._sent_at = 0.0
        self._under_way = False
        self._closed = False

    def due_in(self) -> float | None:
        """Seconds until the next update may be sent; None if there is none to send."""
        if not self.changed:
            return None
        return max(0.0, self._sent_at + 1 / limits.UPDATES_PER_SECOND - time.monotonic())

    def offer(self, output: CommandOutput) -> None:
        if self.due_in() != 0.0:
            return
        self._sent_at = time.monotonic()
        if self._under_way:
            return
        self.changed = False
        self._under_way = True
        with contextlib.suppress(RuntimeError):  # the loop is closed
            self._loop.call_soon_threadsafe(self._deliver, output.latest())

    def close(self) -> None:
        self._closed = True

    def _deliver(self, text: str) -> None:
        self._under_way = False
        if not self._closed:
            self._on_output(text)


class WakePipe:
    """Ends a thread's waiting in `poll` from another thread."""

    def __init__(self) -> None:
        self.reader, self._writer = os.pipe()
        os.set_blocking(self.reader, False)
        os.set_blocking(self._writer, False)
        self._lock = threading.Lock()
        self._open = True

    def set(self) -> None:
        with self._lock, contextlib.suppress(BlockingIOError):
            if self._open:
                os.write(self._writer, b"!")

    def clear(self) -> None:
        with contextlib.suppress(BlockingIOError):
            os.read(self.reader, 512)

    def close(self) -> None:
        with self._lock:
            self._open = False
            os.close(self.reader)
            os.close(self._writer)


def _exit_descriptor(pid: int) -> int | None:
    """A descriptor that becomes readable when the process ends; None where the system has none."""
    if not hasattr(os, "pidfd_open"):
        return None
    try:
        return os.pidfd_open(pid)
    except OSError:
        return None


def _bytes_in(pipe: int) -> int:
    return int.from_bytes(fcntl.ioctl(pipe, termios.FIONREAD, bytes(4)), sys.byteorder)
