"""A compaction the user asked for: at once, or when the turn that is going has ended."""

import asyncio
from typing import TYPE_CHECKING

from pi_tui.agent.abort import Abort
from pi_tui.runtime.compacting import CompactionFailed, CompactionNotBegun, CompactionStopped, compact
from pi_tui.runtime.driver import RunDriver
from pi_tui.runtime.events import CompactionResult

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session


async def compact_when_possible(session: "Session", focus: str) -> CompactionResult:
    """Compacts and then sends what was queued meanwhile; while a run is going, waits for the end of its turn.

    Raises:
        CompactionFailed: There was no compaction; nothing has changed.
        NoModel, SessionReadOnly: There cannot be one.
    """
    if session.running:
        if session.compaction_request is not None:
            raise CompactionNotBegun("another one waits for the end of this turn already")
        session.compaction_request = CompactionRequest(session, focus)
        return await session.compaction_request.wait()
    async with session.under_way() as abort:
        try:
            return await compact(session, abort, "manual", focus)
        finally:
            if not abort.requested:
                await RunDriver(session, abort).go_on()


class CompactionRequest:
    """Waits for a moment at which no answer is thrown away.

    Args:
        session: Whose run is going.
        focus: What the user wants the summary to mind.
    """

    def __init__(self, session: "Session", focus: str) -> None:
        self._session = session
        self._focus = focus
        self._over = asyncio.Event()
        self._result: CompactionResult | None = None
        self._failure: CompactionFailed = CompactionNotBegun("the run was stopped first")

    async def wait(self) -> CompactionResult:
        """What came of it.

        Raises:
            CompactionFailed: There was none.
        """
        await self._over.wait()
        if self._result is None:
            raise self._failure
        return self._result

    async def carry_out(self, abort: Abort) -> None:
        """Compacts now. What goes wrong is told to whoever waits, not to the run."""
        self._session.compaction_request = None
        self._failure = CompactionStopped("Compaction was stopped; nothing has changed.")
        try:
            self._result = await compact(self._session, abort, "manual", self._focus)
        except CompactionFailed as failure:
            self._failure = failure
        finally:
            self._over.set()

    def drop(self) -> None:
        """The run is over, and this was not carried out."""
        self._session.compaction_request = None
        self._over.set()
