"""The tools that come with the program."""

from pi_tui.agent.tool import Tool
from pi_tui.agent.tools.bash import BashTool
from pi_tui.agent.tools.edit import EditTool
from pi_tui.agent.tools.find import FindTool
from pi_tui.agent.tools.grep import GrepTool
from pi_tui.agent.tools.ls import LsTool
from pi_tui.agent.tools.read import ReadTool
from pi_tui.agent.tools.workspace import Workspace
from pi_tui.agent.tools.write import WriteTool

DEFAULT_TOOLS = ("read", "bash", "edit", "write")


def builtin_tools(workspace: Workspace) -> dict[str, Tool]:
    """Every built-in tool by its name, in the order a model is told of them."""
    tools: list[Tool] = [
        ReadTool(workspace),
        BashTool(workspace),
        EditTool(workspace),
        WriteTool(workspace),
        GrepTool(workspace),
        FindTool(workspace),
        LsTool(workspace),
    ]
    return {tool.name: tool for tool in tools}
