"""The user's wish to stop a run, and the tasks that end with it."""

import asyncio
from collections.abc import AsyncIterator, Collection, Coroutine
from contextlib import asynccontextmanager
from typing import Any, TypeVar

T = TypeVar("T")


class Abort:
    """Asked for once, it holds for the whole run: whoever starts the next run makes a new one."""

    def __init__(self) -> None:
        self._asked = asyncio.Event()
        self._tied: set[asyncio.Task[Any]] = set()

    @property
    def requested(self) -> bool:
        return self._asked.is_set()

    def request(self) -> None:
        """Cancels every task tied to this abort; asking again does nothing."""
        if self.requested:
            return
        self._asked.set()
        for task in tuple(self._tied):
            task.cancel()

    async def wait(self) -> None:
        """Returns when the abort is asked for."""
        await self._asked.wait()

    def start(self, work: Coroutine[Any, Any, T]) -> asyncio.Task[T]:
        """A new task that is cancelled by the abort; the caller still owns it and awaits its end."""
        task = asyncio.create_task(work)
        self._tied.add(task)
        task.add_done_callback(self._tied.discard)
        if self.requested:
            task.cancel()
        return task

    @asynccontextmanager
    async def child(self, work: Coroutine[Any, Any, T]) -> AsyncIterator[asyncio.Task[T]]:
        """A task that ends with the abort, and at the latest with the block."""
        task = self.start(work)
        try:
            yield task
        finally:
            await end([task])


async def end(tasks: Collection[asyncio.Task[Any]]) -> None:
    """Cancels tasks and waits until they are gone; what they raise meanwhile is dropped."""
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
