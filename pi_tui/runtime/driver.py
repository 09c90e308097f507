"""Drives the runs that one prompt starts: stores what they say, tries again what fails in passing."""

import asyncio
from collections.abc import Sequence
from contextlib import aclosing
from typing import TYPE_CHECKING

from pi_tui.agent.abort import Abort
from pi_tui.agent.events import AgentEnd, AgentEvent, MessageEnd
from pi_tui.agent.loop import Request, RunState, run
from pi_tui.agent.tool import spec_of
from pi_tui.llm.errors import ProviderError
from pi_tui.llm.failures import advice
from pi_tui.llm.messages import UserMessage
from pi_tui.runtime.auto_compaction import AutoCompaction
from pi_tui.runtime.events import AutoRetryEnd, AutoRetryStart, Notice
from pi_tui.runtime.projecting import project
from pi_tui.runtime.prompt_state import patch, told_at_leaf

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session

SAVE_AGAIN_AFTER = 2.0
"""Seconds between attempts to save what a full disk refused."""


class RunDriver:
    """One prompt until it has settled.

    Args:
        session: Whose file, model, tools and queue are used.
        abort: The user's wish to stop.
    """

    def __init__(self, session: "Session", abort: Abort) -> None:
        self._session = session
        self._abort = abort
        self._compaction = AutoCompaction(session, abort)

    async def run(self, prompts: Sequence[UserMessage]) -> None:
        """The runs that come of some prompts, and of what is queued while the context is compacted."""
        waiting: Sequence[UserMessage] | None = prompts
        while waiting:
            waiting = await self._compaction.before_prompt(waiting)
            if not waiting:
                return
            done = await self._run_again_and_again(waiting)
            # What waits behind a failure goes back to the user.
            waiting = self._queued() if done and not self._abort.requested else None

    async def go_on(self) -> None:
        """The runs that come of what is queued."""
        await self.run(self._queued())

    def _queued(self) -> Sequence[UserMessage]:
        queue = self._session.queue
        return queue.take_steering() or queue.take_follow_ups()

    async def _run_again_and_again(self, prompts: Sequence[UserMessage]) -> bool:
        """One run and, while it fails in ways that pass or can be repaired, the same run again.

        Returns:
            Whether it ended with an answer.
        """
        attempt = 0
        while True:
            state = RunState()
            end = await self._run_once(prompts, state)
            prompts = ()
            failure = state.failure
            answer = end.messages[-1] if end.messages else None
            if attempt and failure is None:
                self._session.publish(AutoRetryEnd(not self._abort.requested, attempt))
                attempt = 0
            delay = self._delay(attempt + 1, failure)
            repair = self._compaction.wants_repair(failure, answer)
            self._session.publish(AgentEnd(end.messages, will_retry=repair or delay is not None))
            if repair:
                if await self._compaction.repair(failure):
                    continue
                return False
            if failure is None and not self._abort.requested:
                await self._compaction.after_run(answer)
            if failure is None or delay is None:
                self._give_up(attempt, failure)
                return failure is None
            attempt += 1
            if not await self._wait(attempt, delay, failure):
                self._session.publish(AutoRetryEnd(False, attempt, "stopped by the user"))
                return False

    async def _run_once(self, prompts: Sequence[UserMessage], state: RunState) -> AgentEnd:
        end = AgentEnd([])
        events = run(
            prompts=prompts,
            request=self._request,
            stream=self._session.services.stream,
            queue=self._session.queue,
            abort=self._abort,
            state=state,
            model=self._session.model,
        )
        async with aclosing(events):
            async for event in events:
                if isinstance(event, AgentEnd):
                    end = event
                    continue
                self._record(event)
                self._session.publish(event)
                await self._session.readers_keep_up(self._abort)
        return end

    def _delay(self, attempt: int, failure: ProviderError | None) -> float | None:
        """Seconds until the next attempt; None if there is none."""
        if failure is None or self._abort.requested:
            return None
        return self._session.services.retry_policy.delay(attempt, failure)

    async def _wait(self, attempt: int, delay: float, failure: ProviderError) -> bool:
        """Waits for the next attempt. False if the user did not want to."""
        maximum = self._session.services.retry_policy.max_retries
        self._session.publish(AutoRetryStart(attempt, maximum, int(delay * 1000), failure.message))
        try:
            async with asyncio.timeout(delay):
                await self._abort.wait()
        except TimeoutError:
            return True
        return False

    def _give_up(self, attempt: int, failure: ProviderError | None) -> None:
        """Says what the user can do about a failure that is not tried again."""
        model = self._session.model
        if failure is None or model is None or self._abort.requested:
            return
        if attempt:
            self._session.publish(AutoRetryEnd(False, attempt, failure.message))
        refusal = self._session.services.retry_policy.refusal(attempt + 1, failure)
        sentences = [self._compaction.explain(failure) or advice(failure.kind, model)]
        if failure.retryable and refusal is not None:
            sentences.insert(0, refusal)
        self._session.publish(Notice("warning", " ".join(sentences)))

    async def _request(self) -> Request:
        """The next request, made from what the session file says now."""
        session = self._session
        model = session.model
        assert model is not None
        await self._saved()
        await self._compaction.between_turns()
        options = await session.services.stream_options(model, session.thinking_level, session.log.id)
        return Request(
            model=model,
            messages=(await project(session.log)).messages,
            system=session.services.prompt.text,
            tools=session.services.tools,
            options=options,
        )

    def _record(self, event: AgentEvent) -> None:
        if isinstance(event, MessageEnd):
            if isinstance(event.message, UserMessage):
                store_choices(self._session)
                store_prompt_state(self._session)
            self._session.log.append_message(event.message)

    async def _saved(self) -> None:
        """Holds the run while entries cannot be written (a full disk), and tries again until they are."""
        log = self._session.log
        if not log.unsaved:
            return
        self._session.publish(
            Notice("warning", "The run waits until everything is saved, or until it is stopped.")
        )
        while log.unsaved and not self._abort.requested:
            try:
                async with asyncio.timeout(SAVE_AGAIN_AFTER):
                    await self._abort.wait()
            except TimeoutError:
                log.retry_saving()
        if not log.unsaved:
            self._session.publish(Notice("info", "Everything is saved again."))


def store_choices(session: "Session") -> None:
    """Writes the model and the thinking level where the branch does not say them already."""
    model, level = session.log.choices()
    if session.model and model != (session.model.provider, session.model.id):
        session.log.append_model_change(session.model.provider, session.model.id)
    if level != session.thinking_level:
        session.log.append_thinking_level(session.thinking_level)
    session.unstored_choice = False


def store_prompt_state(session: "Session") -> None:
    """Writes what changed of the system prompt and the tools since the branch last told them."""
    services = session.services
    tools = [spec_of(tool) for tool in services.tools]
    message = patch(told_at_leaf(session.log), services.prompt.sections, tools)
    if message is not None:
        session.log.append_message(message)
