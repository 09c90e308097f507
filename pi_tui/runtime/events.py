"""What a running session tells beyond the loop's own events."""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from pi_tui.agent.events import AgentEvent
from pi_tui.llm.messages import BashExecutionMessage


class _Event(Struct, tag_field="type", rename="camel"):
    pass


class AgentSettled(_Event, tag="agent_settled"):
    """No retry, compaction or queued message is left: the session waits for the user."""

    aborted: bool


class QueueUpdate(_Event, tag="queue_update"):
    steering: list[str]
    follow_up: list[str]


class AutoRetryStart(_Event, tag="auto_retry_start"):
    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str


class AutoRetryEnd(_Event, tag="auto_retry_end"):
    success: bool
    attempt: int
    final_error: str | UnsetType = UNSET


class SessionInfoChanged(_Event, tag="session_info_changed"):
    name: str | UnsetType = UNSET


class ThinkingLevelChanged(_Event, tag="thinking_level_changed"):
    level: str


class ModelChanged(_Event, tag="model_changed"):
    provider: str
    model_id: str


class EntryAppended(_Event, tag="entry_appended"):
    entry: Any


class SessionReplaced(_Event, tag="session_replaced"):
    """Another session, or another place in the tree, is now the current one: show it afresh."""

    reason: str
    """`new`, `resume`, `fork`, `tree`."""


class BashStart(_Event, tag="bash_execution_start"):
    """The user's own command begins."""

    command: str
    exclude_from_context: bool


class BashUpdate(_Event, tag="bash_execution_update"):
    """Output of the user's own command."""

    delta: str
    output: str = ""
    """The end of all that came so far, with colours; replaces the one before it."""


class BashEnd(_Event, tag="bash_execution_end"):
    """The user's own command has ended; it is stored once no run is going."""

    message: BashExecutionMessage
    ansi: str | None = None
    """The end of its output with colours, if it had any."""


class Notice(_Event, tag="notice"):
    """Something the user should know that is no part of the conversation."""

    level: Literal["info", "warning", "error"]
    text: str


SessionEvent: TypeAlias = (
    AgentEvent
    | AgentSettled
    | QueueUpdate
    | AutoRetryStart
    | AutoRetryEnd
    | SessionInfoChanged
    | ThinkingLevelChanged
    | ModelChanged
    | EntryAppended
    | SessionReplaced
    | BashStart
    | BashUpdate
    | BashEnd
    | Notice
)
