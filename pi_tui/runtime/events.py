"""What a running session tells beyond the loop's own events."""

from typing import Any, Literal, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from pi_tui.agent.events import AgentEvent
from pi_tui.llm.messages import BashExecutionMessage, Usage

CompactionReason: TypeAlias = Literal["manual", "threshold", "overflow"]


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


class CompactionStart(_Event, tag="compaction_start"):
    reason: CompactionReason


class CompactionResult(Struct, rename="camel"):
    """What a compaction wrote. Sizes are of the whole context, in tokens."""

    summary: str
    first_kept_entry_id: str
    tokens_before: int
    estimated_tokens_after: int
    usage: Usage
    details: Any


class CompactionEnd(_Event, tag="compaction_end"):
    """With a result it is done; else nothing has changed: it was stopped by the user, or failed."""

    reason: CompactionReason
    result: CompactionResult | UnsetType = UNSET
    aborted: bool = False
    will_retry: bool = False
    """The turn that did not fit is sent again."""
    error_message: str | UnsetType = UNSET


class SummarizationRetryScheduled(_Event, tag="summarization_retry_scheduled"):
    """A summary request failed in passing and is sent again after `delay_ms`."""

    attempt: int
    max_attempts: int
    delay_ms: int
    error_message: str


class SummarizationRetryAttemptStart(_Event, tag="summarization_retry_attempt_start"):
    source: Literal["compaction", "branchSummary"]
    reason: CompactionReason | UnsetType = UNSET


class SummarizationRetryFinished(_Event, tag="summarization_retry_finished"):
    pass


class BranchSummaryStart(_Event, tag="branch_summary_start"):
    """The branch that is left is being summarised."""


class BranchSummaryEnd(_Event, tag="branch_summary_end"):
    aborted: bool = False
    error_message: str | UnsetType = UNSET


class SessionInfoChanged(_Event, tag="session_info_changed"):
    name: str | UnsetType = UNSET


class ThinkingLevelChanged(_Event, tag="thinking_level_changed"):
    level: str


class ModelChanged(_Event, tag="model_changed"):
    provider: str
    model_id: str


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
    | CompactionStart
    | CompactionEnd
    | SummarizationRetryScheduled
    | SummarizationRetryAttemptStart
    | SummarizationRetryFinished
    | BranchSummaryStart
    | BranchSummaryEnd
    | SessionInfoChanged
    | ThinkingLevelChanged
    | ModelChanged
    | SessionReplaced
    | BashStart
    | BashUpdate
    | BashEnd
    | Notice
)
