"""Messages the user sent while a run was going."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct

from pi_tui.llm.messages import ImageContent, TextContent, UserMessage, now_ms

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]

MAX_QUEUED = 1000
"""Messages that may wait; more is a client gone wild."""


class QueueFullError(Exception):
    def __init__(self) -> None:
        super().__init__(
            f"{MAX_QUEUED} messages are waiting already: stop the run or take them back, then send this one again."
        )


class QueuedMessage(Struct, frozen=True):
    text: str
    images: tuple[ImageContent, ...] = ()


class MessageQueue:
    """Steering waits for the current response and its tools, follow-ups for the end of the run.

    Args:
        steering_mode: How much steering goes along with one request.
        follow_up_mode: How many follow-ups go along with one request.
        on_change: Called after every change of what waits.
    """

    def __init__(
        self,
        steering_mode: QueueMode = "one-at-a-time",
        follow_up_mode: QueueMode = "one-at-a-time",
        on_change: Callable[[], None] = lambda: None,
    ) -> None:
        self.steering_mode = steering_mode
        self.follow_up_mode = follow_up_mode
        self.on_change = on_change
        self._steering: list[QueuedMessage] = []
        self._follow_ups: list[QueuedMessage] = []

    def __len__(self) -> int:
        return len(self._steering) + len(self._follow_ups)

    @property
    def steering(self) -> list[str]:
        """The texts that wait to steer, oldest first."""
        return [message.text for message in self._steering]

    @property
    def follow_ups(self) -> list[str]:
        """The texts that wait for the end of the run, oldest first."""
        return [message.text for message in self._follow_ups]

    def steer(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Raises `QueueFullError`."""
        self._add(self._steering, text, images)

    def follow_up(self, text: str, images: Sequence[ImageContent] = ()) -> None:
        """Raises `QueueFullError`."""
        self._add(self._follow_ups, text, images)

    def take_steering(self) -> list[UserMessage]:
        """Removes what the next request of the run takes along."""
        return self._take(self._steering, self.steering_mode)

    def take_follow_ups(self) -> list[UserMessage]:
        """Removes what goes on with a run that would end."""
        return self._take(self._follow_ups, self.follow_up_mode)

    def take_back(self) -> list[QueuedMessage]:
        """Removes everything, for the editor: steering first, each kind oldest first."""
        taken = [*self._steering, *self._follow_ups]
        self._steering.clear()
        self._follow_ups.clear()
        if taken:
            self.on_change()
        return taken

    def _add(self, waiting: list[QueuedMessage], text: str, images: Sequence[ImageContent]) -> None:
        if len(self) >= MAX_QUEUED:
            raise QueueFullError
        waiting.append(QueuedMessage(text, tuple(images)))
        self.on_change()

    def _take(self, waiting: list[QueuedMessage], mode: QueueMode) -> list[UserMessage]:
        count = len(waiting) if mode == "all" else 1
        taken = waiting[:count]
        del waiting[:count]
        if taken:
            self.on_change()
        return [UserMessage([TextContent(one.text), *one.images], now_ms()) for one in taken]
