"""A tool's call and result as a block: a title that says what it does, then what came of it."""

from typing import Any, Final

import msgspec

from pi_tui.export.html.blocks import Image, Tool
from pi_tui.export.html.code import CodePainter, language_of
from pi_tui.export.html.diff import DiffLine, counts, diff_html, read_diff, replaced
from pi_tui.export.html.images import data_url
from pi_tui.export.html.terminal_text import coloured, one_line, plain
from pi_tui.llm.messages import (
    BashExecutionMessage,
    ImageContent,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserBlock,
)

MAX_OUTPUT: Final = 512 * 1024
"""Characters of one output that are shown."""
MAX_TITLE: Final = 300
MAX_NAME: Final = 80
MAX_ARGUMENTS: Final = 64 * 1024
"""Characters of a call's arguments that are shown."""
MAX_EDITS: Final = 200

_COUNTED: Final = {"grep": ("matches", "match"), "find": ("results", "result"), "ls": ("entries", "entry")}

Arguments = dict[str, Any]


class ToolWriter:
    """Makes the tools' blocks of one page."""

    def __init__(self, painter: CodePainter) -> None:
        self._painter = painter

    def call(self, call: ToolCall) -> Tool:
        """A call whose result may be missing; the page hides it where the result is shown."""
        diff = _edits(call.arguments) if call.name == "edit" else []
        added, removed = counts(diff)
        return Tool(
            "pending",
            title_of(call.name, call.arguments),
            outcome="no result",
            command=self._command(call.name, call.arguments, bool(diff)),
            diff=diff_html(diff) if diff else "",
            diff_lines=len(diff),
            added=added,
            removed=removed,
            answers=plain(call.id),
        )

    def result(self, message: ToolResultMessage, call: tuple[str, Arguments] | None) -> Tool:
        """A result, and what is known of the call it answers."""
        name, arguments = call if call is not None else (message.tool_name, {})
        details = message.details if isinstance(message.details, dict) else {}
        diff = _diff(name, arguments, details, failed=message.is_error)
        added, removed = counts(diff)
        text, failure = _text(message.content), ""
        if name == "bash" and message.is_error and "exitCode" in details:
            # The tool's last line says how it ended; what comes before is the program's own.
            text, _, failure = text.rstrip().rpartition("\n")
        if name == "bash" and isinstance(details.get("ansi"), str):
            text = details["ansi"]
        shows = message.is_error or not (diff or name in ("edit", "write"))
        output, lines = self._output(name, arguments, text, message.is_error) if shows else ("", 0)
        failed = message.is_error or (name == "bash" and bool(details.get("exitCode")))
        return Tool(
            "failed" if failed else "done",
            title_of(name, arguments),
            outcome=one_line(failure, MAX_TITLE) or _outcome(name, arguments, details),
            command=self._command(name, arguments, bool(diff)),
            diff=diff_html(diff) if diff else "",
            diff_lines=len(diff),
            output=output,
            lines=lines,
            added=added,
            removed=removed,
            images=[image_of(block) for block in message.content if isinstance(block, ImageContent)],
        )

    def user_command(self, message: BashExecutionMessage) -> Tool:
        failed = bool(message.exit_code) or message.cancelled
        outcome = "cancelled" if message.cancelled else f"exit {message.exit_code}" if failed else ""
        if message.exclude_from_context:
            outcome = f"{outcome}, not shown to the model".removeprefix(", ")
        output = terminal_html(message.output.rstrip())
        if message.truncated and message.full_output_path:
            outcome = f"{outcome}, output cut".removeprefix(", ")
        return Tool(
            "failed" if failed else "done",
            title_of("bash", {"command": message.command}),
            outcome=outcome,
            command=self._command("bash", {"command": message.command}, False),
            output=output,
            lines=_line_count(message.output),
        )

    def _command(self, name: str, arguments: Arguments, has_diff: bool) -> Any:
        """What the title has no room for."""
        if name == "bash":
            command = arguments.get("command")
            if isinstance(command, str) and "\n" in command.strip():
                return self._painter.paint(_cut(plain(command.strip("\n")), MAX_ARGUMENTS), "bash")
            return ""
        if name == "write":
            content = arguments.get("content")
            text = _cut(plain(content), MAX_ARGUMENTS) if isinstance(content, str) else ""
            return self._painter.paint(text, language_of(_file_name(arguments)))
        if has_diff or name in ("read", "edit", "ls", "find", "grep") or not arguments:
            return ""
        return self._painter.paint(_cut(plain(pretty(arguments)), MAX_ARGUMENTS), "json")

    def _output(self, name: str, arguments: Arguments, text: str, failed: bool) -> tuple[Any, int]:
        """The output and how many lines it has."""
        text = text.strip("\n")
        if name == "read" and not failed:
            shown = _cut(plain(text), MAX_OUTPUT)
            return self._painter.paint(shown, language_of(_file_name(arguments))), _line_count(shown)
        return terminal_html(text), _line_count(text)


