"""What it costs to show an answer as it comes."""

from __future__ import annotations

import time
from typing import Any

from bench.conversation import ANSWER_SECONDS, LAST_WORDS, answer, answering, ask
from bench.processes import cpu_seconds, wait_until_quiet
from bench.setting import Setting
from bench.table import Row, compare
from tests.support.fakellm import in_process

FLOOR_IS = "bare Python decoding the stream"


def full_speed(setting: Setting) -> list[Row]:
    """20,000 tokens of Markdown as fast as they are taken."""
    seconds = _cpu(setting, answer(20_000))
    return compare("CPU, 20,000 tokens at full speed", "s", seconds, FLOOR_IS, at_most=2.5)


def paced(setting: Setting) -> list[Row]:
    """1,000 tokens at 100 a second."""
    seconds = _cpu(setting, answer(1_000, rate=100))
    return compare("CPU, 10 s at 100 tokens/s", "s", seconds, FLOOR_IS)


def demo(setting: Setting) -> list[Row]:
    """The demo's first answer, at its own pace, from Enter to rest."""
    with setting.launched(setting.pi("--demo")) as terminal:
        wait_until_quiet(terminal.pid)
        began, before = time.perf_counter(), cpu_seconds(terminal.pid)
        terminal.send("Show me around\r")
        terminal.wait_until_silent(2.0, ANSWER_SECONDS)
        used, wall = cpu_seconds(terminal.pid) - before, time.perf_counter() - began
    return [Row("CPU, the demo's tour", used, "s", note=f"over {wall:.0f} s")]


def _cpu(setting: Setting, script: dict[str, Any]) -> dict[str, float]:
    """CPU seconds for one answer: of `pi` and the reference from Enter to rest, of the floor as a whole."""
    used = {}
    with in_process() as server:
        setting.use(server)
        server.script({"default": script})
        host = server.url.removeprefix("http://")
        for name, command in setting.contenders(setting.floor("exchange.py", host, "go")).items():
            if name == "floor":
                with setting.terminal(command) as terminal:
                    terminal.wait_for_exit(ANSWER_SECONDS)
                    assert terminal.usage is not None
                    used[name] = terminal.usage.ru_utime + terminal.usage.ru_stime
            else:
                with answering(setting, command, server) as terminal:
                    server.script({"default": script})
                    before, mark = cpu_seconds(terminal.pid), terminal.written
                    ask(terminal)
                    terminal.wait_for_output(LAST_WORDS, ANSWER_SECONDS, since=mark)
                    wait_until_quiet(terminal.pid)
                    used[name] = cpu_seconds(terminal.pid) - before
    return used
