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
from pi_tui.agent.tools.atomic_write import ChangedMeanwhileError, write_file
from pi_tui.agent.tools.content_type import binary_type
from pi_tui.agent.tools.diffs import Change, Diff, unified_diff
from pi_tui.agent.tools.edit_matching import Edit, EditError, Region, apply_regions, find_regions
from pi_tui.agent.tools.file_errors import file_error
from pi_tui.agent.tools.file_state import FileState, NotRegularError, read_regular
from pi_tui.agent.tools.in_thread import Interrupted, in_thread
from pi_tui.agent.tools.paths import PathError
from pi_tui.agent.tools.read import missing
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
        shown = self._workspace.shown(path)
        try:
            content, stat = read_regular(path, limits.EDIT_FILE_BYTES)
            if content is None:
                raise ToolError(
                    f"{shown} has {stat.st_size} bytes, more than the {limits.EDIT_FILE_BYTES} edit takes. "
                    "Change it with bash, for example with sed -i."
                )
            old, new, regions = _changed(content, edits, shown)
            changed_on_disk = self._workspace.changed_since_seen(path, stat, content)
            if stop.is_set():
                raise Interrupted
            state = write_file(path, new.encode("utf-8", "surrogateescape"), FileState.signature_of(stat))
        except NotRegularError as error:
            raise ToolError(f"{shown} is {error.kind}; only files can be edited.") from error
        except FileNotFoundError as error:
            raise ToolError(f"{missing(path, shown)} To make a new file, use write.") from error
        except ChangedMeanwhileError as error:
            raise ToolError(
                f"{shown} was changed by something else just now. Nothing was edited; read it again."
            ) from error
        except OSError as error:
            raise ToolError(file_error(error, shown, "edit")) from error
        self._workspace.remember(path, state)
        diff = unified_diff(old, new, shown, _changes(regions))
        return text_result(_told(shown, regions, changed_on_disk), diff_details(diff))


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


def diff_details(diff: Diff) -> dict[str, Any]:
    details: dict[str, Any] = {
        "diff": diff.text,
        "firstChangedLine": diff.first_changed_line,
        "added": diff.added,
        "removed": diff.removed,
    }
    if diff.truncated:
        details["diffTruncated"] = True
    return details


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


def _changed(content: bytes, edits: Sequence[Edit], shown: str) -> tuple[str, str, list[Region]]:
    old = content.decode("utf-8", "surrogateescape")
    try:
        regions = find_regions(old, edits)
    except EditError as error:
        kind = binary_type(content[: limits.SNIFF_BYTES])
        hint = f" The file is not UTF-8 text but {kind}; change it with bash." if kind else ""
        raise ToolError(f"{shown} was not changed. {error}{hint}") from error
    return old, apply_regions(old, regions), regions


def _changes(regions: Sequence[Region]) -> list[Change]:
    changes: list[Change] = []
    moved = 0
    for region in regions:
        start, size = region.start + moved, len(region.replacement)
        changes.append(Change(region.start, region.end, start, start + size))
        moved += size - (region.end - region.start)
    return changes


def _told(shown: str, regions: Sequence[Region], changed_on_disk: bool) -> str:
    text = f"Edited {shown}." if len(regions) == 1 else f"Edited {shown} in {len(regions)} places."
    if any(region.tolerant for region in regions):
        text += " oldText differed in trailing blanks or typographic characters and was matched all the same."
    if changed_on_disk:
        text += " Something else had changed the file since you last saw it: read it again before you go on."
    return text
