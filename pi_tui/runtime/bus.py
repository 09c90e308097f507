"""How a running session reaches its front ends: one bounded queue for each of them."""

import asyncio
from collections import deque
from collections.abc import AsyncIterator

from pi_tui.agent.events import MessageUpdate, ToolExecutionUpdate
from pi_tui.runtime.deltas import joined_deltas
from pi_tui.runtime.events import BashUpdate, SessionEvent, SessionReplaced

MAX_WAITING = 5_000
"""Events a subscription holds for a reader that does not read."""
HELD_BACK_AT = 1_000
"""Events that wait for a reader which wants every one: then the run waits too."""
MAX_JOINED = 256 * 1024
"""Characters of a command's output that wait for such a reader."""


class Subscription:
    """The events of a session for one reader, in order.

    While the reader is busy, deltas of one block are joined and a newer output of a tool takes the place of an older
    one, so a slow reader gets fewer and larger events and never falls behind. A reader that stops reading loses what
    waited and is told to show the session afresh (`SessionReplaced`, reason `lagged`).

    Args:
        bus: Where it is subscribed.
        holds_back: Such a reader loses nothing: the run waits for it (`EventBus.room`).
    """

    def __init__(self, bus: "EventBus", *, holds_back: bool = False) -> None:
        self._bus = bus
        self._holds_back = holds_back
        self._waiting: deque[SessionEvent] = deque()
        self._arrived = asyncio.Event()
        self._closed = False

    def __aiter__(self) -> AsyncIterator[SessionEvent]:
        return self

    async def __anext__(self) -> SessionEvent:
        while not self._waiting:
            if self._closed:
                raise StopAsyncIteration
            self._arrived.clear()
            await self._arrived.wait()
        return self._next()

    @property
    def crowded(self) -> bool:
        """More waits than a reader that wants every event should have to catch up with."""
        return self._holds_back and not self._closed and len(self._waiting) >= HELD_BACK_AT

    def next_waiting(self) -> SessionEvent | None:
        """The next event, if one waits."""
        return self._next() if self._waiting else None

    def take(self) -> list[SessionEvent]:
        """Everything that waits, without waiting."""
        events = list(self._waiting)
        self._waiting.clear()
        self._bus.reader_went_on()
        return events

    def _next(self) -> SessionEvent:
        event = self._waiting.popleft()
        self._bus.reader_went_on()
        return event

    def close(self) -> None:
        """Ends the iteration once what waits has been read."""
        self._closed = True
        self._bus.subscriptions.discard(self)
        self._bus.reader_went_on()
        self._arrived.set()

    def put(self, event: SessionEvent) -> None:
        if self._waiting:
            joined = _joined(self._waiting[-1], event)
            if joined is not None:
                self._waiting[-1] = joined
                return
        if len(self._waiting) >= MAX_WAITING:
            self._waiting.clear()
            self._waiting.append(SessionReplaced("lagged"))
        self._waiting.append(event)
        self._arrived.set()


class EventBus:
    """Hands each published event to every subscription."""

    def __init__(self) -> None:
        self.subscriptions: set[Subscription] = set()
        self._went_on = asyncio.Event()

    @property
    def crowded(self) -> bool:
        """A reader that wants every event has fallen behind."""
        return any(one.crowded for one in self.subscriptions)

    async def room(self) -> None:
        """Returns when no reader that wants every event has too many waiting."""
        while self.crowded:
            self._went_on.clear()
            await self._went_on.wait()

    def reader_went_on(self) -> None:
        self._went_on.set()

    def subscribe(self, *, holds_back: bool = False) -> Subscription:
        subscription = Subscription(self, holds_back=holds_back)
        self.subscriptions.add(subscription)
        return subscription

    def publish(self, event: SessionEvent) -> None:
        for subscription in self.subscriptions:
            subscription.put(event)

    def close(self) -> None:
        for subscription in list(self.subscriptions):
            subscription.close()


def _joined(last: SessionEvent, event: SessionEvent) -> SessionEvent | None:
    """One event that says what both say, where there is one."""
    match last, event:
        case MessageUpdate(assistant_message_event=first), MessageUpdate(assistant_message_event=second):
            delta = joined_deltas(first, second)
            return None if delta is None else MessageUpdate(event.usage, delta)
        case ToolExecutionUpdate(tool_call_id=one), ToolExecutionUpdate(tool_call_id=other) if one == other:
            return event
        case BashUpdate(delta=before), BashUpdate(delta=after, output=output):
            return BashUpdate((before + after)[-MAX_JOINED:], output)
    return None
