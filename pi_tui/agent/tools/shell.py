"""Running a command line in the session's shell, for the `bash` tool and for the user's own `!command`."""

import math
import os
import shutil
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.command_output import CommandOutput
from pi_tui.agent.tools.in_thread import in_thread
from pi_tui.agent.tools.process import CommandResult, CommandSpec, StopReason, run_command
from pi_tui.agent.tools.process_watch import OnOutput
from pi_tui.agent.tools.terminal_text import without_colours
from pi_tui.agent.tools.truncation import Tail, last_bytes, tail
from pi_tui.agent.tools.workspace import Workspace


class ShellError(Exception):
    """A command line that could not be started, and why."""


@dataclass(frozen=True)
class ShellOutcome:
    """How a command line ended.

    Attributes:
        output: The end of what it printed, plain.
        ansi: Its last `limits.ANSI_DETAILS_BYTES` with colours; None if there are none.
        exit_code: 128 + n for signal n; None if the shell could not be ended.
        stopped: `cancelled` or `timeout` if it was ended from here.
        note: What of the output is not in `output`, and where it is; empty if nothing is missing.
        truncation: The same for the screen; None if nothing is missing.
        full_output_path: The file with everything, if there is one.
        background: Something it started still has its output open.
        survivors: Processes that could not be ended.
    """

    output: str
    ansi: str | None
    exit_code: int | None
    stopped: StopReason | None
    duration_ms: int
    note: str
    truncation: dict[str, Any] | None
    full_output_path: str | None
    background: bool
    survivors: list[int]


async def run_in_shell(
    workspace: Workspace,
    command: str,
    timeout: float | None = None,
    on_output: OnOutput | None = None,
    tap: Callable[[bytes], None] | None = None,
) -> ShellOutcome:
    """Run a command line to its end. Being cancelled ends it and everything it started, and returns what
    there is.

    Args:
        timeout: Seconds.
        on_output: As for `process.run_command`.
        tap: As for `process.CommandSpec`.

    Raises:
        ShellError: It could not be started.
    """
    if timeout is not None and not (math.isfinite(timeout) and 0 < timeout <= limits.MAX_TIMEOUT_SECONDS):
        raise ShellError(f"timeout is {timeout}; it must be a number of seconds above 0.")
    spec = CommandSpec(
        arguments=(shell_of(workspace), "-c", _command_line(command, workspace.shell_prefix)),
        cwd=workspace.cwd,
        environ=workspace.command_environment(),
        output_folder=workspace.output_folder,
        timeout=timeout,
        tap=tap,
    )
    try:
        result = await run_command(spec, on_output)
    except (OSError, ValueError) as error:
        raise ShellError(_why_not_started(error, spec)) from error
    outcome, cancelled = await in_thread(lambda stop: _outcome(result), threads=None)
    return replace(outcome, stopped="cancelled") if cancelled else outcome


def _outcome(result: CommandResult) -> ShellOutcome:
    output = result.output
    coloured = output.text()
    plain = without_colours(coloured)
    shown = tail(plain, output.newlines + (plain != "" and not plain.endswith("\n")))
    kept = output.file if shown.cut_by else None
    if kept is None:
        output.forget_file()
    return ShellOutcome(
        output=shown.text,
        ansi=None if coloured == plain else from_line_start(coloured, limits.ANSI_DETAILS_BYTES),
        exit_code=result.exit_code,
        stopped=result.stopped,
        duration_ms=result.duration_ms,
        note=_note(shown, output) if shown.cut_by else "",
        truncation=_truncation(shown, output) if shown.cut_by else None,
        full_output_path=str(kept.path) if kept is not None and kept.exists else None,
        background=result.pipe_is_held and result.stopped is None,
        survivors=result.survivors,
    )


def shell_of(workspace: Workspace) -> str:
    """The shell commands run in."""
    if workspace.shell_path:
        return os.path.expanduser(workspace.shell_path)  # noqa: PTH111 - a bare name must stay one
    return "/bin/bash" if Path("/bin/bash").exists() else shutil.which("bash") or "/bin/sh"


def _command_line(command: str, prefix: str | None) -> str:
    """What stands after `-c`; the blank keeps a command that begins with a dash from being taken for an option."""
    line = f"{prefix}\n{command}" if prefix else command
    return f" {line}" if line.startswith(("-", "+")) else line


def _why_not_started(error: OSError | ValueError, spec: CommandSpec) -> str:
    shell = spec.arguments[0]
    if isinstance(error, UnicodeError):
        return "The command holds half of a surrogate pair, which is no text."
    if isinstance(error, ValueError):
        return "The command holds a NUL character, which no command line can have."
    if not spec.cwd.is_dir():
        return f"The working directory {spec.cwd} does not exist any more. Make it again."
    if isinstance(error, FileNotFoundError):
        return f"The shell {shell} does not exist. Correct shellPath in the settings."
    if isinstance(error, PermissionError):
        return f"The shell {shell} may not be run in {spec.cwd}: {error.strerror}."
    if error.errno == 7:
        size = len(spec.arguments[-1].encode())
        return f"The command has {size} bytes, more than the system takes. Write it to a file and run that."
    return f"{shell} could not be started: {error.strerror or error}."


def _note(shown: Tail, output: CommandOutput) -> str:
    if shown.partial_line:
        part = f"The last {limits.MAX_BYTES} bytes of line {shown.last_line}, which is longer."
    else:
        limit = f" ({limits.MAX_BYTES // limits.KIB} KiB limit)" if shown.cut_by == "bytes" else ""
        part = f"Lines {shown.first_line}-{shown.last_line} of {shown.last_line}{limit}."
    return f"[{part} {_where(output)}]"


def _where(output: CommandOutput) -> str:
    file = output.file
    if file is None or not file.exists:
        return f"The full output could not be kept{f': {file.problem}' if file is not None else ''}."
    if file.problem is not None:
        return f"The first {file.size} of {output.total_bytes} bytes are in {file.path} ({file.problem})."
    return f"Full output: {file.path}"


def _truncation(shown: Tail, output: CommandOutput) -> dict[str, Any]:
    return {
        "by": shown.cut_by,
        "firstLine": shown.first_line,
        "lastLine": shown.last_line,
        "totalLines": shown.last_line,
        "totalBytes": output.total_bytes,
    }


def from_line_start(text: str, max_bytes: int) -> str:
    """The end of `text` within `max_bytes`, from the beginning of a line on if there is one."""
    end = last_bytes(text, max_bytes)
    if len(end) == len(text):
        return text
    return end.partition("\n")[2] or end
