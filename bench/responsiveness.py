"""Keypress to paint: idle, while answers come, while an SDK is imported, under hostile output."""

from __future__ import annotations

import time
from typing import Any

from bench.conversation import LAST_WORDS, answer, answering, ask
from bench.keys import Latency, Typist
from bench.processes import has_loaded, resident_megabytes, wait_until_quiet
from bench.setting import SDK_LIBRARY, WIRES, Setting
from bench.table import Row, compare
from tests.e2e.pseudo_terminal import PseudoTerminal
from tests.support.fakellm import in_process

SAMPLES = 100
"""Key presses a latency is judged by."""
IMPORT_SECONDS = 15.0
SETTLED_SECONDS = 0.6
FLOOR_IS = "bare Textual app, idle"


def idle(setting: Setting) -> list[Row]:
    """Typing at an idle prompt, beside a bare text area."""
    commands = setting.contenders(setting.floor("bare_app.py"))
    return _rows("key to paint, idle", {name: _keys_at_rest(setting, c) for name, c in commands.items()})


def streaming(setting: Setting) -> list[Row]:
    """Typing while an answer comes at full speed, and at 100 tokens a second."""
    rows = []
    answers = {"at full speed": answer(20_000), "at 100 tokens/s": answer(1_500, rate=100)}
    commands = setting.contenders(setting.floor("bare_app.py"))
    floor = _keys_at_rest(setting, commands.pop("floor"))
    for how, script in answers.items():
        measured = {name: _keys_during_answers(setting, c, script) for name, c in commands.items()}
        rows += _rows(f"key to paint, streaming {how}", measured | {"floor": floor})
    return rows


def importing(setting: Setting) -> list[Row]:
    """Typing from the first paint on, until the SDK that the model needs has been imported."""
    rows = []
    floor = _keys_at_rest(setting, setting.floor("bare_app.py"))
    for api, sdk in WIRES.items():
        with in_process() as server:
            setting.use(server, api)
            with setting.launched(setting.pi()) as terminal:
                typist = Typist(terminal, pause=0.03)
                typist.type_while(_Importing(terminal))
                typist.type(10)
                measured = {"pi": typist.latency(), "floor": floor}
        rows += _rows(f"key to paint, {sdk} being imported", measured)
    return rows


def hostile(setting: Setting) -> list[Row]:
    """Typing while tools return lines of 100,000 characters and thousands of escape sequences."""
    line = "printf '%0100000d\\n' 7"
    colours = "for i in $(seq 4000); do printf '\\e[3%dm%d[/x]\\e[0m日本 ' $((i%8)) $i; done"
    calls = [{"name": "bash", "arguments": {"command": f"for k in 1 2 3 4; do {line}; {colours}; done"}}]
    with in_process() as server, answering(setting, setting.pi(), server) as terminal:
        server.push({"tool_calls": calls}, {"tool_calls": calls}, {"text": LAST_WORDS})
        worst = Latency.of(_keys_during_one_answer(terminal))
    row = Row("key to paint, hostile tool output, worst", worst.worst, "ms", at_most=100, note=worst.note)
    return [row]


def _keys_during_answers(setting: Setting, command: list[str], script: dict[str, Any]) -> Latency:
    """Asks again until there are samples enough; only keys pressed before the last words count."""
    seconds: list[float] = []
    with in_process() as server, answering(setting, command, server) as terminal:
        server.script({"default": script})
        while len(seconds) < SAMPLES:
            seconds += _keys_during_one_answer(terminal)
            terminal.press("ctrl+u")
            wait_until_quiet(terminal.pid)
    return Latency.of(seconds)


def _keys_during_one_answer(terminal: PseudoTerminal) -> list[float]:
    mark = terminal.written
    typist = ask(terminal)
    typist.type_while(lambda: not terminal.has_written(LAST_WORDS, since=mark))
    return typist.seconds


class _Importing:
    """True until an SDK has been imported: its library is mapped, and the process has stopped growing."""

    def __init__(self, terminal: PseudoTerminal) -> None:
        self._pid = terminal.pid
        self._deadline = time.monotonic() + IMPORT_SECONDS
        self._size, self._grown = 0.0, time.monotonic()

    def __call__(self) -> bool:
        now = time.monotonic()
        if now > self._deadline:
            raise TimeoutError(f"no SDK was imported within {IMPORT_SECONDS} s of the first paint")
        if (size := resident_megabytes(self._pid)) > self._size + 0.5:
            self._size, self._grown = size, now
        return now - self._grown < SETTLED_SECONDS or not has_loaded(self._pid, SDK_LIBRARY)


def _keys_at_rest(setting: Setting, command: list[str]) -> Latency:
    with setting.launched(command) as terminal:
        wait_until_quiet(terminal.pid)
        typist = Typist(terminal)
        typist.type(SAMPLES)
        return typist.latency()


def _rows(name: str, measured: dict[str, Latency]) -> list[Row]:
    p50 = {who: latency.p50 for who, latency in measured.items()}
    p95 = {who: latency.p95 for who, latency in measured.items()}
    note = measured["pi"].note
    return [
        *compare(f"{name}, p50", "ms", p50, FLOOR_IS),
        *compare(f"{name}, p95", "ms", p95, FLOOR_IS, at_most=30, note=note),
    ]
