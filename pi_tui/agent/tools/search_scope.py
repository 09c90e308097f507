"""Where a search looks, and how much of it is told."""

import os
import stat as stat_module
from dataclasses import dataclass
from typing import Any

from pi_tui.agent.tool import ToolError
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.file_errors import file_error
from pi_tui.agent.tools.file_state import kind_of
from pi_tui.agent.tools.paths import PathError, missing
from pi_tui.agent.tools.workspace import Workspace


@dataclass(frozen=True)
class Scope:
    """A folder to search in, or one file of it.

    Attributes:
        root: The folder, absolute.
        file: The file's name in it; None for all of it.
        name: What the other tools know it by; empty for the working directory.
    """

    root: str
    file: str | None
    name: str

    def shown(self, path: str) -> str:
        """A path below `root` as the other tools take it, on one line; bytes that are no text become U+FFFD."""
        below = f"{self.name.rstrip('/')}/{path}" if self.name else path
        return one_line(self.name if self.file is not None else below)


def scope_of(workspace: Workspace, path: str | None) -> Scope:
    """What a model means by `path`; None is the working directory. Looks at the disk.

    Raises:
        ToolError: It is not there, cannot be read, or is neither folder nor file.
    """
    try:
        target = workspace.resolve(path) if path and path.strip() else workspace.cwd
    except PathError as error:
        raise ToolError(str(error)) from error
    shown = workspace.shown(target)
    try:
        mode = target.stat().st_mode
    except FileNotFoundError as error:
        raise ToolError(missing(target, shown)) from error
    except OSError as error:
        raise ToolError(file_error(error, shown, "read")) from error
    is_folder = stat_module.S_ISDIR(mode)
    if not is_folder and (kind := kind_of(mode)):
        raise ToolError(f"{shown} is {kind}; only folders and files can be searched.")
    if not os.access(target, os.R_OK):
        raise ToolError(f"No permission to read {shown}.")
    real = os.path.realpath(target)
    name = "" if shown == "." else shown
    return Scope(real, None, name) if is_folder else Scope(*os.path.split(real), name)


def one_line(name: str) -> str:
    """A file's name in a form that can be told."""
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "replace").replace("\n", "\ufffd")


def limit_of(arguments: dict[str, Any], default: int) -> int:
    """The results to show.

    Raises:
        ToolError: The call asks for less than one or more than `limits.MOST_RESULTS`.
    """
    limit = int(arguments["limit"]) if arguments.get("limit") is not None else default
    if not 1 <= limit <= limits.MOST_RESULTS:
        raise ToolError(f"limit is {limit}; it must be from 1 to {limits.MOST_RESULTS}.")
    return limit
