"""A mode that speaks in records: from its start to the end of the process."""

import asyncio
import gc
from collections.abc import Awaitable, Callable

from pi_tui.modes.own_stdout import own_stdout
from pi_tui.modes.record_writer import RecordWriter

LEAVE_WITHIN = 5.0
"""Seconds in which a reader has to read something at the end."""


def serve(mode: Callable[[RecordWriter], Awaitable[int]]) -> int:
    """Runs a mode whose records alone reach standard output; returns its exit code."""

    async def served(descriptor: int) -> int:
        writer = RecordWriter(descriptor)
        try:
            return await mode(writer)
        finally:
            await writer.close(LEAVE_WITHIN)

    with own_stdout() as descriptor:
        code = asyncio.run(served(descriptor))
    # The interpreter's last collection would look through all that an SDK has loaded: a second for nothing.
    gc.freeze()
    return code
