"""The messages of a conversation, as they are stored and as they are projected to a model.

Field names on disk are camelCase and are those of the session format v3. Timestamps are Unix milliseconds.
"""

import time
from typing import Any, TypeAlias

import msgspec
from msgspec import UNSET, Struct, UnsetType


def now_ms() -> int:
    """The current time in Unix milliseconds."""
    return int(time.time() * 1000)


class _Block(Struct, tag_field="type", rename="camel", omit_defaults=True):
    pass


class TextContent(_Block, tag="text"):
    text: str
    text_signature: str | None = None
    """Opaque provider metadata, replayed to the same model only."""


class ImageContent(_Block, tag="image"):
    data: str
    """Base64."""
    mime_type: str


class ThinkingContent(_Block, tag="thinking"):
    thinking: str
    thinking_signature: str | None = None
    redacted: bool = False


class ToolCall(_Block, tag="toolCall"):
    id: str
    name: str
    arguments: dict[str, Any]
    thought_signature: str | None = None
    namespace: str | None = None


AssistantBlock: TypeAlias = TextContent | ThinkingContent | ToolCall
UserBlock: TypeAlias = TextContent | ImageContent


class Cost(Struct, rename="camel"):
    """US dollars."""

    input: float = 0
    output: float = 0
    cache_read: float = 0
    cache_write: float = 0
    total: float = 0


class Usage(Struct, rename="camel"):
    """Tokens of one response. `input` is without the cached part; `reasoning` is already in `output`."""

    input: int = 0
    output: int = 0
    cache_read: int = 0
    cache_write: int = 0
    total_tokens: int = 0
    cost: Cost = msgspec.field(default_factory=Cost)
    reasoning: int | UnsetType = UNSET
    cache_write1h: int | UnsetType = msgspec.field(default=UNSET, name="cacheWrite1h")

    def __add__(self, other: "Usage") -> "Usage":
        total = Usage()
        for usage in (self, other):
            total.input += usage.input
            total.output += usage.output
            total.cache_read += usage.cache_read
            total.cache_write += usage.cache_write
            total.total_tokens += usage.total_tokens
            for part in Cost.__struct_fields__:
                setattr(total.cost, part, getattr(total.cost, part) + getattr(usage.cost, part))
        return total


class _Message(Struct, tag_field="role", rename="camel", omit_defaults=True):
    pass


class ToolSpec(Struct, rename="camel"):
    """A tool as the model is told of it; `parameters` is a JSON Schema."""

    name: str
    description: str
    parameters: dict[str, Any]


class ToolReference(Struct, rename="camel"):
    name: str


class SystemMessage(_Message, tag="system"):
    """The prompt and the tools a model saw: a leading one in full, later ones as patches."""

    content: str | list[TextContent]
    sections: dict[str, str | None] | None = None
    tools_added: list[ToolSpec] | None = None
    tools_removed: list[ToolReference] | None = None
    timestamp: int = 0


class UserMessage(_Message, tag="user"):
    content: str | list[UserBlock]
    timestamp: int = 0


class AssistantMessage(_Message, tag="assistant"):
    content: list[AssistantBlock]
    api: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage = msgspec.field(default_factory=Usage)
    stop_reason: str = msgspec.field(default_factory=lambda: "stop")  # A factory: the format has it always.
    """`stop`, `length`, `toolUse`, `error`, `aborted`; `pending` only while it streams, never on disk."""
    timestamp: int = 0
    error_message: str | None = None
    response_model: str | None = None
    response_id: str | None = None
    raw_stop_reason: str | None = None
    duration_ms: int | None = None
    thinking_level: str | None = None

    @property
    def tool_calls(self) -> list[ToolCall]:
        return [block for block in self.content if isinstance(block, ToolCall)]

    @property
    def text(self) -> str:
        return "".join(block.text for block in self.content if isinstance(block, TextContent))


class ToolResultMessage(_Message, tag="toolResult"):
    tool_call_id: str
    tool_name: str
    content: list[UserBlock]
    is_error: bool
    details: Any = None
    usage: Usage | None = None
    duration_ms: int | None = None
    timestamp: int = 0


class BashExecutionMessage(_Message, tag="bashExecution"):
    """The user's own `!command`."""

    command: str
    output: str
    exit_code: int | None = None
    cancelled: bool = msgspec.field(default_factory=bool)  # Factories: the format has these fields always.
    truncated: bool = msgspec.field(default_factory=bool)
    full_output_path: str | None = None
    exclude_from_context: bool = False
    timestamp: int = 0


class CustomMessage(_Message, tag="custom"):
    custom_type: str
    content: str | list[UserBlock]
    display: bool
    details: Any = None
    timestamp: int = 0


class BranchSummaryMessage(_Message, tag="branchSummary"):
    summary: str
    from_id: str | None
    timestamp: int = 0


class CompactionSummaryMessage(_Message, tag="compactionSummary"):
    summary: str
    tokens_before: int
    timestamp: int = 0


AgentMessage: TypeAlias = (
    SystemMessage
    | UserMessage
    | AssistantMessage
    | ToolResultMessage
    | BashExecutionMessage
    | CustomMessage
    | BranchSummaryMessage
    | CompactionSummaryMessage
)

WireMessage: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage
"""The roles every wire format knows; `replay.to_wire` makes them from the rest."""


def text_of(content: str | list[TextContent] | list[UserBlock] | list[AssistantBlock]) -> str:
    """The text of a message's content, blocks joined by newlines; images and thinking give nothing."""
    if isinstance(content, str):
        return content
    return "\n".join(block.text for block in content if isinstance(block, TextContent))
