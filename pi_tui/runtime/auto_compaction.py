"""When a run compacts: over the threshold, when a request overflows, when an answer is cut off by the window."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from pi_tui.agent.abort import Abort
from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import AgentMessage, AssistantMessage, UserMessage
from pi_tui.runtime.compacting import CompactionFailed, CompactionStopped, budgets_of, compact
from pi_tui.runtime.events import CompactionReason, Notice

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session

TOO_LONG_AGAIN = (
    "The conversation is too long for the model, and compaction does not make it fit. /tree goes back to a shorter "
    "branch, /new begins anew, /model chooses a model with a larger window."
)
NEXT_TO_NOTHING = 64
"""Output tokens below which an answer that ended at a limit was cut off by the window, not by its own limit."""


class AutoCompaction:
    """Keeps the context of one prompt and all that follows from it below the threshold.

    Args:
        session: Whose context it is.
        abort: The user's wish to stop.
    """

    def __init__(self, session: "Session", abort: Abort) -> None:
        self._session = session
        self._abort = abort
        self._given_up = False
        self._repaired = False

    async def before_prompt(self, prompts: Sequence[UserMessage]) -> Sequence[UserMessage] | None:
        """Makes room for prompts that are not stored yet; None if the user stopped it.

        While it compacts, the prompts wait in the queue: the user sees them there, and gets them back with Esc.
        """
        if not await self._full(prompts):
            return prompts
        queue = self._session.queue
        queue.put_first(prompts)
        await self._compact(upcoming=prompts)
        if self._abort.requested:
            return None
        # Nothing, if the user took them back meanwhile.
        return queue.take_steering() or queue.take_follow_ups() or None

    async def between_turns(self) -> None:
        """Before a request is sent, when everything it answers is stored.

        Raises:
            ProviderError: It would not fit, whatever is tried.
        """
        asked = self._session.compaction_request
        if asked is not None:
            await asked.carry_out(self._abort)
        if not await self._full():
            return
        tokens = await self._compact()
        model = self._session.model
        if model is not None and tokens is not None and tokens > model.context_window:
            raise ProviderError(ErrorKind.CONTEXT_OVERFLOW, self._too_long(tokens))

    async def after_run(self, answer: AgentMessage | None) -> None:
        """When the last answer is stored."""
        asked = self._session.compaction_request
        if asked is not None:
            await asked.carry_out(self._abort)
        elif await self._full():
            await self._compact()
        if self._repaired and self._is_cut_off(answer):
            self._session.publish(Notice("error", TOO_LONG_AGAIN))

    def wants_repair(self, failure: ProviderError | None, answer: AgentMessage | None) -> bool:
        """Whether the last attempt failed because the context is too long, and is worth another one."""
        over = self._repaired or self._given_up or self._abort.requested
        if over or not self._session.services.settings.compaction.enabled:
            return False
        return is_overflow(failure) or (failure is None and self._is_cut_off(answer))

    async def repair(self, failure: ProviderError | None) -> bool:
        """Leaves the failed attempt out and compacts; whether the turn can be sent again."""
        self._repaired = True
        session = self._session
        failed = last_answer_id(session)
        if is_overflow(failure):
            session.context_size.refused(await session.context_size.measure())
        if failed is not None:
            session.log.append_context_edit(failed, None)
        tokens = await self._compact(overflow=True)
        if tokens is None:
            return False
        assert session.model is not None
        if tokens > session.model.context_window:
            session.publish(Notice("error", f"{self._too_long(tokens)} {TOO_LONG_AGAIN}"))
            return False
        return True

    def explain(self, failure: ProviderError) -> str | None:
        """What to do when a request is too long after all, or None for another failure."""
        if not is_overflow(failure):
            return None
        if self._repaired or self._given_up:
            return TOO_LONG_AGAIN
        if not self._session.services.settings.compaction.enabled:
            return (
                "The conversation is too long for the model, and automatic compaction is switched off "
                "(compaction.enabled): /compact makes room, then send again."
            )
        return None

    async def _full(self, upcoming: Sequence[AgentMessage] = ()) -> bool:
        """Whether the context, with what is about to be added, is over the threshold."""
        session = self._session
        if self._given_up or session.model is None or not session.services.settings.compaction.enabled:
            return False
        threshold = budgets_of(session).threshold
        measured = await session.context_size.measure(upcoming)
        return measured.figure.tokens + measured.upcoming > threshold

    async def _compact(self, *, overflow: bool = False, upcoming: Sequence[AgentMessage] = ()) -> int | None:
        """One compaction; returns the estimated tokens that are left, or None if there was none.

        After one that failed or did not help there is no other one until the next prompt.
        """
        session = self._session
        try:
            reason: CompactionReason = "overflow" if overflow else "threshold"
            result = await compact(session, self._abort, reason, will_retry=overflow, upcoming=upcoming)
        except CompactionStopped:
            return None
        except CompactionFailed:
            self._given_up = True
            return None
        left = result.estimated_tokens_after
        if left > budgets_of(session).threshold:
            self._given_up = True
            said = f"The context is still large after the compaction: about {left:,} tokens."
            session.publish(Notice("warning", f"{said} It is not compacted again before your next prompt."))
        return left

    def _is_cut_off(self, answer: AgentMessage | None) -> bool:
        model = self._session.model
        return (
            isinstance(answer, AssistantMessage)
            and model is not None
            and answer.stop_reason == "length"
            and not answer.tool_calls
            and answer.usage.output < min(model.max_tokens, NEXT_TO_NOTHING)
            and len(answer.text) < 4 * NEXT_TO_NOTHING
        )

    def _too_long(self, tokens: int) -> str:
        model = self._session.model
        assert model is not None
        return (
            f"The context has about {tokens:,} tokens, more than the {model.context_window:,} that {model.ref} "
            "takes, and compaction cannot make it smaller."
        )


def is_overflow(failure: ProviderError | None) -> bool:
    return failure is not None and failure.kind is ErrorKind.CONTEXT_OVERFLOW


def last_answer_id(session: "Session") -> str | None:
    """The entry of the newest answer, if nothing but bookkeeping came after it."""
    log = session.log
    at = log.leaf_id
    while at is not None:
        if log.head(at).type == "message":
            return at if log.role(at) == "assistant" else None
        at = log.parent(at)
    return None
