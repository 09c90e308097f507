"""What a program pays that drives pi by RPC: the first response, and each one after it."""

from __future__ import annotations

import json
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from bench.setting import Setting
from bench.startup import interleaved
from bench.table import Row, compare

COMMANDS = 2_000


def rpc(setting: Setting) -> list[Row]:
    commands = setting.contenders(setting.floor("echo.py"), "--mode", "rpc", "--no-session")
    launches = {name: _first_response(setting, command) for name, command in commands.items()}
    rows = compare(
        "RPC: launch to first response", "s", interleaved(setting.runs, launches), "Python that echoes"
    )
    turns: dict[str, float] = {}
    pipelined: dict[str, float] = {}
    for name, command in commands.items():
        with _client(setting, command) as client:
            client.ask(1)
            turns[name] = client.timed(COMMANDS // 4, at_once=1) * 1_000
            pipelined[name] = client.timed(COMMANDS, at_once=COMMANDS) * 1_000
    rows += compare("RPC: one command, answered before the next", "ms", turns, "Python that echoes")
    rows += compare(f"RPC: one of {COMMANDS:,} commands in a row", "ms", pipelined, "Python that echoes")
    return rows


class _Client:
    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._stdin, self._stdout = process.stdin, process.stdout

    def ask(self, count: int) -> None:
        """So many commands at once, and their responses."""
        line = json.dumps({"id": "1", "type": "get_state"}).encode() + b"\n"
        self._stdin.write(line * count)
        self._stdin.flush()
        for _ in range(count):
            if not self._stdout.readline():
                raise RuntimeError("the program has ended")

    def timed(self, count: int, at_once: int) -> float:
        """Seconds for one of `count` commands."""
        start = time.perf_counter()
        for _ in range(count // at_once):
            self.ask(at_once)
        return (time.perf_counter() - start) / count


@contextmanager
def _client(setting: Setting, command: list[str]) -> Iterator[_Client]:
    with subprocess.Popen(
        command,
        env=setting.env,
        cwd=setting.project,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
    ) as process:
        try:
            yield _Client(process)
        finally:
            assert process.stdin is not None
            process.stdin.close()
            process.wait(30)


def _first_response(setting: Setting, command: list[str]) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        with _client(setting, command) as client:
            client.ask(1)
            return time.perf_counter() - start

    return run
