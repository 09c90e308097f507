"""The `find` tool.

`details`: `{"results": shown, "more": bool}`; `more` if there were more than are shown.
"""

import asyncio
import os
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.glob_pattern import Glob, GlobError
from pi_tui.agent.tools.in_thread import in_thread
from pi_tui.agent.tools.ripgrep import RipgrepError, find_ripgrep, options_for, running
from pi_tui.agent.tools.search_scope import Scope, limit_of, scope_of
from pi_tui.agent.tools.walk import files_below
from pi_tui.agent.tools.workspace import Workspace


class FindTool:
    name: ClassVar[str] = "find"
    description: ClassVar[str] = (
        "Find files and folders by name: *.py anywhere, or src/**/*.ts from path on. Folders end with /. "
        f"Respects .gitignore. At most {limits.FIND_RESULTS} unless limit says more."
    )
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string", "description": "Glob: * ? [a-z] {a,b} **/"},
            "path": {"type": "string", "description": "Folder; default: the working directory"},
            "limit": {"type": "integer"},
        },
        "required": ["pattern"],
    }
    summary: ClassVar[str] = "find files by name"
    rules: ClassVar[tuple[str, ...]] = ()
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        limit = limit_of(arguments, limits.FIND_RESULTS)
        try:
            glob = Glob(arguments["pattern"])
        except GlobError as error:
            raise ToolError(f"pattern: {error}.") from error

        def find(stop: threading.Event) -> ToolResult:
            scope = scope_of(self._workspace, arguments.get("path"))
            if scope.file is not None:
                raise ToolError(f"{scope.name} is a file; path must be a folder.")
            return _told(scope, glob, limit, stop)

        result, cancelled = await in_thread(find)
        if cancelled:
            raise asyncio.CancelledError
        return result


def _told(scope: Scope, glob: Glob, limit: int, stop: threading.Event) -> ToolResult:
    shown: list[str] = []
    size = 0
    more = full = False
    with closing(_files(scope, stop)) as files:
        for path in _with_folders(files):
            if not glob.matches(path.rstrip("/")):
                continue
            text = scope.shown(path)
            size += len(text.encode()) + 1
            full = size > limits.MAX_BYTES
            more = full or len(shown) == limit
            if more:
                break
            shown.append(text)
    details = {"results": len(shown), "more": more}
    if not shown:
        return text_result("Nothing found.", details)
    note = ""
    if full:
        note = f"\n\n[Cut at {limits.MAX_BYTES // limits.KIB} KiB: search in a smaller path or for less.]"
    elif more:
        note = f"\n\n[There is more than these {limit}: narrow the search, or raise limit.]"
    return text_result("\n".join(shown) + note, details)


def _files(scope: Scope, stop: threading.Event) -> Generator[str, None, None]:
    """The files below the folder, by `rg` where it is there, else by our own walk."""
    program = find_ripgrep()
    if program is not None:
        try:
            arguments = [*options_for(scope.root), "--files", "--null", "./"]
            with running(program, arguments, scope.root, stop) as pieces:
                yield from _names(pieces)
        except (RipgrepError, OSError):
            pass  # nothing of it was shown yet
        else:
            return
    yield from files_below(scope.root, stop)


def _names(pieces: Iterable[bytes]) -> Iterator[str]:
    waiting = b""
    for piece in pieces:
        *names, waiting = (waiting + piece).split(b"\0")
        for name in names:
            yield os.fsdecode(name.removeprefix(b"./"))


def _with_folders(files: Iterable[str]) -> Iterator[str]:
    """Each folder that holds a file comes before its first one."""
    above: list[str] = []
    for file in files:
        parts = file.split("/")[:-1]
        same = 0
        while same < min(len(above), len(parts)) and above[same] == parts[same]:
            same += 1
        for depth in range(same, len(parts)):
            yield "/".join(parts[: depth + 1]) + "/"
        above = parts
        yield file
