"""The `bash` tool.

`details`: `{"exitCode": int or None, "cancelled": bool, "timedOut": bool, "durationMs": int}`, with
`"truncation": {"by": "lines" | "bytes", "firstLine", "lastLine", "totalLines", "totalBytes"}` and
`"fullOutputPath"` if the content holds only the end of the output, and `"ansi"` if it had colours: its last
`limits.ANSI_DETAILS_BYTES` with SGR sequences. Updates while it runs have the end of the output as content
and, if it has colours, `{"ansi"}`.
"""

import signal
from contextlib import suppress
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.shell import ShellError, ShellOutcome, from_line_start, run_in_shell
from pi_tui.agent.tools.terminal_text import without_colours
from pi_tui.agent.tools.workspace import Workspace
from pi_tui.llm.messages import TextContent


class BashTool:
    name: ClassVar[str] = "bash"
    description: ClassVar[str] = (
        "Run a command in bash, in the working directory, without a terminal or input. Shows the last "
        f"{limits.MAX_LINES} lines or {limits.MAX_BYTES // limits.KIB} KiB of its output."
    )
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "command": {"type": "string"},
            "timeout": {"type": "number", "description": "Seconds; none if left out"},
        },
        "required": ["command"],
    }
    summary: ClassVar[str] = "run shell commands"
    rules: ClassVar[tuple[str, ...]] = (
        "Start servers in the background with their output in a file: server > log 2>&1 &",
    )
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        def show(ansi: str) -> None:
            end = from_line_start(ansi, limits.UPDATE_BYTES)
            plain = without_colours(end)
            on_update(text_result(plain, {"ansi": end} if end != plain else None))

        timeout = arguments.get("timeout")
        try:
            outcome = await run_in_shell(self._workspace, arguments["command"], timeout, show)
        except ShellError as error:
            raise ToolError(str(error)) from error
        text = shown_text(outcome)
        details = _details(outcome)
        if outcome.stopped is None and outcome.exit_code == 0:
            return text_result(text or "(no output)", details)
        content = [TextContent(text)] if text else []
        raise ToolError(_failure(outcome, timeout), content=[*content], details=details)


def shown_text(outcome: ShellOutcome) -> str:
    """The output with what must be said of it."""
    notes = [outcome.note] if outcome.note else []
    if outcome.background:
        notes.append(
            "[Something it started still runs in the background; what that prints from now on is not shown.]"
        )
    output = outcome.output.rstrip("\n")
    return "\n\n".join([output, *notes] if output else notes)


def _failure(outcome: ShellOutcome, timeout: float | None) -> str:
    if outcome.stopped == "cancelled":
        text = "Aborted by the user: the command and everything it had started were ended."
    elif outcome.stopped == "timeout":
        text = f"Timed out after {timeout:g} s: the command and everything it had started were ended."
    else:
        text = f"Exit code {outcome.exit_code}{_signal_name(outcome.exit_code)}."
    if outcome.survivors:
        text += f" These processes could not be ended: {', '.join(map(str, outcome.survivors))}."
    return text


def _signal_name(exit_code: int | None) -> str:
    if exit_code is not None and exit_code > 128:
        with suppress(ValueError):
            return f" (128 + {signal.Signals(exit_code - 128).name})"
    return ""


def _details(outcome: ShellOutcome) -> dict[str, Any]:
    details: dict[str, Any] = {
        "exitCode": outcome.exit_code,
        "cancelled": outcome.stopped == "cancelled",
        "timedOut": outcome.stopped == "timeout",
        "durationMs": outcome.duration_ms,
    }
    if outcome.truncation is not None:
        details["truncation"] = outcome.truncation
    if outcome.full_output_path is not None:
        details["fullOutputPath"] = outcome.full_output_path
    if outcome.ansi is not None:
        details["ansi"] = outcome.ansi
    return details
