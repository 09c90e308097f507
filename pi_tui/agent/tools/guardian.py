"""Ends what commands have left running when the program itself was killed and could not do it."""

import subprocess
from contextlib import suppress

# Reads "+ group" and "- group"; the end of its input is the end of the program, however that came about.
_SCRIPT = r"""
trap '' HUP INT TERM
groups=' '
while read -r sign group; do
  case $sign in
    +) groups="$groups$group " ;;
    -) case $groups in *" $group "*) groups="${groups%%" $group "*} ${groups#*" $group "}" ;; esac ;;
  esac
done
[ "$groups" = ' ' ] && exit
members() {
  for file in /proc/[0-9]*/stat; do
    read -r stat < "$file" || continue
    set -- ${stat##*) }
    case $groups in *" $3 "* | *" $4 "*) echo "${stat%% *}" ;; esac
  done 2>/dev/null
}
if [ -r /proc/self/stat ]; then
  pids=$(members); [ -n "$pids" ] && kill -TERM $pids
  sleep 1
  pids=$(members); [ -n "$pids" ] && kill -KILL $pids
else
  for group in $groups; do kill -TERM -- "-$group"; done
  sleep 1
  for group in $groups; do kill -KILL -- "-$group"; done
fi 2>/dev/null
"""


class Guardian:
    """A small shell in a session of its own that waits for the end of this program."""

    def __init__(self) -> None:
        try:
            self._process: subprocess.Popen[bytes] | None = subprocess.Popen(
                ["/bin/sh", "-c", _SCRIPT],
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                cwd="/",
                bufsize=0,
            )
        except OSError:
            self._process = None  # no /bin/sh: only the ordinary ends of the program are covered

    def watch(self, group: int) -> None:
        self._tell(f"+ {group}\n")

    def forget(self, group: int) -> None:
        self._tell(f"- {group}\n")

    def dismiss(self) -> None:
        """Nothing is left to be ended."""
        if self._process is not None:
            self._process.communicate()

    def _tell(self, line: str) -> None:
        if self._process is not None and self._process.stdin is not None:
            with suppress(OSError):
                self._process.stdin.write(line.encode())
