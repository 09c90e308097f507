"""States of the client that are waited for, because what is done next depends on them."""

from __future__ import annotations

import re

from tests.e2e.terminal import Terminal

WORKING = re.compile(r"\w+ to stop\b", re.IGNORECASE)
"""What the status line says while a run or a command is going."""


def wait_until_idle(terminal: Terminal) -> str:
    """Until nothing is going any more: an answer is on screen before its run has ended, and Esc or Enter would be
    for the run. Only to be called when what was begun can be seen.
    """
    return terminal.wait_for(lambda screen: WORKING.search(screen) is None)


def leave(terminal: Terminal) -> None:
    """Leaves when all is done, and looks that the terminal is given back."""
    wait_until_idle(terminal)
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert terminal.modes.left_on() == []
