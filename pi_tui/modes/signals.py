"""Ending in order when the terminal, the user or the system says so."""

import asyncio
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from msgspec import Struct

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Caught(Struct):
    signal: int | None = None

    @property
    def exit_code(self) -> int | None:
        """What a shell expects of a program that a signal ended; None if none came."""
        return None if self.signal is None else 128 + self.signal


@contextmanager
def catching_signals(on_signal: Callable[[], None]) -> Iterator[Caught]:
    """Calls `on_signal` at the first SIGINT, SIGTERM or SIGHUP; a second one has its usual effect.

    A signal that is ignored (`nohup`, a job in the background) stays ignored.
    """
    loop = asyncio.get_running_loop()
    caught = Caught()
    watched = [one for one in SIGNALS if signal.getsignal(one) is not signal.SIG_IGN]

    def release() -> None:
        while watched:
            loop.remove_signal_handler(watched.pop())

    def handle(number: int) -> None:
        caught.signal = number
        release()
        on_signal()

    for one in watched:
        loop.add_signal_handler(one, handle, int(one))
    try:
        yield caught
    finally:
        release()
