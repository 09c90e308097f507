"""Running one shell command: its processes, its output as it comes, and its end by itself, by time or by the
user.

A thread of its own owns the command from start to end, so that neither gigabytes of output nor a process that
will not die are ever in the way of the event loop.
"""

import asyncio
import contextlib
import fcntl
import os
import select
import signal
import subprocess
import sys
import termios
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pi_tui.agent.tools import limits, live_commands, process_tree
from pi_tui.agent.tools.command_output import CommandOutput

StopReason = Literal["cancelled", "timeout"]
OnOutput = Callable[[str], None]


@dataclass(frozen=True)
class CommandSpec:
    """What to run.

    `timeout` is in seconds. `output_folder` is where a long output is kept in full.
    """

    arguments: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    output_folder: Path
    timeout: float | None = None


@dataclass
class CommandResult:
    """How a command ended. `exit_code` is 128 + n for signal n, None if the shell could not be ended."""

    output: CommandOutput
    exit_code: int | None
    stopped: StopReason | None
    duration_ms: int
    pipe_is_held: bool
    """Something in the background can still write to the output."""
    survivors: list[int] = field(default_factory=list)
    """Processes that even KILL did not end in time."""


async def run_command(spec: CommandSpec, on_output: OnOutput | None = None) -> CommandResult:
    """Run a command to its end.

    Being cancelled ends the command and everything it started; what it printed is returned as ever, with
    `stopped` saying so. Being cancelled once more kills at once.

    Args:
        on_output: Called on the event loop with the coloured end of the output, at most
            `limits.UPDATES_PER_SECOND` times a second.

    Raises:
        OSError, ValueError: It could not be started.
    """
    command = _Command(spec, asyncio.get_running_loop(), on_output)
    command.start()
    cancelled = False
    while not command.finished.done():
        try:
            await asyncio.wait([command.finished])
        except asyncio.CancelledError:
            cancelled = True
            command.stop()
    result = command.finished.result()
    if cancelled and result.stopped is None:
        result.stopped = (
            "cancelled"  # it had ended by itself, but whoever cancelled must see that it was noticed
        )
    return result


class _Command(threading.Thread):
    def __init__(
        self, spec: CommandSpec, loop: asyncio.AbstractEventLoop, on_output: OnOutput | None
    ) -> None:
        super().__init__(name="command", daemon=True)
        self.finished: asyncio.Future[CommandResult] = loop.create_future()
        self._spec = spec
        self._loop = loop
        self._updates = _Updates(loop, on_output) if on_output is not None else None
        self._output = CommandOutput(spec.output_folder)
        self._wake = _WakePipe()
        self._stop_requests = 0

    def stop(self) -> None:
        """End the command; a second time: without waiting for it to end well. From any thread."""
        self._stop_requests += 1
        self._wake.set()

    def run(self) -> None:
        result: CommandResult | BaseException
        pipe: int | None = None
        try:
            result, pipe = self._run_to_the_end()
        except BaseException as error:  # noqa: BLE001 - it is raised where the command was asked for
            result = error
        self._wake.close()
        if self._updates is not None:
            self._updates.close()
        self._report(result)
        if pipe is not None:
            threading.Thread(target=_swallow, args=(pipe,), name="background output", daemon=True).start()

    def _report(self, result: CommandResult | BaseException) -> None:
        def finish() -> None:
            if self.finished.done():
                return
            if isinstance(result, BaseException):
                self.finished.set_exception(result)
            else:
                self.finished.set_result(result)

        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            self._loop.call_soon_threadsafe(finish)

    def _run_to_the_end(self) -> tuple[CommandResult, int | None]:
        started = time.monotonic()
        mark = live_commands.new_mark()
        process, pipe = _spawn(self._spec, mark)
        live_commands.register(process.pid, mark)
        try:
            watch = _Watch(process, pipe, self._wake, self._output, self._updates)
            ending = self._follow(watch, mark, started)
        except BaseException:
            process_tree.send(signal.SIGKILL, process.pid, ())
            os.close(pipe)
            raise
        finally:
            self._output.close_file()
            live_commands.release(process.pid)
        code = process.returncode
        result = CommandResult(
            output=self._output,
            exit_code=128 - code if code is not None and code < 0 else code,
            stopped=ending.reason if ending else None,
            duration_ms=int((time.monotonic() - started) * 1000),
            pipe_is_held=not watch.at_end,
            survivors=sorted(ending.alive) if ending else [],
        )
        if watch.at_end or ending:
            os.close(pipe)
            return result, None
        return result, pipe

    def _follow(self, watch: "_Watch", mark: str, started: float) -> "_Ending | None":
        """Read until the shell has ended and its output with it, or until it had to be ended."""
        deadline = None if self._spec.timeout is None else started + self._spec.timeout
        ending: _Ending | None = None
        while True:
            if ending is None and not watch.exited and self._stop_requests:
                ending = _Ending("cancelled", watch.process.pid, mark)
            if ending is None and not watch.exited and deadline is not None and time.monotonic() >= deadline:
                ending = _Ending("timeout", watch.process.pid, mark)
            if ending is not None:
                if ending.step(watch.exited, at_once=self._stop_requests > 1):
                    watch.read_what_is_there()
                    return ending
                watch.step(limits.KILL_POLL_SECONDS)
            elif watch.is_complete(cut_short=self._stop_requests > 0):
                return None
            else:
                watch.step(None if deadline is None or watch.exited else deadline - time.monotonic())


