"""Blocking work in a thread that is never left behind: whoever is cancelled waits until it has stopped."""

import asyncio
import threading
from collections.abc import Callable
from concurrent.futures import Executor, ThreadPoolExecutor
from typing import Final, TypeVar

from pi_tui.agent.tools import limits

T = TypeVar("T")

FILES: Final = ThreadPoolExecutor(limits.FILE_THREADS, thread_name_prefix="files")
"""The threads for calls that work on files."""


class Interrupted(Exception):
    """Raised by work that saw `stop` and ended before it changed anything."""


async def in_thread(work: Callable[[threading.Event], T], threads: Executor | None = FILES) -> tuple[T, bool]:
    """Run `work` in a thread to its end.

    Args:
        work: Gets an event that is set when the caller is cancelled, and may then raise `Interrupted`.
        threads: None for those of the event loop.

    Returns:
        Its result, and whether the caller was cancelled while it ran; the cancellation is then the caller's
        to pass on.

    Raises:
        asyncio.CancelledError: Cancelled, and the work was interrupted.
    """
    stop = threading.Event()
    future = asyncio.get_running_loop().run_in_executor(threads, work, stop)
    while not future.done():
        try:
            await asyncio.wait([future])
        except asyncio.CancelledError:
            stop.set()
    try:
        return future.result(), stop.is_set()
    except Interrupted:
        raise asyncio.CancelledError from None
