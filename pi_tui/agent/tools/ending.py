"""Ending several commands at once, at the end of the program."""

import os
import signal
from collections.abc import Iterable
from dataclasses import dataclass

from pi_tui.agent.tools import limits, process_tree


@dataclass(frozen=True)
class LiveCommand:
    """A command that may have something running.

    Attributes:
        mark: Its value of `process_tree.MARK`.
        group: Its process group; None while it is being started.
        returned: Its call is over: what has left its group asked to stay.
    """

    mark: str
    group: int | None = None
    returned: bool = False


def end_all(commands: Iterable[LiveCommand], grace: float) -> None:
    """TERM, then KILL after `grace` seconds. Blocks until all are gone, or given up on."""
    known = [command for command in commands if not command.returned or _is_still_there(command)]
    groups = [command.group for command in known if command.group is not None]
    _send(signal.SIGTERM, groups, _members(known))
    if stubborn := process_tree.wait_until_gone(lambda: _members(known), grace):
        _send(signal.SIGKILL, groups, stubborn)
        process_tree.wait_until_gone(lambda: _members(known), limits.KILL_WAIT_SECONDS)


def _is_still_there(command: LiveCommand) -> bool:
    """Whether a group still has something of the command in it; its number may have gone to somebody else's."""
    if command.group is None:
        return False
    members = process_tree.in_groups({command.group})
    if not process_tree.processes():
        return bool(members)
    return any(process_tree.mark_of(pid) == command.mark for pid in members)


def _members(commands: Iterable[LiveCommand]) -> set[int]:
    marks: set[str] = set()
    groups: set[int] = set()
    stayed: set[int] = set()
    for command in commands:
        if not command.returned:
            marks.add(command.mark)
        if command.group is not None:
            (stayed if command.returned else groups).add(command.group)
    found = process_tree.tree(groups, marks) | process_tree.in_groups(stayed)
    return found - {os.getpid()}


def _send(number: signal.Signals, groups: Iterable[int], pids: Iterable[int]) -> None:
    for group in groups:
        process_tree.send(number, group, ())
    for pid in pids:
        process_tree.send_to(number, pid)
