"""One response on its way: a task pumps the provider's stream, the loop takes what came in batches."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from time import monotonic
from types import TracebackType

from pi_tui.agent.abort import Abort, end
from pi_tui.agent.surrogates import mended
from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import AssistantMessage, Usage
from pi_tui.llm.model import Model
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamFunction, StreamOptions

BACKLOG = 1024
"""Events that may wait for the loop; then the provider has to wait."""
MAX_TURN = 0.004
"""Seconds after which a stream whose data is all there lets others have the event loop: keys, the screen."""


class Response:
    """A streamed response, from the request to the finished message.

    Entering the block sends the request, leaving it ends the stream. `batch` is called until it gives
    nothing; then `message` and `failure` say what came of it.
    """

    def __init__(
        self, stream: StreamFunction, model: Model, context: Context, options: StreamOptions, abort: Abort
    ) -> None:
        self.failure: ProviderError | None = None
        self._assembler = MessageAssembler(model, options.thinking_level)
        self._abort = abort
        self._events: list[AssistantEvent] = []
        self._news = asyncio.Event()
        self._room = asyncio.Event()
        self._stream = partial(stream, model, context, options, self._assembler)

    async def __aenter__(self) -> "Response":
        self._pumping = self._abort.start(self._pump())
        self._pumping.add_done_callback(lambda _: self._news.set())
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await end([self._pumping])

    @property
    def usage(self) -> Usage:
        return self._assembler.usage

    @property
    def broken_calls(self) -> dict[str, str]:
        """Why calls of the message cannot be run, by call id."""
        return self._assembler.broken_calls

    async def batch(self) -> list[AssistantEvent]:
        """What came since the last batch, once there is any; nothing when the stream has ended."""
        await self._news.wait()
        events, self._events = self._events, []
        if not self._pumping.done():
            self._news.clear()
        self._room.set()
        return [mended(event) for event in events]

    def begun(self) -> AssistantMessage:
        """The message as it begins: pending, with nothing in it."""
        message = self._assembler.snapshot()
        message.content = []
        return message

    def message(self) -> AssistantMessage:
        """The message when the stream has ended; sets `failure` where it is the message of an error."""
        try:
            self._raise_failure()
            message = self._assembler.finish()
        except ProviderError as failure:
            if self._abort.requested:
                message = self._assembler.aborted()
            else:
                self.failure = failure
                message = self._assembler.failed(failure.message)
        return mended(message)

    def _raise_failure(self) -> None:
        if self._pumping.cancelled():
            raise ProviderError(ErrorKind.NETWORK, "The request was cancelled on its way.")
        error = self._pumping.exception()
        if error is not None:
            raise as_provider_error(error) from error

    async def _pump(self) -> None:
        stream = self._stream()
        turn_ends = monotonic() + MAX_TURN
        try:
            async for event in stream:
                await self._put(event)
                if monotonic() > turn_ends:
                    await asyncio.sleep(0)
                    turn_ends = monotonic() + MAX_TURN
        finally:
            await _close(stream)
        for event in self._assembler.end():
            await self._put(event)

    async def _put(self, event: AssistantEvent) -> None:
        while len(self._events) >= BACKLOG:
            self._room.clear()
            await self._room.wait()
        self._events.append(event)
        self._news.set()


def as_provider_error(error: BaseException) -> ProviderError:
    """What failed on the way to a response, as the one kind of error a run ends with."""
    if isinstance(error, ProviderError):
        return error
    said = str(error)
    return ProviderError(
        ErrorKind.INTERNAL, f"{type(error).__name__}: {said}" if said else type(error).__name__
    )


async def _close(stream: AsyncIterator[AssistantEvent]) -> None:
    """Closes a stream that was left before its end; only generators need it."""
    close = getattr(stream, "aclose", None)
    if close is not None:
        await close()
