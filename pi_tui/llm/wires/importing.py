"""Imports of a second or two, in a thread, that nobody feels in their typing."""

import gc
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

SWITCH_SECONDS = 0.001
"""How long an importing thread may keep the interpreter while others wait; Python's own figure is 0.005."""
PAUSE_SECONDS = 0.0002
"""How long it steps aside before each module, so that whoever waits gets the interpreter at once."""


_somebody_types = False


def somebody_types() -> None:
    """Said by a front end with a keyboard; until then imports go as fast as they can."""
    global _somebody_types  # noqa: PLW0603 - what it decides about, the interpreter, is one as well
    _somebody_types = True


@contextmanager
def considerate() -> Iterator[None]:
    """Where somebody types, this thread steps aside before each module it imports: it takes half as long again."""
    if not _somebody_types:
        yield
        return
    usual, hook = sys.getswitchinterval(), _StepAside()
    sys.setswitchinterval(SWITCH_SECONDS)
    sys.meta_path.insert(0, hook)
    try:
        yield
    finally:
        sys.meta_path.remove(hook)
        sys.setswitchinterval(usual)


@contextmanager
def for_good() -> Iterator[None]:
    """What is made here lives as long as the process, and no collection will look at it again.

    A quarter of the time in which an SDK is imported would go into collections, and a second of the process's end.
    """
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        if collecting:
            gc.enable()


class _StepAside:
    """An import hook that finds nothing, and lets other threads run."""

    def __init__(self) -> None:
        self._thread = threading.get_ident()

    def find_spec(self, name: str, path: object = None, target: object = None) -> None:
        if threading.get_ident() == self._thread:
            time.sleep(PAUSE_SECONDS)
