"""Messages the user sent while a run was going."""

from collections.abc import Callable, Sequence
from typing import Literal, TypeAlias

from msgspec import Struct
from msgspec.structs import replace

from pi_tui.llm.messages import ImageContent, UserMessage, now_ms, text_of

QueueMode: TypeAlias = Literal["one-at-a-time", "all"]

MAX_QUEUED = 1000
"""Messages that may wait; more is a client gone wild."""


class QueueFullError(Exception):
    def __init__(self) -> None:
        super().__init__(
            f"{MAX_QUEUED} messages are waiting already: "
            "stop the run or take them back, then send this one again."
        )


class QueuedMessage(Struct, frozen=True):
    """A message that was taken back before it was sent."""

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
        self._steering: list[UserMessage] = []
        self._follow_ups: list[UserMessage] = []

    @property
    def steering_texts(self) -> list[str]:
        """What waits to steer, oldest first."""
        return [text_of(message.content) for message in self._steering]

    @property
    def follow_up_texts(self) -> list[str]:
        """What waits for the end of the run, oldest first."""
        return [text_of(message.content) for message in self._follow_ups]

    def steer(self, message: UserMessage) -> None:
        """Raises `QueueFullError`."""
        self._add(self._steering, message)

    def follow_up(self, message: UserMessage) -> None:
        """Raises `QueueFullError`."""
        self._add(self._follow_ups, message)

    def put_first(self, messages: Sequence[UserMessage]) -> None:
        """Messages that were to be sent at once and have to wait after all."""
        self._steering[:0] = messages
        self.on_change()

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
        return [QueuedMessage(text_of(message.content), _images(message)) for message in taken]

    def _add(self, waiting: list[UserMessage], message: UserMessage) -> None:
        if len(self._steering) + len(self._follow_ups) >= MAX_QUEUED:
            raise QueueFullError
        waiting.append(message)
        self.on_change()

    def _take(self, waiting: list[UserMessage], mode: QueueMode) -> list[UserMessage]:
        count = len(waiting) if mode == "all" else 1
        taken = waiting[:count]
        del waiting[:count]
        if taken:
            self.on_change()
        # A message is of the moment it enters the conversation, not of the moment it was typed.
        return [replace(message, timestamp=now_ms()) for message in taken]


def _images(message: UserMessage) -> tuple[ImageContent, ...]:
    if isinstance(message.content, str):
        return ()
    return tuple(block for block in message.content if isinstance(block, ImageContent))
