"""Keeps standard output for records: whatever else prints, prints to standard error."""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager

STDOUT, STDERR = 1, 2


@contextmanager
def own_stdout() -> Iterator[int]:
    """A descriptor that alone leads to standard output; 1 and `sys.stdout` lead to standard error meanwhile.

    Child processes and libraries that write to descriptor 1 are caught too.
    """
    sys.stdout.flush()
    own = os.dup(STDOUT)
    os.set_inheritable(own, False)
    os.dup2(STDERR, STDOUT)
    try:
        yield own
    finally:
        sys.stdout.flush()
        os.dup2(own, STDOUT)
        os.close(own)
