"""From the command to its answer or its prompt, and what it costs to wait there."""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable

from bench.processes import has_loaded, resident_megabytes, wait_until_quiet
from bench.setting import LAUNCH_SECONDS, PROJECT_NAME, SDK_LIBRARY, WIRES, Setting
from bench.table import Row, compare
from tests.support.fakellm import in_process


def version(setting: Setting) -> list[Row]:
    commands = setting.contenders([sys.executable, "-c", "pass"], "--version")
    seconds = interleaved(3 * setting.runs, {name: _runner(setting, c) for name, c in commands.items()})
    return compare("pi --version", "s", seconds, "python -c pass", at_most_floors=4)


def launch(setting: Setting) -> list[Row]:
    commands = setting.contenders(setting.floor("bare_app.py"))
    seconds = interleaved(setting.runs, {name: launcher(setting, c) for name, c in commands.items()})
    return compare("launch to prompt", "s", seconds, "bare Textual app", at_most_floors=1.4)


def memory(setting: Setting) -> list[Row]:
    megabytes = {}
    for name, command in setting.contenders(setting.floor("bare_app.py")).items():
        with setting.launched(command) as terminal:
            wait_until_quiet(terminal.pid)
            megabytes[name] = resident_megabytes(terminal.pid)
            if name == "pi" and has_loaded(terminal.pid, SDK_LIBRARY):
                raise RuntimeError("an SDK is loaded at the idle prompt although no provider was chosen")
    return compare("RSS at the idle prompt, no SDK loaded", "MB", megabytes, "bare Textual app", at_most=100)


def print_mode(setting: Setting) -> list[Row]:
    rows = []
    for api, sdk in WIRES.items():
        with in_process() as server:
            server.script({"default": {"text": "hello to you"}})
            setting.use(server, api)
            host = server.url.removeprefix("http://")
            commands = setting.contenders(setting.floor("exchange.py", host, "hello"), "-p", "hello")
            timed = {name: _runner(setting, c) for name, c in commands.items()}
            seconds = interleaved(setting.runs, timed)
        rows += compare(f"pi -p, {sdk} wire", "s", seconds, "bare Python, same exchange")
    return rows


def _runner(setting: Setting, command: list[str]) -> Callable[[], float]:
    def run() -> float:
        start = time.perf_counter()
        setting.run(command)
        return time.perf_counter() - start

    return run


def launcher(setting: Setting, command: list[str]) -> Callable[[], float]:
    def launch_once() -> float:
        with setting.terminal(command) as terminal:
            return terminal.wait_for_output(PROJECT_NAME, LAUNCH_SECONDS) - terminal.started

    return launch_once


def interleaved(runs: int, measurements: dict[str, Callable[[], float]]) -> dict[str, float]:
    """The median of each, taken in turns so that a busy moment hits all; one turn before warms the caches."""
    taken: dict[str, list[float]] = {name: [] for name in measurements}
    for turn in range(runs + 1):
        for name, measure in measurements.items():
            value = measure()
            if turn > 0:
                taken[name].append(value)
    return {name: statistics.median(values) for name, values in taken.items()}
