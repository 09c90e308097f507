"""The one line that says what a tool call does."""

from functools import lru_cache
from pathlib import Path
from typing import Any, TypeAlias

import msgspec

from pi_tui.agent.events import PartialResult
from pi_tui.tui.transcript.ansi import one_line

Title: TypeAlias = list[tuple[str, str]]
"""Texts, each with its colour token."""

MAX_COMMAND = 2_000
MAX_ARGUMENTS = 200
"""Characters."""


def title_of(name: str, arguments: dict[str, Any]) -> Title:
    """The title of a call, whatever the model sent as its arguments."""
    match name:
        case "bash":
            return _bash(arguments)
        case "read":
            return [("read ", "toolTitle"), (_path(arguments), "accent"), (_range(arguments), "warning")]
        case "edit" | "write":
            return [(f"{name} ", "toolTitle"), (_path(arguments), "accent")]
        case "ls":
            return [("ls ", "toolTitle"), (_path(arguments) if arguments.get("path") else ".", "accent")]
        case "grep" | "find":
            return _search(name, arguments)
    return [(one_line(name, 80), "toolTitle"), (_rest(arguments), "muted")]


def outcome_of(name: str, arguments: dict[str, Any], result: PartialResult | None) -> Title:
    """What a call changed or read, in a few words."""
    details = result.details if result is not None and isinstance(result.details, dict) else {}
    if isinstance(details.get("diff"), str) and details["diff"]:
        return _changes(details)
    if name in _COUNTED:
        return _found(name, details)
    content = arguments.get("content")
    if name == "write" and isinstance(content, str):
        return [(f" ({_lines(len(content.splitlines()))})", "muted")]
    span = details.get("lines")
    if name == "read" and isinstance(span, dict) and isinstance(span.get("last"), int):
        return [(f" ({_lines(span['last'] - int(span.get('first', 1)) + 1)})", "muted")]
    return []


_COUNTED = {
    "grep": ("matches", "match", "matches"),
    "find": ("results", "result", "results"),
    "ls": ("entries", "entry", "entries"),
}


def _found(name: str, details: dict[str, Any]) -> Title:
    """How much a search found."""
    key, one, many = _COUNTED[name]
    count = details.get(key)
    if not isinstance(count, int) or not count:
        return []
    shown = f"{count:,}{'+' if details.get('more') else ''} {one if count == 1 else many}"
    files = details.get("files")
    if isinstance(files, int) and files > 1:
        shown += f" in {files:,} files"
    return [(f" ({shown})", "muted")]


def _search(name: str, arguments: dict[str, Any]) -> Title:
    title = [(f"{name} ", "toolTitle"), (_text(arguments.get("pattern")), "accent")]
    for key, before in (("path", " in "), ("glob", " of ")):
        if arguments.get(key):
            shown = _path(arguments) if key == "path" else _text(arguments[key])
            title += [(before, "muted"), (shown, "accent")]
    return [*title, (" (any case)", "dim")] if arguments.get("ignoreCase") is True else title


def _changes(details: dict[str, Any]) -> Title:
    added, removed = details.get("added"), details.get("removed")
    if not isinstance(added, int) or not isinstance(removed, int):
        from pi_tui.tui.transcript.diff_view import diff_counts

        added, removed = diff_counts(details["diff"])
    return [(f" +{added:,}", "toolDiffAdded"), (f" -{removed:,}", "toolDiffRemoved")]


def _lines(count: int) -> str:
    return f"{count:,} {'line' if count == 1 else 'lines'}"


def short_path(path: str) -> str:
    """A path for the screen, with `~` for the home folder."""
    home = _home()
    if home and (path == home or path.startswith(home + "/")):
        path = "~" + path[len(home) :]
    return one_line(path, 300)


def file_name(arguments: dict[str, Any]) -> str:
    """The last part of the path a call is about."""
    path = arguments.get("path", arguments.get("file_path"))
    return path.rpartition("/")[2] if isinstance(path, str) else ""


@lru_cache(maxsize=1)
def _home() -> str:
    try:
        return str(Path.home())
    except RuntimeError:
        return ""


def _bash(arguments: dict[str, Any]) -> Title:
    command = arguments.get("command")
    lines = command.strip("\n").split("\n") if isinstance(command, str) else [_text(command)]
    title = [("$ ", "bashMode"), (one_line(lines[0], MAX_COMMAND), "toolTitle")]
    if len(lines) > 1:
        title.append((f" … {len(lines) - 1} more lines", "dim"))
    if arguments.get("timeout") is not None:
        title.append((f" (timeout {_text(arguments['timeout'])} s)", "dim"))
    return title


def _path(arguments: dict[str, Any]) -> str:
    path = arguments.get("path", arguments.get("file_path"))
    return short_path(path) if isinstance(path, str) and path else "…"


def _range(arguments: dict[str, Any]) -> str:
    offset, limit = arguments.get("offset"), arguments.get("limit")
    if offset is None and limit is None:
        return ""
    start = offset if isinstance(offset, int) else 1
    return f":{start}-{start + limit - 1}" if isinstance(limit, int) else f":{start}-"


def _text(value: Any) -> str:
    return one_line(value if isinstance(value, str) else _json(value)) if value is not None else "…"


def _rest(arguments: dict[str, Any]) -> str:
    parts = [
        f"{one_line(key, 40)}={one_line(_json(value), 80)}" for key, value in list(arguments.items())[:20]
    ]
    return (" " + one_line(" ".join(parts), MAX_ARGUMENTS)) if parts else ""


def _json(value: Any) -> str:
    try:
        return msgspec.json.encode(value).decode()
    except (TypeError, ValueError):
        return repr(value)
