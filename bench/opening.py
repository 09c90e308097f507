"""Opening a long session: to the first paint with its end in it, and typing right afterwards."""

from __future__ import annotations

import statistics
from functools import partial

from bench.keys import Latency, Typist
from bench.processes import resident_megabytes
from bench.sessions import LAST_WORDS, SessionWriter
from bench.setting import LAUNCH_SECONDS, PROJECT_NAME, Setting
from bench.table import Row, compare
from tests.support.fakellm import in_process

ENTRIES = 20_000
KEYS_AFTERWARDS = 40
MOST_RUNS = 5


def opening(setting: Setting, megabytes: int) -> list[Row]:
    """A file of 20,000 entries that was never compacted: the worst case."""
    file = setting.root / f"{megabytes}.jsonl"
    SessionWriter(entries=ENTRIES, megabytes=megabytes, cwd=str(setting.project)).write(file)
    seconds: dict[str, list[float]] = {}
    keys: dict[str, list[float]] = {}
    memory: dict[str, float] = {}
    with in_process() as server:
        setting.use(server)
        commands = setting.contenders(setting.floor("bare_app.py"), "--session", str(file))
        for turn in range(min(setting.runs, MOST_RUNS) + 1):
            for name, command in commands.items():
                shown = [PROJECT_NAME] if name == "floor" else [LAST_WORDS, PROJECT_NAME]
                with setting.terminal(command) as terminal:
                    arrived = max(terminal.wait_for_output(text, LAUNCH_SECONDS) for text in shown)
                    typist = Typist(terminal)
                    typist.type(KEYS_AFTERWARDS)
                    memory[name] = resident_megabytes(terminal.pid)
                if turn > 0:
                    seconds.setdefault(name, []).append(arrived - terminal.started)
                    keys.setdefault(name, []).extend(typist.seconds)
    file.unlink()
    medians = {name: statistics.median(values) for name, values in seconds.items()}
    latencies = {name: Latency.of(values) for name, values in keys.items()}
    what = f"{megabytes} MB session"
    rows = compare(f"{what}: launch to first paint", "s", medians, "bare Textual app", at_most=1)
    p95 = {name: latency.p95 for name, latency in latencies.items()}
    note = latencies["pi"].note
    rows += compare(
        f"{what}: key to paint afterwards, p95", "ms", p95, "bare Textual app", at_most=30, note=note
    )
    # The multiple of the file's size is a promise for large files; below, Python and Textual weigh more.
    limit = 2.5 * megabytes if megabytes >= 100 else None
    rows += compare(f"{what}: RSS", "MB", memory, "bare Textual app", at_most=limit)
    return rows


opening_20 = partial(opening, megabytes=20)
opening_100 = partial(opening, megabytes=100)
