"""Finding and ending everything a command started.

A command runs in its own session, so its process group is found by number. What left the group (`setsid`, a
double fork) is found in `/proc`: by its parents, and by a variable that the command's environment carries.
Where there is no `/proc` (macOS) only the group is found.
"""

import os
import signal
import time
from collections.abc import Callable, Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from pi_tui.agent.tools import limits

MARK = "PI_COMMAND_ID"
"""The environment variable that tells which command a process belongs to."""

_PROC = Path("/proc")
_STATE, _PARENT, _GROUP, _SESSION = 0, 1, 2, 3


@dataclass(frozen=True)
class Process:
    pid: int
    parent: int
    group: int
    session: int


def processes() -> dict[int, Process]:
    """Every process that is not a zombie, by id; empty where there is no `/proc`."""
    found: dict[int, Process] = {}
    try:
        names = os.listdir("/proc")  # noqa: PTH208 - names are all that is needed
    except OSError:
        return found
    for name in names:
        if not name.isdigit():
            continue
        try:
            stat = (_PROC / name / "stat").read_bytes()
        except OSError:
            continue  # ended meanwhile
        fields = stat[stat.rindex(b")") + 2 :].split()
        if fields[_STATE] not in (b"Z", b"X"):
            pid = int(name)
            found[pid] = Process(pid, int(fields[_PARENT]), int(fields[_GROUP]), int(fields[_SESSION]))
    return found


def mark_of(pid: int) -> str | None:
    """The command a process belongs to, by its environment."""
    try:
        environment = (_PROC / str(pid) / "environ").read_bytes()
    except OSError:
        return None
    key = f"{MARK}=".encode()
    return next(
        (v[len(key) :].decode(errors="replace") for v in environment.split(b"\0") if v.startswith(key)), None
    )


def tree(groups: Collection[int], marks: Collection[str], known: Iterable[int] = ()) -> set[int]:
    """What lives of commands: their sessions, the descendants of these, what has their marks, what was `known`."""
    everything = processes()
    if not everything:
        return {group for group in groups if group_is_alive(group)}
    found = {p.pid for p in everything.values() if not {p.pid, p.group, p.session}.isdisjoint(groups)}
    found |= everything.keys() & set(known)
    children: dict[int, list[int]] = {}
    for process in everything.values():
        children.setdefault(process.parent, []).append(process.pid)
    queue = list(found)
    while queue:
        for child in children.get(queue.pop(), ()):
            if child not in found:
                found.add(child)
                queue.append(child)
    if marks:
        found |= {pid for pid in everything if pid not in found and mark_of(pid) in marks}
    return found - {os.getpid()}


def in_groups(groups: Collection[int]) -> set[int]:
    """What lives in these process groups and sessions, and nothing beyond."""
    everything = processes()
    if not everything:
        return {group for group in groups if group_is_alive(group)}
    return {p.pid for p in everything.values() if p.group in groups or p.session in groups}


def group_is_alive(group: int) -> bool:
    """True if something in the group still runs; what is dead but not yet buried does not count."""
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    everything = processes()
    return not everything or any(process.group == group for process in everything.values())


def send(number: signal.Signals, group: int, pids: Iterable[int]) -> None:
    """Signal a group and single processes; what is gone or another user's is passed over."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)
    for pid in pids:
        send_to(number, pid)


def send_to(number: signal.Signals, pid: int) -> None:
    """Signal one process, if it is there and ours."""
    with suppress(ProcessLookupError, PermissionError):
        os.kill(pid, number)


def wait_until_gone(alive: Callable[[], set[int]], seconds: float) -> set[int]:
    """Wait until `alive` finds none; return what it still finds after `seconds`."""
    deadline = time.monotonic() + seconds
    while (found := alive()) and time.monotonic() < deadline:
        time.sleep(min(limits.KILL_POLL_SECONDS, max(0.0, deadline - time.monotonic())))
    return found