def image_of(block: ImageContent) -> Image:
    url = data_url(block)
    kind = one_line(block.mime_type, MAX_NAME) or "unknown type"
    size = f"{len(block.data) * 3 // 4:,} bytes"
    return Image(url, kind if url is not None else f"{kind}, {size}: not shown")


def title_of(name: str, arguments: Arguments) -> list[tuple[str, str]]:
    """What a call does, whatever the model sent as its arguments."""
    match name:
        case "bash":
            command = arguments.get("command")
            first = command.strip().split("\n", 1)[0] if isinstance(command, str) else "…"
            return [("$", "prompt"), (one_line(first, MAX_TITLE), "command")]
        case "read" | "edit" | "write" | "ls":
            path = arguments.get("path", arguments.get("file_path", "." if name == "ls" else "…"))
            shown = one_line(path, MAX_TITLE) if isinstance(path, str) else "…"
            return [(name, "name"), (shown + _range(arguments), "path")]
        case "grep" | "find":
            title = [(name, "name"), (_short(arguments.get("pattern")), "path")]
            if arguments.get("path"):
                title += [("in", "quiet"), (_short(arguments["path"]), "path")]
            return title
    told = " ".join(f"{one_line(key, 40)}={_short(value, 80)}" for key, value in list(arguments.items())[:8])
    return [(one_line(name, MAX_NAME) or "tool", "name"), (one_line(told, MAX_TITLE), "quiet")]


def terminal_html(text: str) -> Any:
    """A program's output, cut to `MAX_OUTPUT`, escaped, its colours as classes."""
    from markupsafe import Markup, escape

    shown = _cut(text, MAX_OUTPUT)
    if "\x1b[" not in shown and "\x9b" not in shown:
        return escape(plain(shown))
    parts = [
        Markup('<span class="{}">{}</span>').format(run.classes, run.text)
        if run.classes
        else escape(run.text)
        for run in coloured(shown)
        if run.text
    ]
    return Markup("").join(parts)


def pretty(value: Any) -> str:
    """Plain data as indented JSON."""
    try:
        return msgspec.json.format(msgspec.json.encode(value, enc_hook=str), indent=2).decode()
    except (TypeError, ValueError, RecursionError, msgspec.MsgspecError):
        return repr(value)


def _outcome(name: str, arguments: Arguments, details: Arguments) -> str:
    if name in _COUNTED:
        key, one = _COUNTED[name]
        found = details.get(key)
        if isinstance(found, int) and not isinstance(found, bool):
            return f"{found:,}{'+' if details.get('more') else ''} {one if found == 1 else key}"
    content = arguments.get("content")
    if name == "write" and isinstance(content, str) and not details.get("diff"):
        return _lines(_line_count(content))
    code = details.get("exitCode")
    return f"exit {code}" if name == "bash" and isinstance(code, int) and code else ""


def _diff(name: str, arguments: Arguments, details: Arguments, *, failed: bool) -> list[DiffLine]:
    for key in ("diff", "patch"):
        if isinstance(details.get(key), str) and details[key]:
            return read_diff(details[key])
    return _edits(arguments) if name == "edit" and not failed else []


def _edits(arguments: Arguments) -> list[DiffLine]:
    """What an edit asks for, in the forms that models use."""
    edits = arguments.get("edits")
    lines: list[DiffLine] = []
    for edit in [arguments, *(edits[:MAX_EDITS] if isinstance(edits, list) else [])]:
        if not isinstance(edit, dict):
            continue
        old, new = (edit.get(key, edit.get(other)) for key, other in (("oldText", "old"), ("newText", "new")))
        if isinstance(old, str) and isinstance(new, str):
            lines += [DiffLine("…", "", "")] if lines else []
            lines += replaced(old, new)
    return lines


def _range(arguments: Arguments) -> str:
    offset, limit = arguments.get("offset"), arguments.get("limit")
    start = offset if isinstance(offset, int) else 1
    if isinstance(limit, int):
        return f":{start}-{start + limit - 1}"
    return f":{start}-" if isinstance(offset, int) else ""


def _file_name(arguments: Arguments) -> str:
    path = arguments.get("path", arguments.get("file_path"))
    return path.rpartition("/")[2][:MAX_TITLE] if isinstance(path, str) else ""


def _short(value: Any, limit: int = MAX_TITLE) -> str:
    return one_line(value if isinstance(value, str) else pretty(value), limit) if value is not None else "…"


def _text(content: list[UserBlock]) -> str:
    return "\n".join(block.text for block in content if isinstance(block, TextContent))


def _cut(text: str, limit: int) -> str:
    if len(text) <= limit:
        return text
    return f"{text[:limit]}\n… {len(text) - limit:,} more characters are in the session file"


def _line_count(text: str) -> int:
    return text.count("\n") + 1 if text else 0


def _lines(count: int) -> str:
    return f"{count:,} {'line' if count == 1 else 'lines'}"