def _spawn(spec: CommandSpec, mark: str) -> tuple["subprocess.Popen[bytes]", int]:
    pipe, write_end = os.pipe()
    try:
        os.set_blocking(pipe, False)
        with contextlib.suppress(OSError, AttributeError):  # Linux only, and the user's pipes may be used up
            fcntl.fcntl(pipe, fcntl.F_SETPIPE_SZ, limits.PIPE_BYTES)
        process = subprocess.Popen(
            spec.arguments,
            stdin=subprocess.DEVNULL,
            stdout=write_end,
            stderr=write_end,
            cwd=spec.cwd,
            env={**spec.environ, process_tree.MARK: mark},
            start_new_session=True,
        )
    except BaseException:
        os.close(pipe)
        raise
    finally:
        os.close(write_end)
    return process, pipe


class _Watch:
    """Waits for output, for the shell's end and for being woken, whichever comes first."""

    def __init__(
        self,
        process: "subprocess.Popen[bytes]",
        pipe: int,
        wake: "_WakePipe",
        output: CommandOutput,
        updates: "_Updates | None",
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
        return len(data)


class _Ending:
    """Ends a command's processes: TERM, after a grace KILL, until none is left."""

    def __init__(self, reason: StopReason, group: int, mark: str) -> None:
        self.reason: StopReason = reason
        self.alive: set[int] = set()
        self._group = group
        self._mark = mark
        self._began = time.monotonic()
        self._terminated = False
        self._killing_since: float | None = None

    def step(self, shell_has_exited: bool, at_once: bool) -> bool:
        """Do what is next; True if all are gone, or given up on (then `alive` has them)."""
        now = time.monotonic()
        self.alive = process_tree.tree(self._group, self._mark, known=self.alive)
        if not self.alive and shell_has_exited:
            return True
        if not self._terminated:
            self._terminated = True
            process_tree.send(signal.SIGTERM, self._group, self.alive)
        if self._killing_since is None and (at_once or now - self._began >= limits.KILL_GRACE_SECONDS):
            self._killing_since = now
        if self._killing_since is not None:
            process_tree.send(signal.SIGKILL, self._group, self.alive)
            return now - self._killing_since >= limits.KILL_WAIT_SECONDS
        return False


class _Updates:
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


class _WakePipe:
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


def _swallow(pipe: int) -> None:
    """Read a pipe to its end, so that what still writes to it is not ended by SIGPIPE."""
    os.set_blocking(pipe, True)
    with open(pipe, "rb", buffering=0) as rest:
        while rest.read(limits.PIPE_READ_BYTES):
            pass
