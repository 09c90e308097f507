"""A session as an HTML page: `pi --export`, its time and the most memory it takes."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

from bench.setting import ROOT, Setting
from bench.table import Row

MEGABYTES = 100
ENTRIES = 20_000
MOST_RUNS = 3


def export(setting: Setting) -> list[Row]:
    """A file of 20,000 entries, exported by a process of its own."""
    file = setting.root / "session.jsonl"
    _write_session(file, setting.project)
    arguments = ["--export", str(file)]
    commands = {"": setting.pi(*arguments)}
    if setting.reference:
        commands["reference: "] = [*setting.reference, *arguments]
    rows: list[Row] = []
    for who, command in commands.items():
        runs = [_run(setting, command) for _ in range(min(setting.runs, MOST_RUNS))]
        seconds, peaks, sizes = zip(*runs, strict=True)
        limits = (10, 4 * MEGABYTES) if not who else (None, None)
        what = f"{who}{MEGABYTES} MB session to HTML"
        note = f"page: {max(sizes):.0f} MB"
        rows.append(Row(what, statistics.median(seconds), "s", at_most=limits[0], note=note))
        rows.append(Row(f"{what}: peak RSS", max(peaks), "MB", at_most=limits[1]))
    return rows


def _write_session(file: Path, project: Path) -> None:
    """In a process of its own: what this one ever held would count as its children's peak."""
    size = ["--entries", str(ENTRIES), "--megabytes", str(MEGABYTES), "--cwd", str(project)]
    subprocess.run([sys.executable, "-m", "bench.sessions", str(file), *size], cwd=ROOT, check=True)


def _run(setting: Setting, command: list[str]) -> tuple[float, float, float]:
    """Seconds, and in units of 10^6 bytes the peak RSS and the page's size."""
    out = setting.root / "page.html"
    out.unlink(missing_ok=True)
    began = time.perf_counter()
    process = subprocess.Popen(
        [*command, str(out)],
        cwd=setting.project,
        env=setting.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert process.stderr is not None
    complaint = process.stderr.read().decode(errors="replace")
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode != 0 or not out.exists():
        raise RuntimeError(f"{' '.join(command)} failed: {complaint[-1000:]}")
    return time.perf_counter() - began, usage.ru_maxrss * 1024 / 1e6, Path(out).stat().st_size / 1e6
