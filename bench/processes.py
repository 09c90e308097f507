"""CPU time and memory of a running process, from `/proc`."""

from __future__ import annotations

import os
import time
from pathlib import Path

TICKS_PER_SECOND = os.sysconf("SC_CLK_TCK")
QUIET_SECONDS = 0.3
"""A process that used no CPU for so long is at rest."""


def cpu_seconds(pid: int) -> float:
    """User and system time of all threads, children left out; resolution 10 ms."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS_PER_SECOND


def resident_megabytes(pid: int) -> float:
    """RSS in units of 10^6 bytes."""
    return _status_megabytes(pid, "VmRSS:")


def peak_megabytes(pid: int) -> float:
    """The highest RSS since `reset_peak`, in units of 10^6 bytes."""
    return _status_megabytes(pid, "VmHWM:")


def reset_peak(pid: int) -> None:
    """Lets the peak begin anew at what is resident now."""
    Path(f"/proc/{pid}/clear_refs").write_text("5")


def has_loaded(pid: int, library: str) -> bool:
    """Whether a shared library with `library` in its path is mapped."""
    return library in Path(f"/proc/{pid}/maps").read_text()


def wait_until_quiet(pid: int, timeout: float = 60.0) -> None:
    """Waits until a process has used no CPU for `QUIET_SECONDS`; a blinking cursor's tick is tolerated."""
    deadline = time.monotonic() + timeout
    used = cpu_seconds(pid)
    while time.monotonic() < deadline:
        time.sleep(QUIET_SECONDS)
        now = cpu_seconds(pid)
        if now - used <= 2 / TICKS_PER_SECOND:
            return
        used = now


def _status_megabytes(pid: int, name: str) -> float:
    for line in Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith(name):
            return int(line.split()[1]) * 1024 / 1e6
    raise ValueError(f"no {name} of process {pid}")
