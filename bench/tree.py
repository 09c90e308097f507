"""The session tree of a long session: opening it, moving in it, searching it."""

from __future__ import annotations

import re
import statistics
import time

from bench.keys import Latency, Typist
from bench.opening import ENTRIES, MOST_RUNS
from bench.processes import wait_until_quiet
from bench.sessions import LAST_WORDS, SessionWriter
from bench.setting import Setting
from bench.table import Row, compare
from tests.e2e.pseudo_terminal import PseudoTerminal
from tests.support.fakellm import in_process

MEGABYTES = 100
TITLE = "Session tree"
COMMAND = "/tree"
PLACE = re.compile(rb"([\d,]+)/([\d,]{3,})")
SEARCHES = ("stream", "that is all", "parser tokens")
"""Words of which most entries, one, and some have."""
MOVES = 60
KEYS_OF_FLOOR = 40
PAUSE = 0.06
"""Seconds between two keys."""
PAINT_SECONDS = 60.0
FLOOR_IS = "bare Textual app, key to paint"


def tree(setting: Setting) -> list[Row]:
    """20,000 entries in 100 MB, forty branches deep."""
    file = setting.root / "tree.jsonl"
    SessionWriter(entries=ENTRIES, megabytes=MEGABYTES, cwd=str(setting.project)).write(file)
    opening: list[float] = []
    moving: list[float] = []
    searching: list[float] = []
    with in_process() as server:
        setting.use(server)
        with setting.launched(setting.floor("bare_app.py")) as terminal:
            typist = Typist(terminal)
            typist.type(KEYS_OF_FLOOR)
        for _ in range(min(setting.runs, MOST_RUNS)):
            with setting.launched(setting.pi("--session", str(file)), shown=LAST_WORDS) as terminal:
                wait_until_quiet(terminal.pid)
                opening.append(_open(terminal))
                moving += _move(terminal)
                searching += _search(terminal)
    floor = Latency.of(typist.seconds)
    moves, keystrokes = Latency.of(moving), Latency.of(searching)
    what = f"tree of {ENTRIES:,} entries, {MEGABYTES} MB"
    opened = {"pi": statistics.median(opening) * 1000, "floor": floor.p50}
    moved = {"pi": moves.p95, "floor": floor.p95}
    searched = {"pi": keystrokes.p95, "floor": floor.p95}
    note = f"worst {max(opening) * 1000:.0f}, n={len(opening)}"
    return [
        *compare(f"{what}: open to first paint", "ms", opened, FLOOR_IS, at_most=150, note=note),
        *compare(f"{what}: key to paint, p95", "ms", moved, FLOOR_IS, at_most=30, note=moves.note),
        *compare(
            f"{what}: search, keystroke, p95", "ms", searched, FLOOR_IS, at_most=100, note=keystrokes.note
        ),
    ]


def _open(terminal: PseudoTerminal) -> float:
    terminal.send(COMMAND)
    wait_until_quiet(terminal.pid)
    return _pressed(terminal, "\r", TITLE)


def _move(terminal: PseudoTerminal) -> list[float]:
    """Up from the last entry: the place in the title goes down by one with every key."""
    place, rows = _place(terminal)
    seconds = []
    for step in range(1, MOVES + 1):
        seconds.append(_pressed(terminal, "\x1b[A", f"{place - step:,}/{rows:,}"))
        time.sleep(PAUSE)
    return seconds


def _search(terminal: PseudoTerminal) -> list[float]:
    """Each letter until it is shown, with what it finds."""
    seconds = []
    for query in SEARCHES:
        for end in range(1, len(query) + 1):
            letter = query[end - 1]
            if letter == " ":
                terminal.send(letter)
            else:
                seconds.append(_pressed(terminal, letter, query[:end]))
            time.sleep(PAUSE)
        terminal.press("escape")
        wait_until_quiet(terminal.pid)
    return seconds


def _pressed(terminal: PseudoTerminal, keys: str, shown: str) -> float:
    """Seconds from a key to the paint that has `shown` in it."""
    mark, began = terminal.written, time.perf_counter()
    terminal.send(keys)
    return terminal.wait_for_output(shown, PAINT_SECONDS, since=mark) - began


def _place(terminal: PseudoTerminal) -> tuple[int, int]:
    """The number of the selected row and of all rows, as the title has them."""
    *_, found = PLACE.finditer(terminal.raw)
    place, rows = (int(text.replace(b",", b"")) for text in found.groups())
    return place, rows
