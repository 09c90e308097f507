"""The list of sessions over 5,000 files of together 2 GB: to its first page, and typing in it meanwhile."""

from __future__ import annotations

import json
import os
import shutil
import statistics
import time

from bench.keys import Typist
from bench.processes import wait_until_quiet
from bench.sessions import SessionWriter
from bench.setting import LAUNCH_SECONDS, ROWS, Setting
from bench.table import Row
from pi_tui.session.folder import folder_name
from tests.e2e.pseudo_terminal import PseudoTerminal
from tests.support.fakellm import in_process

FILES = 5_000
GIGABYTES = 2.0
ENTRIES = 300
"""Of each session."""
NEWEST_AT = 1_750_000_000
"""Unix seconds at which the newest session was written to; each older one a minute before."""
SHOWN = ROWS - 10
"""A first page has at least so many sessions."""
READ_SECONDS = 300.0
"""The longest it may take until all files are read."""
KEYS = 40
MOST_RUNS = 5


def resume(setting: Setting) -> list[Row]:
    """Cold is without the metadata of earlier lists; the files themselves are in the system's cache."""
    _write_sessions(setting)
    cache = setting.root / "cache"
    cold: list[float] = []
    warm: list[float] = []
    launches: list[float] = []
    runs = min(setting.runs, MOST_RUNS)
    with in_process() as server:
        setting.use(server)
        for _ in range(runs):
            shutil.rmtree(cache, ignore_errors=True)
            with setting.launched(setting.pi()) as terminal:
                cold.append(_first_page(terminal))
        with setting.launched(setting.pi()) as terminal:
            _first_page(terminal)
            typist = Typist(terminal)
            typist.type(KEYS)
            wait_until_quiet(terminal.pid, READ_SECONDS)
        for _ in range(runs):
            with setting.launched(setting.pi()) as terminal:
                warm.append(_first_page(terminal))
            with setting.terminal(setting.pi("-r")) as terminal:
                launches.append(_page_shown(terminal, 0) - terminal.started)
    latency = typist.latency()
    what = f"{FILES:,} sessions, {GIGABYTES:g} GB"
    return [
        Row(f"{what}: /resume to first page, cold", 1000 * statistics.median(cold), "ms", at_most=300),
        Row(f"{what}: /resume to first page, warm", 1000 * statistics.median(warm), "ms", at_most=150),
        Row(f"{what}: pi -r, launch to first page, warm", statistics.median(launches), "s"),
        Row(f"{what}: key to paint while all is read, p95", latency.p95, "ms", note=latency.note),
    ]


def _first_page(terminal: PseudoTerminal) -> float:
    """Seconds from Enter to the first page."""
    wait_until_quiet(terminal.pid)
    terminal.send("/resume")
    terminal.wait_for_output("go on with another session")
    terminal.wait_until_silent(0.3, 10)
    mark, pressed = terminal.written, time.perf_counter()
    terminal.press("enter")
    return _page_shown(terminal, mark) - pressed


def _page_shown(terminal: PseudoTerminal, since: int) -> float:
    """When the newest sessions, as many as a page has, were on screen."""
    return max(
        terminal.wait_for_output(_title(FILES - 1 - place), LAUNCH_SECONDS, since=since)
        for place in (0, SHOWN - 1)
    )


def _title(number: int) -> str:
    return f"talk no. {number:05d}"


def _write_sessions(setting: Setting) -> None:
    """Files that differ in id and first message alone: made quickly, and read like any other."""
    folder = setting.agent_dir / "sessions" / folder_name(setting.project)
    folder.mkdir(parents=True)
    model = setting.root / "model.jsonl"
    megabytes = GIGABYTES * 1000 / FILES
    SessionWriter(entries=ENTRIES, megabytes=megabytes, cwd=str(setting.project)).write(model)
    first, rest = model.read_bytes().split(b"\n", 1)
    header = json.loads(first)
    for number in range(FILES):
        header["id"] = f"0197{number:04x}-0000-7000-8000-000000000000"
        said = {"role": "user", "content": _title(number), "timestamp": 0}
        entry = {
            "type": "message",
            "id": "f0000000",
            "parentId": None,
            "timestamp": header["timestamp"],
            "message": said,
        }
        path = folder / f"2026-01-01T00-00-00-000Z_{header['id']}.jsonl"
        path.write_bytes(f"{json.dumps(header)}\n{json.dumps(entry)}\n".encode() + rest)
        written = NEWEST_AT - 60 * (FILES - number)
        os.utime(path, (written, written))
