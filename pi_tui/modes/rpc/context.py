"""What the functions of the commands have at hand."""

from collections.abc import Callable, Coroutine
from typing import Any

from pi_tui.modes.record_writer import RecordWriter
from pi_tui.modes.records import record_of
from pi_tui.runtime.events import BashEnd, BashUpdate, SessionEvent
from pi_tui.runtime.session import Session


class Rpc:
    """The session, the way to the client, and what this client has switched.

    Args:
        session: What the commands are about.
        writer: For records that are no events.
        begin: Starts work that outlives its command; the server owns it.
    """

    def __init__(
        self, session: Session, writer: RecordWriter, begin: Callable[[Coroutine[Any, Any, None]], object]
    ) -> None:
        self.session = session
        self.writer = writer
        self.begin = begin
        self.flush_events: Callable[[], None] = lambda: None
        """Puts all that was told so far before the next record."""
        self.leaving = False
        """The end has begun: nothing new is started."""
        self.stop_command: Callable[[], None] = session.user_command.cancel
        """Ends the user's command that is running, if one is."""
        self.tells_output = False
        """A command's output is told in full by whoever runs it, and not by the session's events."""
        self.auto_compaction: bool | None = None
        self.auto_retry: bool | None = None

    def record_of(self, event: SessionEvent) -> bytes:
        """The record of an event; nothing for those that somebody else tells."""
        if self.tells_output and isinstance(event, BashUpdate | BashEnd):
            return b""
        return record_of(event)

    def apply_switches(self) -> None:
        """What the client switched holds for the whole process, also when another folder's settings come in."""
        settings = self.session.services.settings
        if self.auto_compaction is not None:
            settings.compaction.enabled = self.auto_compaction
        if self.auto_retry is not None:
            settings.retry.enabled = self.auto_retry
