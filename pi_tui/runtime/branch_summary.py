"""A summary of the branch that is left, made before anything moves: whoever stops it is where they were."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from msgspec import UNSET, Struct

from pi_tui.agent.abort import Abort
from pi_tui.llm.messages import Usage
from pi_tui.runtime.events import BranchSummaryEnd, BranchSummaryStart
from pi_tui.runtime.summarising import Summariser, SummaryFailed
from pi_tui.session.compaction.branch import branch_span, common_length
from pi_tui.session.compaction.budgets import budgets_for
from pi_tui.session.compaction.instructions import BRANCH
from pi_tui.session.compaction.summary_text import composed

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session
    from pi_tui.session.log import SessionLog


class BranchSummary(Struct, frozen=True):
    """What is appended where the conversation goes on."""

    text: str
    from_id: str | None
    """The leaf that is left."""
    usage: Usage
    details: dict[str, list[str]]

    def append(self, log: "SessionLog") -> str:
        """Writes it at the present leaf; returns the entry's id."""
        return log.append_branch_summary(self.text, self.from_id, usage=self.usage, details=self.details)


class BranchSummaryStopped(Exception):
    """The user stopped it; nothing has changed."""


async def summarise_branch(session: "Session", leaf_id: str | None, focus: str = "") -> BranchSummary:
    """Summarises what a move to `leaf_id` leaves behind; `Session.abort` stops it.

    Args:
        session: Its present leaf is left.
        leaf_id: Where the conversation will go on; None is the place before any entry.
        focus: What the user wants the summary to mind.

    Raises:
        SummaryFailed: There is none; nothing has changed.
        BranchSummaryStopped: The user stopped it.
        AlreadyRunning: A run is going.
        NoModel: No model is chosen.
        SessionReadOnly: The session is open for reading only.
    """
    async with session.under_way() as abort:
        session.publish(BranchSummaryStart())
        end = BranchSummaryEnd(aborted=True)
        try:
            summary = await _made(session, abort, leaf_id, focus)
            end = BranchSummaryEnd()
            return summary
        except SummaryFailed as failure:
            end = BranchSummaryEnd(error_message=f"No summary, nothing has changed. {failure}")
            raise
        finally:
            session.publish(end)


async def _made(session: "Session", abort: Abort, leaf_id: str | None, focus: str) -> BranchSummary:
    async with abort.child(_asked(session, leaf_id, focus)) as work:
        await asyncio.wait([work])
    if abort.requested or work.cancelled():
        raise BranchSummaryStopped
    return work.result()


async def _asked(session: "Session", leaf_id: str | None, focus: str) -> BranchSummary:
    log, model = session.log, session.model
    assert model is not None
    path = log.path_items()
    kept = log.branch(leaf_id) if leaf_id is not None else []
    common = common_length([entry_id for entry_id, _ in path], kept)
    reserve = session.services.settings.branch_summary.reserve_tokens
    budget = budgets_for(model.context_window, reserve).threshold
    count: Callable[[str], int] = session.context_size.count
    span = await asyncio.to_thread(branch_span, path, common, log.reader(), budget, count)
    if not span.parts:
        raise SummaryFailed("There is nothing on this branch to summarise.")
    parts: Sequence[str] = span.parts
    summary = await Summariser(session, "branchSummary", UNSET).summarise(parts, BRANCH, focus=focus)
    return BranchSummary(composed(summary.text, span.files), log.leaf_id, summary.usage, span.files.details)
