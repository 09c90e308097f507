"""One compaction of the present branch: the summary is made, then one entry is appended, or nothing changes."""

import asyncio
from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_tui.agent.abort import Abort
from pi_tui.llm.errors import ProviderError
from pi_tui.llm.messages import AgentMessage, SystemMessage, Usage, now_ms
from pi_tui.runtime.context_size import TOKENS_AFTER, Measurement, specs_of
from pi_tui.runtime.events import CompactionEnd, CompactionReason, CompactionResult, CompactionStart
from pi_tui.runtime.summarising import Summariser, SummaryFailed
from pi_tui.session.compaction.budgets import Budgets, budgets_for
from pi_tui.session.compaction.instructions import FIRST, TURN
from pi_tui.session.compaction.prepare import NothingToCompact, Preparation, prepare
from pi_tui.session.compaction.summary_text import composed, joined
from pi_tui.session.errors import SessionError

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session

QUOTED = 60
"""Characters of a message by which the user is told which one is meant."""


class CompactionFailed(Exception):
    """Nothing has changed; the message says why, in sentences for the user."""


class CompactionNotBegun(CompactionFailed):
    """Nothing was tried, and no event tells of it."""


class CompactionStopped(CompactionFailed):
    """The user stopped it; nothing has changed."""


async def compact(
    session: "Session",
    abort: Abort,
    reason: CompactionReason,
    focus: str = "",
    *,
    will_retry: bool = False,
    upcoming: Sequence[AgentMessage] = (),
) -> CompactionResult:
    """Summarises the older part of the present branch and tells of it.

    Args:
        session: Its present branch is compacted, by its model.
        abort: Stops it.
        reason: Why it is done.
        focus: What the user wants the summary to mind.
        will_retry: Whether the turn is sent again afterwards.
        upcoming: What is about to be said: it needs room beside what is kept.

    Raises:
        CompactionFailed: There is no summary, or nothing to summarise.
        CompactionStopped: The user stopped it.
    """
    session.publish(CompactionStart(reason))
    end = CompactionEnd(reason, aborted=True)
    try:
        async with abort.child(_summarised(session, reason, focus, upcoming)) as work:
            await asyncio.wait([work])
        if abort.requested or work.cancelled():
            raise CompactionStopped("Compaction was stopped; nothing has changed.")
        # Only here something is written: a summary that comes after the user's Esc finds nobody.
        result = _append(session, *work.result())
        end = CompactionEnd(reason, result, will_retry=will_retry)
        return result
    except CompactionStopped:
        raise
    except Exception as error:
        known = isinstance(error, SummaryFailed | CompactionFailed | SessionError | ProviderError)
        why = f"Not compacted, nothing has changed. {error if known else repr(error)}"
        end = CompactionEnd(reason, error_message=why)
        raise CompactionFailed(why) from error
    finally:
        session.publish(end)


def budgets_of(session: "Session") -> Budgets:
    """The budgets of the session's model, as the settings have them."""
    model = session.model
    assert model is not None
    tokens = session.services.settings.compaction.tokens_for(model.ref)
    return budgets_for(model.context_window, tokens.reserve_tokens, tokens.keep_recent_tokens)


async def _summarised(
    session: "Session", reason: CompactionReason, focus: str, upcoming: Sequence[AgentMessage]
) -> tuple[Preparation, Measurement, str, Usage]:
    measurement = await session.context_size.measure(upcoming)
    preparation = await _prepared(session, measurement, upcoming)
    summariser = Summariser(session, "compaction", reason)
    history, usage = preparation.previous or "", Usage()
    if preparation.history or not preparation.turn:
        summary = await summariser.summarise(preparation.history, FIRST, preparation.previous, focus)
        history, usage = summary.text, summary.usage
    turn = None
    if preparation.turn:
        summary = await summariser.summarise(preparation.turn, TURN, focus=focus)
        turn, usage = summary.text, usage + summary.usage
    text = composed(joined(history, turn), preparation.files, preparation.prompt)
    return preparation, measurement, text, usage


async def _prepared(
    session: "Session", measurement: Measurement, upcoming: Sequence[AgentMessage]
) -> Preparation:
    try:
        return await asyncio.to_thread(
            prepare,
            measurement.projection,
            measurement.sizes,
            budgets_of(session),
            session.log.reader(),
            overhead=measurement.overhead + measurement.upcoming,
        )
    except NothingToCompact as nothing:
        if measurement.upcoming > nothing.tokens:
            nothing = NothingToCompact(upcoming[0], measurement.upcoming)
        raise CompactionFailed(_nothing(nothing, measurement.overhead)) from nothing


def _append(
    session: "Session", preparation: Preparation, measurement: Measurement, summary: str, usage: Usage
) -> CompactionResult:
    after = measurement.overhead + session.context_size.count(summary) + preparation.kept_tokens
    details = {**preparation.files.details, TOKENS_AFTER: after}
    before = measurement.figure.tokens
    entry_id = session.log.append_compaction(
        summary,
        preparation.first_kept_entry_id,
        before,
        usage=usage,
        details=details,
        system_message=_checkpoint(session),
    )
    session.context_size.compacted(after)
    first_kept = preparation.first_kept_entry_id or entry_id
    return CompactionResult(summary, first_kept, before, after, usage, details)


def _checkpoint(session: "Session") -> SystemMessage:
    """The prompt and the tools in full: what the branch told of them before is no longer read."""
    return SystemMessage(
        content="",
        sections=dict(session.services.prompt.sections),
        tools_added=specs_of(session),
        timestamp=now_ms(),
    )


def _nothing(nothing: NothingToCompact, overhead: int) -> str:
    if nothing.largest is None:
        return "There is nothing to compact yet."
    said = "There is nothing to compact before the newest messages."
    if overhead > nothing.tokens:
        return f"{said} The system prompt and the tools alone take about {overhead:,} tokens."
    return f"{said} The largest is {_named(nothing.largest)}, about {nothing.tokens:,} tokens."


def _named(message: AgentMessage) -> str:
    names = {"user": "your message", "assistant": "the answer", "toolResult": "the tool result"}
    name = names.get(str(message.__struct_config__.tag), "the message")
    content = getattr(message, "content", "")
    text = content if isinstance(content, str) else "".join(getattr(block, "text", "") for block in content)
    quoted = " ".join(text.split())
    return f"{name} “{quoted[:QUOTED]}…”" if len(quoted) > QUOTED else f"{name} “{quoted}”"
