"""The process groups of commands that may still have something running, and ending them all.

A command that was started in the background outlives its call on purpose (a development server); it does not
outlive the program. What put itself into a session of its own (`setsid`, a daemon, a tmux server) asked to
stay and is left alone when the program ends; when its own call is aborted or times out, it is ended too.
"""

import atexit
import os
import secrets
import signal
import threading

from pi_tui.agent.tools import limits, process_tree
from pi_tui.agent.tools.guardian import Guardian

_lock = threading.Lock()
_groups: dict[int, str | None] = {}
"""The mark of each group while its call is under way; None once that has returned."""
_guardian: Guardian | None = None


def new_mark() -> str:
    """A value for `process_tree.MARK` that no other command has."""
    return secrets.token_hex(8)


def register(group: int, mark: str) -> None:
    """Remember a group until it has no process any more."""
    global _guardian  # noqa: PLW0603
    with _lock:
        if _guardian is None:
            _guardian = Guardian()
            atexit.register(_at_exit)
        _guardian.watch(group)
        _groups[group] = mark
        _forget_dead()


def release(group: int) -> None:
    """A call has returned: the group stays remembered only if something in it still runs."""
    with _lock:
        _groups[group] = None
        if not process_tree.group_is_alive(group):
            _forget(group)


def live_groups() -> list[int]:
    with _lock:
        _forget_dead()
        return list(_groups)


def kill_all(grace: float = limits.KILL_GRACE_SECONDS) -> None:
    """End every process group that commands have left or are running: TERM, then KILL after `grace` seconds.

    Blocks until they are gone. For the end of the program: at exit, and from the handlers of SIGTERM and
    SIGHUP.
    """
    acquired = _lock.acquire(timeout=grace)
    try:
        groups = dict(_groups)
    finally:
        if acquired:
            _lock.release()
    if not groups:
        return
    members = _members(groups)
    for group in groups:
        process_tree.send(signal.SIGTERM, group, members)
    if stubborn := process_tree.wait_until_gone(lambda: _members(groups), grace):
        for group in groups:
            process_tree.send(signal.SIGKILL, group, stubborn)
        process_tree.wait_until_gone(lambda: _members(groups), limits.KILL_WAIT_SECONDS)
    for group in groups:
        _forget(group)


def _at_exit() -> None:
    kill_all()
    if _guardian is not None:
        _guardian.dismiss()


def _members(groups: dict[int, str | None]) -> set[int]:
    everything = process_tree.processes()
    if not everything:
        return {group for group in groups if process_tree.group_is_alive(group)}
    found = {p.pid for p in everything.values() if p.group in groups or p.session in groups} - {os.getpid()}
    for group, mark in groups.items():
        if mark is not None:
            found |= process_tree.tree(group, mark)
    return found


def _forget(group: int) -> None:
    if group in _groups:
        del _groups[group]
        if _guardian is not None:
            _guardian.forget(group)


def _forget_dead() -> None:
    for group in [group for group, mark in _groups.items() if mark is None]:
        if not process_tree.group_is_alive(group):
            _forget(group)
