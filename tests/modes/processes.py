"""`pi` as a process that speaks in records."""

import json
import os
import select
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from tests.support.written_models import PI, child_environment

Record = dict[str, Any]
PATIENCE = 60.0
"""Seconds: on a busy machine a start takes a while."""


class Process:
    """A running `pi`; its output is read only when a test asks for it."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self.process = process
        assert process.stdin is not None
        assert process.stdout is not None
        self.stdin = process.stdin.fileno()
        self.stdout = process.stdout.fileno()
        self._begun: list[bytes] = []
        self._lines: list[bytes] = []

    def write(self, data: bytes) -> None:
        while data:
            data = data[os.write(self.stdin, data) :]

    def send(self, kind: str, **fields: Any) -> None:
        self.write(json.dumps({"type": kind, **fields}).encode() + b"\n")

    def next(self) -> Record | None:
        """The next record; None at the end."""
        line = self._line()
        if line is None:
            return None
        record = json.loads(line)
        assert isinstance(record, dict) and isinstance(record["type"], str), line
        return record

    def until(self, wanted: Callable[[Record], bool]) -> list[Record]:
        """The records up to one that is wanted, with it."""
        found: list[Record] = []
        while (record := self.next()) is not None:
            found.append(record)
            if wanted(record):
                return found
        raise AssertionError(f"the output ended after {found[-3:]}")

    def response(self, command_id: str) -> Record:
        return self.until(lambda record: record["type"] == "response" and record.get("id") == command_id)[-1]

    def rest(self) -> list[Record]:
        """Everything until the end."""
        found = []
        while (record := self.next()) is not None:
            found.append(record)
        return found

    def close_input(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self) -> int:
        return self.process.wait(PATIENCE)

    def rss(self) -> int:
        """Bytes of memory it has now."""
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmRSS:")[2].split()[0]) * 1024

    def peak_rss(self) -> int:
        status = Path(f"/proc/{self.process.pid}/status").read_text()
        return int(status.partition("VmHWM:")[2].split()[0]) * 1024

    def _line(self) -> bytes | None:
        deadline = time.monotonic() + PATIENCE
        while not self._lines:
            ready, _, _ = select.select([self.stdout], [], [], max(0.0, deadline - time.monotonic()))
            if not ready:
                raise AssertionError("nothing came for a long time")
            piece = os.read(self.stdout, 1024 * 1024)
            if not piece:
                assert not any(self._begun), f"the last record has no line feed: {self._begun[:1]!r}"
                return None
            *lines, rest = piece.split(b"\n")
            if lines:
                lines[0] = b"".join([*self._begun, lines[0]])
                self._begun = []
            self._begun.append(rest)
            self._lines = lines[::-1]
        return self._lines.pop()


@contextmanager
def running(*argv: str, cwd: Path, **environ: str) -> Iterator[Process]:
    """`pi` with these options; it is gone at the end."""
    with running_command([*PI, *argv], cwd=cwd, **environ) as process:
        yield process


@contextmanager
def running_command(command: Sequence[str], *, cwd: Path, **environ: str) -> Iterator[Process]:
    """A program that speaks in records; it is gone at the end."""
    with subprocess.Popen(
        command,
        cwd=cwd,
        env=child_environment(**environ),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield Process(process)
        finally:
            if process.poll() is None:
                process.kill()


@contextmanager
def rpc(*argv: str, cwd: Path, **environ: str) -> Iterator[Process]:
    """RPC mode with the scripted model."""
    options = argv or ("--model", "test/scripted")
    with running("--mode", "rpc", *options, cwd=cwd, **environ) as process:
        yield process
