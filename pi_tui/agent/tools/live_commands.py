"""The commands that may still have something running, and ending them all.

A command that was started in the background outlives its call on purpose (a development server); it does not
outlive the program. What put itself into a session of its own (`setsid`, a daemon, a tmux server) asked to
stay and is left alone when the program ends; while its own call is under way, it is ended with it.
"""

import atexit
import secrets
import threading

from pi_tui.agent.tools import limits, process_tree
from pi_tui.agent.tools.ending import LiveCommand, end_all
from pi_tui.agent.tools.guardian import Guardian

_lock = threading.Lock()
_commands: dict[str, LiveCommand] = {}
"""By their marks."""
_guardian: Guardian | None = None


def new_mark() -> str:
    """A value for `process_tree.MARK` that no other command has; what has it ends with the program from now on."""
    global _guardian  # noqa: PLW0603
    mark = secrets.token_hex(8)
    with _lock:
        if _guardian is None:
            _guardian = Guardian()
            atexit.register(_at_exit)
        _forget_dead()
        _remember(LiveCommand(mark))
    return mark


def register(mark: str, group: int) -> None:
    """The command has begun, in this process group."""
    with _lock:
        _remember(LiveCommand(mark, group))


def release(mark: str) -> None:
    """A call has returned, or could not begin: it stays remembered only if something in its group still runs."""
    with _lock:
        command = _commands.get(mark)
        if command is None:
            return
        if command.group is not None and process_tree.group_is_alive(command.group):
            _remember(LiveCommand(mark, command.group, returned=True))
        else:
            _forget(command)


def live_groups() -> list[int]:
    with _lock:
        _forget_dead()
        return [command.group for command in _commands.values() if command.group is not None]


def kill_all(grace: float = limits.KILL_GRACE_SECONDS) -> None:
    """End everything that commands have left or are running: TERM, then KILL after `grace` seconds.

    Blocks until they are gone. For the end of the program: at exit, and from the handlers of SIGTERM and
    SIGHUP.
    """
    acquired = _lock.acquire(timeout=grace)
    try:
        commands = list(_commands.values())
    finally:
        if acquired:
            _lock.release()
    if commands:
        end_all(commands, grace)
        for command in commands:
            _forget(command)


def _at_exit() -> None:
    kill_all()
    if _guardian is not None:
        _guardian.dismiss()


def _remember(command: LiveCommand) -> None:
    _commands[command.mark] = command
    if _guardian is not None:
        _guardian.watch(command)


def _forget(command: LiveCommand) -> None:
    if _commands.pop(command.mark, None) is not None and _guardian is not None:
        _guardian.forget(command)


def _forget_dead() -> None:
    for command in list(_commands.values()):
        if command.returned and command.group is not None and not process_tree.group_is_alive(command.group):
            _forget(command)
