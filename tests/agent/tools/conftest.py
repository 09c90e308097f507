"""A workspace in a temporary folder, and one call of one of its tools."""

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from pi_tui.agent.tool import ToolError, ToolResult
from pi_tui.agent.tools.builtin import builtin_tools
from pi_tui.agent.tools.workspace import Workspace
from pi_tui.llm.messages import ImageContent, TextContent


@dataclass
class Outcome:
    """What a call gave: `text` is what the model reads, an error's message last."""

    text: str
    details: Any
    is_error: bool
    images: list[ImageContent]


Call = Callable[..., Awaitable[Outcome]]


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    folder = tmp_path / "work"
    folder.mkdir()
    return Workspace(folder, dict, None, None, tmp_path / "cache")


@pytest.fixture
def call(workspace: Workspace) -> Call:
    tools = builtin_tools(workspace)

    async def run(name: str, updates: list[ToolResult] | None = None, **arguments: Any) -> Outcome:
        seen: list[ToolResult] = [] if updates is None else updates
        try:
            result = await tools[name].execute("call", arguments, seen.append)
        except ToolError as error:
            content, details, is_error = error.content, error.details, True
            content = [*content, TextContent(error.message)]
        else:
            content, details, is_error = result.content, result.details, False
        text = "\n\n".join(block.text for block in content if isinstance(block, TextContent))
        return Outcome(text, details, is_error, [b for b in content if isinstance(b, ImageContent)])

    return run
