"""Standard output that nothing stops: not a closed one, not a reader who leaves, not a character it does not know."""

import os
import sys
from collections.abc import Callable


def with_mended_output(run: Callable[[], int]) -> int:
    """Runs the program, and returns its exit code; a reader that has gone away (`| head`) is no failure of ours."""
    _mend()
    try:
        return run()
    except BrokenPipeError:
        _give_up()
        return 0
    finally:
        _flush()


def _mend() -> None:
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, os.fdopen(os.open(os.devnull, os.O_WRONLY), "w"))
        elif hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="replace")


def _flush() -> None:
    """Keeps the interpreter from complaining at its end."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        _give_up()


def _give_up() -> None:
    """What is still in the buffer goes nowhere."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
