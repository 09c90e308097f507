"""What the loop asks of a tool."""

from collections.abc import Callable
from typing import Any, ClassVar, Protocol, TypeAlias

from pi_tui.agent.events import PartialResult
from pi_tui.llm.messages import ImageContent, TextContent, ToolSpec

ToolResult: TypeAlias = PartialResult
OnUpdate: TypeAlias = Callable[[ToolResult], None]


class ToolError(Exception):
    """A failure the model is told of as an error result.

    Args:
        message: What happened, to which file or field, and what to do.
        content: What the tool had to show before it failed; it stands before the message.
        details: For the screen.
    """

    def __init__(
        self, message: str, *, content: list[TextContent | ImageContent] | None = None, details: Any = None
    ) -> None:
        super().__init__(message)
        self.message = message
        self.content = content or []
        self.details = details


class Tool(Protocol):
    """One thing the model can do.

    `execute` returns the result or raises `ToolError`. Being cancelled means the user stopped the run: the tool
    ends what it started and lets the cancellation through, or raises `ToolError` with what it has so far.
    """

    name: ClassVar[str]
    description: ClassVar[str]
    parameters: ClassVar[dict[str, Any]]
    """JSON Schema of the arguments."""
    summary: ClassVar[str]
    """One line for the system prompt."""
    rules: ClassVar[tuple[str, ...]]
    """Sentences for the system prompt on how to use it."""
    alone: ClassVar[bool]
    """True if no other call may run at the same time."""

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult: ...


def spec_of(tool: Tool) -> ToolSpec:
    return ToolSpec(tool.name, tool.description, tool.parameters)


def text_result(text: str, details: Any = None) -> ToolResult:
    return ToolResult([TextContent(text)], details)
