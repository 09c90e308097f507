"""The `edit` tool.

`details`: `{"diff": unified diff, "firstChangedLine": line of the new file from 1, "added": lines, "removed":
lines}` and `"diffTruncated": true` if the diff was longer than `limits.DIFF_BYTES`.
"""

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.edit_matching import Edit
from pi_tui.agent.tools.file_edit import EditJob, EditRefused, edit_file
from pi_tui.agent.tools.in_thread import Interrupted, in_thread
from pi_tui.agent.tools.large_edit import edit_large_file
from pi_tui.agent.tools.paths import PathError
from pi_tui.agent.tools.workspace import Workspace


class EditTool:
    name: ClassVar[str] = "edit"
    description: ClassVar[str] = (
        "Replace text in a file. Each oldText must occur exactly once in the file as it is now, blanks and "
        "indentation included; edits must not overlap. All are made or none."
    )
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "path": {"type": "string"},
            "edits": {
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"oldText": {"type": "string"}, "newText": {"type": "string"}},
                    "required": ["oldText", "newText"],
                },
            },
        },
        "required": ["path"],
    }
    summary: ClassVar[str] = "replace exact text in a file"
    rules: ClassVar[tuple[str, ...]] = (
        "Change files with edit: all changes of one file in one call, each oldText as short as is unique.",
    )
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        edits = edits_of(arguments)
        try:
            async with self._workspace.exclusive(arguments["path"]) as path:
                result, cancelled = await in_thread(lambda stop: self._edit(path, edits, stop))
        except PathError as error:
            raise ToolError(str(error)) from error
        if cancelled:
            raise ToolError(
                "The user stopped the run when this edit had just been made.",
                content=list(result.content),
                details=result.details,
            )
        return result

    def _edit(self, path: Path, edits: Sequence[Edit], stop: threading.Event) -> ToolResult:
        job = EditJob(path, self._workspace.shown(path), edits, self._workspace.last_seen(path))

        def go_on() -> None:
            if stop.is_set():
                raise Interrupted

        try:
            done = edit_large_file(job) if _is_large(path) else edit_file(job, go_on)
        except EditRefused as error:
            raise ToolError(str(error)) from error
        self._workspace.remember(path, done.state)
        return text_result(done.told, done.details)


def _is_large(path: Path) -> bool:
    try:
        return limits.LARGE_EDIT_BYTES < path.stat().st_size <= limits.EDIT_FILE_BYTES
    except OSError:
        return False


def edits_of(arguments: dict[str, Any]) -> list[Edit]:
    """The edits of a call: the list `edits`, or a single pair at top level.

    Raises:
        ToolError: There are none, or one lacks a text that can be written.
    """
    given = arguments.get("edits")
    if given is None and "oldText" in arguments:
        given = [arguments]
    if isinstance(given, dict):
        given = [given]
    if not isinstance(given, list) or not given:
        raise ToolError('edits is missing or empty; give at least one {"oldText": …, "newText": …}.')
    return [
        Edit(_text(edit, "oldText", number), _text(edit, "newText", number))
        for number, edit in enumerate(given)
    ]


def _text(edit: Any, field: str, number: int) -> str:
    text = edit.get(field) if isinstance(edit, dict) else None
    if not isinstance(text, str):
        raise ToolError(f"edits[{number}].{field} is missing or not a string.")
    try:
        text.encode("utf-8")
    except UnicodeEncodeError as error:
        raise ToolError(
            f"edits[{number}].{field} holds half of a surrogate pair (character {error.start})."
        ) from error
    return text
