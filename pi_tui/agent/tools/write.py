"""The `write` tool.

`details`: `{"created": bool, "diff": unified diff or None, "added": lines, "removed": lines or None,
"firstChangedLine"}`. There is no diff for a new file, for data that is not text and for files over
`limits.DIFF_FILE_BYTES` (`removed` is then None too, if the old content was not read); `"diffTruncated":
true` as for `edit`.
"""

import threading
from pathlib import Path
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.atomic_write import write_file
from pi_tui.agent.tools.content_type import binary_type
from pi_tui.agent.tools.diffs import line_count, unified_diff
from pi_tui.agent.tools.file_errors import file_error
from pi_tui.agent.tools.file_state import NotRegularError, read_regular
from pi_tui.agent.tools.in_thread import Interrupted, in_thread
from pi_tui.agent.tools.paths import PathError
from pi_tui.agent.tools.workspace import Workspace


class WriteTool:
    name: ClassVar[str] = "write"
    description: ClassVar[str] = "Write a whole file; missing folders are made, an existing file is replaced."
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {"path": {"type": "string"}, "content": {"type": "string"}},
        "required": ["path", "content"],
    }
    summary: ClassVar[str] = "make or replace a whole file"
    rules: ClassVar[tuple[str, ...]] = ("Use write for new files and complete rewrites only.",)
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        text: str = arguments["content"]
        try:
            async with self._workspace.exclusive(arguments["path"]) as path:
                result, cancelled = await in_thread(lambda stop: self._write(path, text, stop))
        except PathError as error:
            raise ToolError(str(error)) from error
        if cancelled:
            raise ToolError(
                "The user stopped the run when this file had just been written.",
                content=list(result.content),
                details=result.details,
            )
        return result

    def _write(self, path: Path, text: str, stop: threading.Event) -> ToolResult:
        shown = self._workspace.shown(path)
        try:
            content = text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise ToolError(f"content holds half of a surrogate pair (character {error.start}).") from error
        try:
            before = self._before(path)
            if stop.is_set():
                raise Interrupted
            if before.content == content:
                return text_result(f"{shown} had this content already.", _details(before, text, shown))
            state = write_file(path, content)
        except NotRegularError as error:
            raise ToolError(f"{shown} is {error.kind}; only files can be written.") from error
        except OSError as error:
            raise ToolError(file_error(error, shown, "write")) from error
        self._workspace.remember(path, state)
        verb = "Replaced" if before.exists else "Wrote"
        told = f"{verb} {shown} ({len(content)} bytes)."
        if before.changed_since_seen:
            told += (
                " Something else had changed the file since you last saw it; those changes are overwritten."
            )
        return text_result(told, _details(before, text, shown))

    def _before(self, path: Path) -> "_Before":
        try:
            content, stat = read_regular(path, limits.DIFF_FILE_BYTES)
        except FileNotFoundError:
            return _Before(False, None, False)
        except PermissionError:
            return _Before(True, None, False)  # may be written but not read
        seen = self._workspace.last_seen(path)
        return _Before(True, content, seen is not None and seen.differs_from(stat, content))


class _Before:
    """What was there: `content` is None if there was nothing, or too much, or if it may not be read."""

    def __init__(self, exists: bool, content: bytes | None, changed_since_seen: bool) -> None:
        self.exists = exists
        self.content = content
        self.changed_since_seen = changed_since_seen


def _details(before: _Before, text: str, shown: str) -> dict[str, Any]:
    if not before.exists:
        return {"created": True, "diff": None, "added": line_count(text), "removed": 0, "firstChangedLine": 1}
    if (
        before.content is None
        or len(text) > limits.DIFF_FILE_BYTES
        or binary_type(before.content[: limits.SNIFF_BYTES])
    ):
        return {
            "created": False,
            "diff": None,
            "added": line_count(text),
            "removed": None,
            "firstChangedLine": 1,
        }
    diff = unified_diff(before.content.decode("utf-8", "surrogateescape"), text, shown)
    return {"created": False, **diff.details}
