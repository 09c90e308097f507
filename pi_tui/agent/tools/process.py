"""Running one command to its end: by itself, by time, or by the user.

A thread of its own owns the command from start to end, so that neither gigabytes of output nor a process that
will not die are ever in the way of the event loop.
"""

import asyncio
import contextlib
import fcntl
import os
import signal
import subprocess
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from pi_tui.agent.tools import limits, live_commands, process_tree
from pi_tui.agent.tools.command_output import CommandOutput
from pi_tui.agent.tools.process_watch import OnOutput, Updates, WakePipe, Watch

StopReason = Literal["cancelled", "timeout"]


@dataclass(frozen=True)
class CommandSpec:
    """What to run.

    `timeout` is in seconds. `output_folder` is where a long output is kept in full. `tap` gets every piece of the
    output, in the command's thread; while it does not return, nothing more is read.
    """

    arguments: tuple[str, ...]
    cwd: Path
    environ: Mapping[str, str]
    output_folder: Path
    timeout: float | None = None
    tap: Callable[[bytes], None] | None = None


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
        # It had ended by itself, but whoever cancelled must see that this was noticed.
        result.stopped = "cancelled"
    return result


class _Command(threading.Thread):
    def __init__(
        self, spec: CommandSpec, loop: asyncio.AbstractEventLoop, on_output: OnOutput | None
    ) -> None:
        super().__init__(name="command", daemon=True)
        self.finished: asyncio.Future[CommandResult] = loop.create_future()
        self._spec = spec
        self._loop = loop
        self._updates = Updates(loop, on_output) if on_output is not None else None
        self._output = CommandOutput(spec.output_folder, spec.tap)
        self._wake = WakePipe()
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
        try:
            process, pipe = _spawn(self._spec, mark)
        except BaseException:
            live_commands.release(mark)
            raise
        live_commands.register(mark, process.pid)
        try:
            watch = Watch(process, pipe, self._wake, self._output, self._updates)
            ending = self._follow(watch, mark, started)
        except BaseException:
            process_tree.send(signal.SIGKILL, process.pid, ())
            os.close(pipe)
            raise
        finally:
            self._output.close_file()
            live_commands.release(mark)
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

    def _follow(self, watch: Watch, mark: str, started: float) -> "_Ending | None":
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
        self.alive = process_tree.tree({self._group}, {self._mark}, known=self.alive)
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


def _swallow(pipe: int) -> None:
    """Read a pipe to its end, so that what still writes to it is not ended by SIGPIPE."""
    os.set_blocking(pipe, True)
    with open(pipe, "rb", buffering=0) as rest:
        while rest.read(limits.PIPE_READ_BYTES):
            pass
