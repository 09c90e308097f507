"""The `read` tool.

`details`: `{"lines": {"first", "last", "total"}}` for text (counted from 1; `total` is None if the file was
too large to count), with `"truncation": {"by": "lines" | "bytes" | "line" | "limit", "nextOffset"}` if more
follows; `{"image": {"mimeType", "width", "height", "originalWidth", "originalHeight", "bytes"}}` for an
image; `{"binary": {"type", "bytes"}}` for other data.
"""

import asyncio
import hashlib
import os
import shlex
import threading
import time
from pathlib import Path
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.content_type import binary_type, image_type
from pi_tui.agent.tools.file_errors import file_error
from pi_tui.agent.tools.file_state import FileState, NotRegularError, open_regular
from pi_tui.agent.tools.images import ImageError, fit_image, size_note
from pi_tui.agent.tools.in_thread import Interrupted, in_thread
from pi_tui.agent.tools.paths import PathError, missing
from pi_tui.agent.tools.truncation import Head
from pi_tui.agent.tools.workspace import Workspace
from pi_tui.llm.messages import ImageContent, TextContent


class ReadTool:
    name: ClassVar[str] = "read"
    description: ClassVar[str] = (
        "Read a text file or look at an image (png, jpeg, gif, webp, bmp). "
        f"At most {limits.MAX_LINES} lines or {limits.MAX_BYTES // limits.KIB} KiB at a time; "
        "go on with offset."
    )
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "path": {"type": "string", "description": "File, relative or absolute"},
            "offset": {"type": "integer", "description": "First line, from 1"},
            "limit": {"type": "integer", "description": "Number of lines"},
        },
        "required": ["path"],
    }
    summary: ClassVar[str] = "look at a file"
    rules: ClassVar[tuple[str, ...]] = ("Look at files with read, not with cat or sed.",)
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        limit = arguments.get("limit")
        if limit is not None and limit < 1:
            raise ToolError(f"limit is {limit}; it must be at least 1.")
        reading = _Reading(
            self._workspace,
            arguments["path"],
            max(1, int(arguments.get("offset") or 1)),
            limit and int(limit),
        )
        result, cancelled = await in_thread(reading.run)
        if cancelled:
            raise asyncio.CancelledError
        return result


