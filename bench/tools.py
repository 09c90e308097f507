"""Tools at their limits: gigabytes of output, huge files, many calls at once; memory, and keys meanwhile."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from bench.conversation import LAST_WORDS, answering, ask
from bench.keys import Latency, Typist
from bench.processes import cpu_seconds, peak_megabytes, reset_peak, wait_until_quiet
from bench.setting import Setting
from bench.table import Row, compare
from tests.e2e.pseudo_terminal import PseudoTerminal
from tests.support.fakellm import in_process

GIGABYTE = 1_000_000_000
EDITED_BYTES = 20_000_000
PARALLEL_READS = 100
LINE = "0123456789abcdef the quick brown fox jumps over the lazy dog, again and again and again\n"
ANSWER_SECONDS = 300.0
UPDATES = 200
"""Lines that a command prints one by one, each an update of its block."""
KEYS_OF_FLOOR = 60
FLOOR_IS = "bare Textual app, idle"

Calls = list[dict[str, Any]]


def tools(setting: Setting) -> list[Row]:
    """Each case in a client of its own, typing while the tools run."""
    with setting.launched(setting.floor("bare_app.py")) as terminal:
        wait_until_quiet(terminal.pid)
        typist = Typist(terminal)
        typist.type(KEYS_OF_FLOOR)
        floor = typist.latency()
    huge = _file(setting.project / "huge.txt", GIGABYTE)
    output = [_call("bash", command=f"cat {huge.name}")]
    rows = _case(setting, "1 GB of bash output", output, floor, memory_at_most=60)
    rows += _case(setting, "read of a 1 GB file", [_call("read", path=huge.name)], floor, memory_at_most=60)
    huge.unlink()
    large = _file(setting.project / "large.txt", EDITED_BYTES, last="the end of it\n")
    edit = [_call("edit", path=large.name, edits=[{"oldText": "the end of it", "newText": "an end"}])]
    rows += _case(setting, "edit of a 20 MB file", edit, floor)
    # Each goes through the whole file, and shows little of it: the conversation stays within the model's window.
    reads = [
        _call("read", path=large.name, offset=number * 100 + 1, limit=20) for number in range(PARALLEL_READS)
    ]
    rows += _case(setting, f"{PARALLEL_READS} reads at once", reads, floor)
    return [*rows, _updates(setting)]


def _case(
    setting: Setting, name: str, calls: Calls, floor: Latency, memory_at_most: float | None = None
) -> list[Row]:
    with in_process() as server, answering(setting, setting.pi(), server) as terminal:
        server.push({"tool_calls": calls}, {"text": LAST_WORDS})
        reset_peak(terminal.pid)
        before = peak_megabytes(terminal.pid)
        latency = _keys_until_answered(terminal)
        grown = peak_megabytes(terminal.pid) - before
    keys = {"pi": latency.p95, "floor": floor.p95}
    return [
        *compare(f"key to paint, {name}, p95", "ms", keys, FLOOR_IS, at_most=30, note=latency.note),
        Row(f"peak memory, {name}", grown, "MB", at_most=memory_at_most, note="growth of RSS"),
    ]


def _updates(setting: Setting) -> Row:
    """CPU time for each update of a block that streams coloured output."""
    command = f"for i in $(seq {UPDATES}); do printf '\\e[32mok\\e[0m %d {LINE[:60]}\\n' $i; sleep 0.05; done"
    with in_process() as server, answering(setting, setting.pi(), server) as terminal:
        server.push({"tool_calls": [_call("bash", command=command)]}, {"text": LAST_WORDS})
        mark, used = terminal.written, cpu_seconds(terminal.pid)
        ask(terminal)
        terminal.wait_for_output(LAST_WORDS, ANSWER_SECONDS, since=mark)
        used = cpu_seconds(terminal.pid) - used
    return Row("CPU for an update of streaming output", used / UPDATES * 1000, "ms", at_most=15)


def _keys_until_answered(terminal: PseudoTerminal) -> Latency:
    mark = terminal.written
    typist = ask(terminal)
    typist.type_while(lambda: not terminal.has_written(LAST_WORDS, since=mark))
    return typist.latency()


def _call(name: str, **arguments: Any) -> dict[str, Any]:
    return {"name": name, "arguments": arguments}


def _file(path: Path, size: int, last: str = "") -> Path:
    """A text file of about `size` bytes."""
    block = LINE.encode() * 10_000
    with path.open("wb") as file:
        for _ in range(size // len(block)):
            file.write(block)
        file.write(last.encode())
    return path
