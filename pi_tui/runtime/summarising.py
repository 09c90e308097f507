"""Summary requests: a long conversation in windows that fit, each tried again when it fails in passing."""

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal

from msgspec import UNSET, Struct, UnsetType

from pi_tui.llm.complete import complete
from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.failures import advice
from pi_tui.llm.messages import AssistantMessage, Usage
from pi_tui.llm.model import Model
from pi_tui.runtime.events import (
    CompactionReason,
    SummarizationRetryAttemptStart,
    SummarizationRetryFinished,
    SummarizationRetryScheduled,
)
from pi_tui.session.compaction.instructions import SYSTEM, question
from pi_tui.session.compaction.serialise import shortened
from pi_tui.session.compaction.windows import take_window

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session

LEAST_WINDOW = 256
"""Tokens of conversation below which a smaller request is not tried."""
MOST_OUTPUT = 16_384
"""Tokens that a summary request leaves free for the answer, where the window allows it."""
INSTRUCTION_TOKENS = 700
MOST_WINDOWS = 16
"""Requests, or so, that one summary may take; of a longer conversation every message is cut down."""
LEAST_PART = 100
"""Characters to which a message is cut down at most."""
TOO_LONG_FOR_A_SUMMARY = (
    "/model chooses one with a larger window, /tree goes back to a shorter branch, /new begins anew."
)


class SummaryFailed(Exception):
    """There is no summary; the message says why, in sentences for the user."""


class Summary(Struct, frozen=True):
    text: str
    usage: Usage


class Summariser:
    """Asks the session's model, as it is when the work begins, for summaries.

    Args:
        session: Whose model, key and retry policy are used.
        source: What the summaries are for.
        reason: Why there is a compaction.
    """

    def __init__(
        self,
        session: "Session",
        source: Literal["compaction", "branchSummary"],
        reason: CompactionReason | UnsetType = UNSET,
    ) -> None:
        assert session.model is not None
        self._session = session
        self._model: Model = session.model
        self._source = source
        self._reason = reason
        self._window = _input_tokens(self._model)

    async def summarise(
        self, parts: Sequence[str], instructions: str, previous: str | None = None, focus: str = ""
    ) -> Summary:
        """The summary of a conversation.

        What does not fit into one request is summarised window by window, each summary brought up to date with the
        next window. A request that the provider finds too long is made smaller.

        Args:
            parts: The conversation as text, oldest first.
            instructions: What is asked of the model.
            previous: A summary that is to be brought up to date.
            focus: What the user wants the summary to mind.

        Raises:
            SummaryFailed: There is none.
        """
        usage = Usage()
        count = self._session.context_size.count
        left = await asyncio.to_thread(_bounded, parts, MOST_WINDOWS * self._window // 2, count)
        while True:
            previous = self._fitting(previous)
            room = self._window - count((previous or "") + focus)
            text, rest = await asyncio.to_thread(take_window, left, max(room, LEAST_WINDOW), count)
            asked = question(text, instructions, previous, focus)
            try:
                answer = await self._ask(asked)
            except ProviderError as failure:
                if failure.kind is ErrorKind.CONTEXT_OVERFLOW and self._shrunk(
                    count(text + (previous or ""))
                ):
                    continue
                raise SummaryFailed(_explanation(failure, self._model)) from failure
            usage += answer.usage
            previous = _accepted(answer)
            if not rest:
                return Summary(previous, usage)
            left = rest

    def _shrunk(self, refused: int) -> bool:
        """Halves what the next request may hold; False where what was refused is next to nothing already."""
        if min(self._window, refused) <= LEAST_WINDOW:
            return False
        self._window = max(min(self._window, refused) // 2, LEAST_WINDOW)
        return True

    def _fitting(self, previous: str | None) -> str | None:
        """A summary made by a model with a larger window may leave no room for what is new."""
        most = self._window // 2
        if previous is None or (size := self._session.context_size.count(previous)) <= most:
            return previous
        return shortened(previous, len(previous) * most // size)

    async def _ask(self, asked: str) -> AssistantMessage:
        """One request, sent again as the retry policy has it."""
        session = self._session
        attempt = 0
        while True:
            options = await session.services.stream_options(self._model, "off", session.log.id)
            try:
                answer = await complete(session.services.stream, self._model, SYSTEM, asked, options)
            except ProviderError as failure:
                attempt += 1
                delay = session.services.retry_policy.delay(attempt, failure)
                if delay is None:
                    if attempt > 1:
                        session.publish(SummarizationRetryFinished())
                    raise
                maximum = session.services.retry_policy.max_retries
                session.publish(
                    SummarizationRetryScheduled(attempt, maximum, int(delay * 1000), failure.message)
                )
                # The time is the retry's own: being cancelled ends it.
                await asyncio.sleep(delay)
                session.publish(SummarizationRetryAttemptStart(self._source, self._reason))
            else:
                if attempt:
                    session.publish(SummarizationRetryFinished())
                return answer


def _bounded(parts: Sequence[str], most: int, count: Callable[[str], int]) -> Sequence[str]:
    """The parts, each of them cut down if together they have more than `most` tokens."""
    total = sum(map(count, parts))
    if total <= most:
        return parts
    return [shortened(part, max(LEAST_PART, len(part) * most // total)) for part in parts]


def _input_tokens(model: Model) -> int:
    """What a summary request may hold beside the instructions."""
    output = min(model.max_tokens, MOST_OUTPUT, model.context_window // 4)
    return max(model.context_window - output - model.context_window // 20 - INSTRUCTION_TOKENS, LEAST_WINDOW)


def _accepted(answer: AssistantMessage) -> str:
    """The text of a summary that is whole.

    Raises:
        SummaryFailed: It is not.
    """
    if answer.tool_calls:
        raise SummaryFailed("The model called a tool instead of writing a summary.")
    if answer.stop_reason == "length":
        raise SummaryFailed("The summary was cut off by the model's output limit.")
    if answer.stop_reason != "stop":
        raise SummaryFailed(f"The summary ended with {answer.raw_stop_reason or answer.stop_reason!r}.")
    if not answer.text.strip():
        raise SummaryFailed("The model's summary was empty.")
    return answer.text.strip()


def _explanation(failure: ProviderError, model: Model) -> str:
    said = failure.message if failure.message.endswith((".", "!", "?")) else f"{failure.message}."
    match failure.kind:
        case ErrorKind.INTERNAL:
            return said
        case ErrorKind.CONTEXT_OVERFLOW:
            return f"{said} Even a part of the conversation is too long for {model.ref}. {TOO_LONG_FOR_A_SUMMARY}"
    return f"{said} {advice(failure.kind, model)}"
