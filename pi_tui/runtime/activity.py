"""What a running session is busy with at the moment, as its events tell."""

from msgspec import Struct

from pi_tui.agent.events import AgentStart
from pi_tui.runtime.events import (
    AgentSettled,
    AutoRetryEnd,
    AutoRetryStart,
    CompactionEnd,
    CompactionStart,
    SessionEvent,
)


class Activity(Struct):
    compacting: bool = False
    waiting_to_retry: bool = False

    def take(self, event: SessionEvent) -> None:
        match event:
            case CompactionStart():
                self.compacting = True
            case CompactionEnd():
                self.compacting = False
            case AutoRetryStart():
                self.waiting_to_retry = True
            case AgentStart() | AutoRetryEnd():
                self.waiting_to_retry = False
            case AgentSettled():
                self.compacting = self.waiting_to_retry = False
