"""The `grep` tool.

`details`: `{"matches": shown matches, "files": files they are in, "more": bool}`; `more` if there were more
matches than are shown.
"""

import asyncio
import threading
from collections.abc import Generator, Iterable, Iterator
from contextlib import closing
from typing import Any, ClassVar

from pi_tui.agent.tool import OnUpdate, ToolError, ToolResult, text_result
from pi_tui.agent.tools import limits
from pi_tui.agent.tools.glob_pattern import Glob, GlobError
from pi_tui.agent.tools.in_thread import in_thread
from pi_tui.agent.tools.ripgrep import RipgrepError, find_ripgrep, options_for, running
from pi_tui.agent.tools.ripgrep_output import arguments_for, lines_of
from pi_tui.agent.tools.search_scope import Scope, limit_of, scope_of
from pi_tui.agent.tools.text_search import Line, LineMatcher, PatternError, Query, search_files
from pi_tui.agent.tools.walk import files_below
from pi_tui.agent.tools.workspace import Workspace


class GrepTool:
    name: ClassVar[str] = "grep"
    description: ClassVar[str] = (
        "Search the text of files for a regular expression. Shows path:line: text. Respects .gitignore. "
        f"At most {limits.GREP_MATCHES} matches unless limit says more; lines are cut at "
        f"{limits.GREP_LINE_CHARS} characters."
    )
    parameters: ClassVar[dict[str, Any]] = {
        "type": "object",
        "properties": {
            "pattern": {"type": "string"},
            "path": {"type": "string", "description": "Folder or file; default: the working directory"},
            "glob": {"type": "string", "description": "Only such files, e.g. *.py or src/**/*.ts"},
            "ignoreCase": {"type": "boolean"},
            "literal": {"type": "boolean", "description": "pattern is plain text"},
            "context": {"type": "integer", "description": "Lines around each match"},
            "limit": {"type": "integer"},
        },
        "required": ["pattern"],
    }
    summary: ClassVar[str] = "search the text of files"
    rules: ClassVar[tuple[str, ...]] = ()
    alone: ClassVar[bool] = False

    def __init__(self, workspace: Workspace) -> None:
        self._workspace = workspace

    async def execute(self, call_id: str, arguments: dict[str, Any], on_update: OnUpdate) -> ToolResult:
        limit = limit_of(arguments, limits.GREP_MATCHES)
        context = int(arguments.get("context") or 0)
        if not 0 <= context <= limits.GREP_CONTEXT_LINES:
            raise ToolError(f"context is {context}; it must be from 0 to {limits.GREP_CONTEXT_LINES}.")
        if "\n" in arguments["pattern"] or "\0" in arguments["pattern"] or not arguments["pattern"]:
            raise ToolError("pattern must be one line of text: lines are searched one by one.")
        query = Query(
            arguments["pattern"],
            bool(arguments.get("literal")),
            bool(arguments.get("ignoreCase")),
            context,
        )
        try:
            glob = Glob(arguments["glob"]) if arguments.get("glob") else None
        except GlobError as error:
            raise ToolError(f"glob: {error}.") from error

        def search(stop: threading.Event) -> ToolResult:
            scope = scope_of(self._workspace, arguments.get("path"))
            try:
                return _told(scope, query, glob, limit, stop)
            except PatternError as error:
                raise ToolError(f"{error}. For plain text set literal.") from error

        result, cancelled = await in_thread(search)
        if cancelled:
            raise asyncio.CancelledError
        return result


def _told(scope: Scope, query: Query, glob: Glob | None, limit: int, stop: threading.Event) -> ToolResult:
    """The first matches, as far as they fit, and what is missing."""
    shown: list[str] = []
    size = matches = 0
    files: set[str] = set()
    more = cut = full = False
    with closing(_found(scope, query, glob, stop)) as found:
        for line in _until(found, limit, query.context):
            if line is None:
                more = True
                break
            text = f"{scope.shown(line.path)}{_number(line)} {line.text}{'…' * line.cut}"
            size += len(text.encode("utf-8", "replace")) + 1
            if size > limits.MAX_BYTES:
                more = full = True
                break
            shown.append(text.encode("utf-8", "replace").decode())
            matches += line.matches
            files.add(line.path)
            cut = cut or line.cut
    details = {"matches": matches, "files": len(files), "more": more}
    if not shown:
        return text_result("No matches.", details)
    notes = []
    if full:
        notes.append(f"[Cut at {limits.MAX_BYTES // limits.KIB} KiB: search in a smaller path or for less.]")
    elif more:
        notes.append(f"[There are more than these {limit} matches: narrow the search, or raise limit.]")
    if cut:
        notes.append(f"[… marks lines cut at {limits.GREP_LINE_CHARS} characters; read shows them whole.]")
    return text_result("\n".join(shown) + "".join(f"\n\n{note}" for note in notes), details)


def _number(line: Line) -> str:
    return f":{line.number}:" if line.matches else f"-{line.number}-"


def _until(found: Iterable[list[Line]], limit: int, context: int) -> Iterator[Line | None]:
    """The lines up to the last match within the limit and what stands after it; then None if there are more."""
    matches = 0
    for lines in found:
        last = 0
        for line in lines:
            matches += line.matches
            if matches > limit:
                yield None
                return
            last = line.number if line.matches else last
            if matches < limit or (last <= line.number <= last + context and last):
                yield line


def _found(
    scope: Scope, query: Query, glob: Glob | None, stop: threading.Event
) -> Generator[list[Line], None, None]:
    """The lines found, file by file: by `rg` where it is there and takes the pattern, else by our own search."""
    glob = glob if scope.file is None else None
    program = find_ripgrep()
    if program is not None:
        given = "\n".join(glob.as_ignore_lines if glob is not None else ()).encode("utf-8", "surrogateescape")
        try:
            # The glob comes first: what the user's excludes say afterwards holds against it.
            arguments = ["--ignore-file=/dev/stdin"] if given else []
            arguments += [*options_for(scope.root, scope.file), *arguments_for(query)]
            with running(program, [*arguments, "./"], scope.root, stop, given) as pieces:
                for lines in lines_of(pieces):
                    if glob is None or glob.matches(lines[0].path):
                        yield lines
        except (RipgrepError, OSError):
            pass  # there is nothing of it yet, and our own search may know the pattern
        else:
            return
    matcher = LineMatcher(query)
    paths: Iterable[str] = [scope.file] if scope.file is not None else files_below(scope.root, stop)
    if glob is not None:
        paths = filter(glob.matches, paths)
    yield from search_files(paths, scope.root, query, matcher, stop)
