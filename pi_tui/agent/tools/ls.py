"""The `ls` tool.

`details`: `{"entries": shown, "more": bool, "ignored": left out because of .gitignore}`.
"""

import asyncio
import os
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.file_errors import file_error
from pi_tui.agent.tools.ignore_rules import IgnoreRules
from pi_tui.agent.tools.in_thread import Interrupted, in_thread
from pi_tui.agent.tools.search_scope import limit_of, one_line, scope_of
from pi_tui.agent.tools.workspace import Workspace


class LsTool:
    name: ClassVar[str] = "ls"
    description: ClassVar[str] = (
        "List a folder, hidden names too. Folders end with /, links show where they lead. Respects .gitignore. "
        f"At most {limits.LS_ENTRIES} unless limit says more."
    )
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "Folder; default: the working directory"},
            "limit": {"type": "integer"},
        },
    }
    summary: ClassVar[str] = "list a folder"
    rules: ClassVar[tuple[str, ...]] = ()
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        limit = limit_of(arguments, limits.LS_ENTRIES)

        def look(stop: threading.Event) -> ToolResult:
            scope = scope_of(self._workspace, arguments.get("path"))
            if scope.file is not None:
                raise ToolError(f"{scope.name} is a file; look at it with read.")
            try:
                return _told(_listed(scope.root, stop), limit)
            except OSError as error:
                raise ToolError(file_error(error, scope.name or ".", "read")) from error

        result, cancelled = await in_thread(look)
        if cancelled:
            raise asyncio.CancelledError
        return result


@dataclass
class _Listing:
    names: list[str] = field(default_factory=list)
    ignored: list[str] = field(default_factory=list)
    all_seen: bool = True


def _listed(folder: str, stop: threading.Event) -> _Listing:
    rules = IgnoreRules.at(folder)
    listing = _Listing()
    with os.scandir(folder) as scan:
        for count, entry in enumerate(scan):
            if count == limits.LS_SCANNED_NAMES:
                listing.all_seen = False
                break
            if stop.is_set():
                raise Interrupted
            is_folder = entry.is_dir(follow_symlinks=False)
            left_out = rules.ignores(entry.name, is_folder=is_folder)
            (listing.ignored if left_out else listing.names).append(_named(entry, is_folder))
    listing.names.sort(key=lambda name: (name.casefold(), name))
    listing.ignored.sort()
    return listing


def _named(entry: "os.DirEntry[str]", is_folder: bool) -> str:
    name = entry.name
    if entry.is_symlink():
        try:
            name += f" -> {Path(entry.path).readlink()}"
        except OSError:
            name += " -> ?"
    elif is_folder:
        name += "/"
    return one_line(name)


def _told(listing: _Listing, limit: int) -> ToolResult:
    shown: list[str] = []
    size = 0
    for name in listing.names[:limit]:
        size += len(name.encode()) + 1
        if size > limits.MAX_BYTES:
            break
        shown.append(name)
    more = len(shown) < len(listing.names) or not listing.all_seen
    notes = []
    if more:
        of = f"{len(listing.names)}" if listing.all_seen else f"more than {limits.LS_SCANNED_NAMES}"
        notes.append(f"[The first {len(shown)} of {of} names. Use find with a pattern, or raise limit.]")
    if listing.ignored:
        names = ", ".join(listing.ignored[: limits.LS_IGNORED_NAMES])
        rest = len(listing.ignored) - limits.LS_IGNORED_NAMES
        notes.append(f"[Ignored by git: {names}{f' and {rest} more' if rest > 0 else ''}]")
    details = {"entries": len(shown), "more": more, "ignored": len(listing.ignored)}
    return text_result("\n\n".join(["\n".join(shown) or "[The folder is empty.]", *notes]), details)
