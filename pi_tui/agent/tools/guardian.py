"""Ends what commands have left running when the program itself was killed and could not do it.

A small shell waits for the end of the program, however that comes about, and then starts Python once more, which
knows how to find everything (`ending.py`).
"""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.ending import LiveCommand, end_all

# Reads "mark what": what is known of the command with this mark; nothing if it is to be forgotten.
_SCRIPT = r"""
trap '' HUP INT TERM
known=' '
while read -r mark what; do
  case $known in *" $mark:"*) rest=${known#*" $mark:"}; known="${known%%" $mark:"*} ${rest#* }" ;; esac
  [ -z "$what" ] || known="$known$mark:$what "
done
[ "$known" = ' ' ] || exec "$@" $known
"""
_FIRST = (
    "import sys; sys.path.append(sys.argv[1]); from pi_tui.agent.tools.guardian import last_act; last_act()"
)
_ROOT = Path(__file__).parents[3]


class Guardian:
    """The shell that waits, in a session of its own."""

    def __init__(self) -> None:
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT, "sh", sys.executable, "-I", "-S", "-c", _FIRST, str(_ROOT)],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
                bufsize=0,
            )
        except OSError:
            self._process = None  # no /bin/sh: only the ordinary ends of the program are covered

    def watch(self, command: LiveCommand) -> None:
        self._tell(f"{command.mark} {_told(command)}\n")

    def forget(self, command: LiveCommand) -> None:
        self._tell(f"{command.mark}\n")

    def dismiss(self) -> None:
        """Nothing is left to be ended."""
        if self._process is not None:
            self._process.communicate()

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(line.encode())


def last_act() -> None:
    """Ends the commands that are named in the arguments of this process, after the folder of our own code."""
    end_all(map(_understood, sys.argv[2:]), limits.KILL_GRACE_SECONDS)


def _told(command: LiveCommand) -> str:
    return f"{command.group or ''}:{'returned' if command.returned else 'running'}"


def _understood(text: str) -> LiveCommand:
    mark, group, state = text.split(":")
    return LiveCommand(mark, int(group) if group else None, state == "returned")
