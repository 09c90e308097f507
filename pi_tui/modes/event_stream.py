"""Passes on what a session tells as records, no faster than they are read."""

from collections.abc import Callable

from pi_tui.modes.record_writer import RecordWriter
from pi_tui.modes.records import record_of
from pi_tui.runtime.bus import Subscription
from pi_tui.runtime.events import SessionEvent
from pi_tui.runtime.session import Session


class EventStream:
    """The events of a session on their way to a reader.

    The run is held back while the reader does not read, so nothing is lost and nothing piles up.

    Args:
        session: What is listened to, from now on.
        writer: Where the records go.
        record: Makes the record of an event.
    """

    def __init__(
        self, session: Session, writer: RecordWriter, record: Callable[[SessionEvent], bytes] = record_of
    ) -> None:
        self._session = session
        self._events: Subscription = session.subscribe(holds_back=True)
        self._writer = writer
        self._record = record

    async def run(self) -> None:
        """Passes events on until `close`. A run that nobody hears any more is stopped."""
        async for event in self._events:
            self._writer.put(self._record(event))
            await self._writer.room()
            if self._writer.gone:
                self._session.abort()

    def flush(self) -> None:
        """Puts all that was told so far before what is written next."""
        for event in self._events.take():
            self._writer.put(self._record(event))

    def close(self) -> None:
        """Ends `run` once everything that was told is passed on."""
        self._events.close()
