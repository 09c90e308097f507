"""Blocking work in a thread that is never left behind: whoever is cancelled waits until it has stopped."""

import asyncio
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class Interrupted(Exception):
    """Raised by work that saw `stop` and ended before it changed anything."""


async def in_thread(work: Callable[[threading.Event], T]) -> tuple[T, bool]:
    """Run `work` in a thread to its end.

    Args:
        work: Gets an event that is set when the caller is cancelled, and may then raise `Interrupted`.

    Returns:
        Its result, and whether the caller was cancelled while it ran; the cancellation is then the caller's
        to pass on.

    Raises:
        asyncio.CancelledError: Cancelled, and the work was interrupted.
    """
    stop = threading.Event()
    future = asyncio.get_running_loop().run_in_executor(None, work, stop)
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            stop.set()
    try:
        return future.result(), stop.is_set()
    except Interrupted:
        raise asyncio.CancelledError from None
