"""What a run tells: the events of the loop, with the names and fields of JSON and RPC mode."""

from typing import Any, TypeAlias

from msgspec import UNSET, Struct, UnsetType

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    ImageContent,
    TextContent,
    ToolResultMessage,
    Usage,
)
from pi_tui.llm.stream import AssistantEvent


class _Event(Struct, tag_field="type", rename="camel"):
    pass


class AgentStart(_Event, tag="agent_start"):
    pass


class TurnStart(_Event, tag="turn_start"):
    pass


class MessageStart(_Event, tag="message_start"):
    message: AgentMessage


class MessageUpdate(_Event, tag="message_update"):
    """A step of a growing assistant message."""

    usage: Usage
    assistant_message_event: AssistantEvent


class MessageEnd(_Event, tag="message_end"):
    """The finished message. Whoever stores messages stores this one, before the run goes on."""

    message: AgentMessage


class PartialResult(Struct, rename="camel", omit_defaults=True):
    """What a tool has to show so far, or in the end: `content` for the model, `details` for the screen."""

    content: list[TextContent | ImageContent]
    details: Any = None


class ToolExecutionStart(_Event, tag="tool_execution_start"):
    tool_call_id: str
    tool_name: str
    args: dict[str, Any]


class ToolExecutionUpdate(_Event, tag="tool_execution_update"):
    tool_call_id: str
    tool_name: str
    args: dict[str, Any]
    partial_result: PartialResult
    """Replaces the one before it."""


class ToolExecutionEnd(_Event, tag="tool_execution_end"):
    tool_call_id: str
    tool_name: str
    result: PartialResult
    is_error: bool
    duration_ms: int | UnsetType = UNSET
    """Milliseconds in the tool; absent when it did not run."""


class TurnEnd(_Event, tag="turn_end"):
    message: AssistantMessage
    tool_results: list[ToolResultMessage]


class AgentEnd(_Event, tag="agent_end"):
    messages: list[AgentMessage]
    """What this run added, in order."""
    will_retry: bool = False


AgentEvent: TypeAlias = (
    AgentStart
    | TurnStart
    | MessageStart
    | MessageUpdate
    | MessageEnd
    | ToolExecutionStart
    | ToolExecutionUpdate
    | ToolExecutionEnd
    | TurnEnd
    | AgentEnd
)