class _Reading:
    """One call, in its thread."""

    def __init__(self, workspace: Workspace, path: str, offset: int, limit: int | None) -> None:
        self._workspace = workspace
        self._asked = path
        self._offset = offset
        self._limit = limit
        self._shown = path

    def run(self, stop: threading.Event) -> ToolResult:
        try:
            path = self._workspace.resolve(self._asked)
        except PathError as error:
            raise ToolError(str(error)) from error
        self._shown = self._workspace.shown(path)
        try:
            return self._read(path, stop)
        except NotRegularError as error:
            raise ToolError(self._not_a_file(error.kind)) from error
        except FileNotFoundError as error:
            raise ToolError(missing(path, self._shown)) from error
        except OSError as error:
            raise ToolError(file_error(error, self._shown, "read")) from error

    def _read(self, path: Path, stop: threading.Event) -> ToolResult:
        descriptor = open_regular(path)
        with os.fdopen(descriptor, "rb", buffering=0) as file:
            stat = os.fstat(descriptor)
            head = file.read(limits.SNIFF_BYTES) or b""
            if mime_type := image_type(head):
                return self._image(head, file, mime_type, stat)
            if kind := binary_type(head):
                return self._binary(kind, stat.st_size)
            lines = Head(self._offset, min(self._limit or limits.MAX_LINES, limits.MAX_LINES))
            size = 0
            digest = hashlib.blake2b(digest_size=16)
            is_hashed = stat.st_size <= limits.HASH_FILE_BYTES
            piece = head
            while piece:
                lines.feed(piece)
                size += len(piece)
                if is_hashed and size <= limits.HASH_FILE_BYTES:
                    digest.update(piece)
                if stop.is_set():
                    raise Interrupted
                if size > limits.COUNT_LINES_BYTES and lines.full_by:
                    break
                if size > limits.READ_CHUNK_BYTES:
                    time.sleep(limits.READ_PAUSE_SECONDS)
                piece = file.read(limits.READ_CHUNK_BYTES)
            lines.close()
        whole = digest.digest() if is_hashed and size <= limits.HASH_FILE_BYTES else None
        self._workspace.remember(path, FileState(FileState.signature_of(stat), whole))
        return self._text(lines, counted=not piece)

    def _text(self, lines: Head, counted: bool) -> ToolResult:
        total = lines.total_lines
        if total == 0 and self._offset == 1:
            return text_result("[The file is empty.]", {"lines": {"first": 0, "last": 0, "total": 0}})
        if self._offset > total and counted:
            raise ToolError(f"offset {self._offset} is past the end: {self._shown} has {_lines(total)}.")
        first, last = self._offset, self._offset + lines.kept_lines - 1
        text, odd = _decoded(lines.content, at_beginning=first == 1)
        notes: list[str] = []
        details: dict[str, Any] = {
            "lines": {"first": first, "last": last, "total": total if counted else None}
        }
        if lines.kept_lines == 0:
            notes.append(self._line_too_long(lines.first_line_bytes))
            details["truncation"] = {"by": "line", "nextOffset": first + 1}
        elif lines.full_by:
            notes.append(self._more(first, last, total if counted else None, lines.full_by))
            by = "limit" if lines.full_by == "lines" and self._limit else lines.full_by
            details["truncation"] = {"by": by, "nextOffset": last + 1}
        if odd:
            notes.append(f"[{odd} not UTF-8 or NUL, shown as \ufffd; edit keeps what it does not replace.]")
        if notes:
            text = "\n\n".join([text.removesuffix("\n"), *notes]) if text else "\n".join(notes)
        return text_result(text, details)

    def _more(self, first: int, last: int, total: int | None, full_by: str) -> str:
        of = "a file too large to count" if total is None else str(total)
        limit = f" ({limits.MAX_BYTES // limits.KIB} KiB limit)" if full_by == "bytes" else ""
        return f"[Lines {first}-{last} of {of}{limit}. Go on with offset={last + 1}.]"

    def _line_too_long(self, size: int) -> str:
        path = shlex.quote(self._shown)
        return (
            f"[Line {self._offset} has {size} bytes, more than the {limits.MAX_BYTES} shown at a time. "
            f"Read a part of it with bash: sed -n '{self._offset}p' {path} | head -c {limits.MAX_BYTES}]"
        )

    def _binary(self, kind: str, size: int) -> ToolResult:
        text = f"[{self._shown} is not text: {kind}, {size} bytes. It is not shown.]"
        if kind.startswith("UTF-"):
            encoding = kind.removesuffix(" text")
            text = (
                f"[{self._shown} is {kind}, {size} bytes. "
                f"Read it with bash: iconv -f {encoding} -t UTF-8 {shlex.quote(self._shown)}]"
            )
        return text_result(text, {"binary": {"type": kind, "bytes": size}})

    def _image(self, head: bytes, file: Any, mime_type: str, stat: os.stat_result) -> ToolResult:
        if stat.st_size > limits.IMAGE_FILE_BYTES:
            raise ToolError(
                f"{self._shown} is an image of {stat.st_size} bytes, more than the {limits.IMAGE_FILE_BYTES} "
                "that can be opened. Make a smaller copy of it and read that."
            )
        content = head + (file.read(limits.IMAGE_FILE_BYTES) or b"")
        try:
            image = fit_image(content, mime_type, self._workspace.auto_resize_images)
        except ImageError as error:
            raise ToolError(f"{self._shown} cannot be shown: {error}.") from error
        details = {
            "image": {
                "mimeType": image.mime_type,
                "width": image.width,
                "height": image.height,
                "originalWidth": image.original_width,
                "originalHeight": image.original_height,
                "bytes": len(content),
            }
        }
        return ToolResult([TextContent(size_note(image)), ImageContent(image.data, image.mime_type)], details)

    def _not_a_file(self, kind: str) -> str:
        if kind == "a directory":
            return f"{self._shown} is a directory. List it with bash: ls -la {shlex.quote(self._shown)}"
        return f"{self._shown} is {kind}; only files can be read."


def _decoded(content: bytes, at_beginning: bool) -> tuple[str, str]:
    """The text, and how many of its bytes could not be shown, in words."""
    try:
        text = content.decode("utf-8")
        odd = 0
    except UnicodeDecodeError:
        text = content.decode("utf-8", "replace")
        odd = sum(1 for char in content.decode("utf-8", "surrogateescape") if "\udc80" <= char <= "\udcff")
    if "\0" in text:
        odd += text.count("\0")
        text = text.replace("\0", "\ufffd")
    if at_beginning:
        text = text.removeprefix("\ufeff")
    return text, "" if not odd else "1 byte is" if odd == 1 else f"{odd} bytes are"


def _lines(count: int) -> str:
    return "1 line" if count == 1 else f"{count} lines"
