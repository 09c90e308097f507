"""The tour: lists the folder, reads a file, writes a scratch file, changes it, runs it, and tells of it."""

import re
from collections.abc import Iterator

from msgspec import Struct

from pi_tui.llm.messages import (
    AssistantMessage,
    ToolCall,
    ToolResultMessage,
    UserMessage,
    WireMessage,
    text_of,
)
from pi_tui.llm.stream import Context
from pi_tui.llm.wires.demo import tour_texts as texts
from pi_tui.llm.wires.demo.reply import Call, Reply

MAX_LISTED = 30
"""Names the tour looks at."""
MAX_READ = 120
"""Lines the tour reads of a file."""

STEPS = ("look", "read", "write", "edit", "execute")

_ID = re.compile(r"demo-(\d+)-([a-z]+)-\d+$")
_SCRATCH = re.compile(r"pi-demo(?:-\d+)?\.py")
_FAVOURITES = ("readme", "agents.md", "pyproject.toml", "package.json", "cargo.toml", "go.mod", "makefile")
_READABLE = (
    ".md",
    ".txt",
    ".rst",
    ".toml",
    ".json",
    ".py",
    ".js",
    ".ts",
    ".go",
    ".rs",
    ".c",
    ".sh",
    ".yaml",
    ".yml",
)


class Done(Struct):
    """A call the tour made, and its answer."""

    step: str
    call: ToolCall
    result: ToolResultMessage | None

    @property
    def output(self) -> str:
        return text_of(self.result.content) if self.result is not None else ""

    @property
    def worked(self) -> bool:
        return self.result is not None and not self.result.is_error


class Tour:
    """Where a tour stands, read from the ids of its own calls since the last user message."""

    def __init__(self, context: Context) -> None:
        self._tools = {tool.name for tool in context.tools}
        after = _after_last_user(context.messages)
        self._done = list(_own_calls(after))
        begun = context.messages[-1 - len(after)].timestamp if len(after) < len(context.messages) else 0
        match = _ID.match(self._done[-1].call.id) if self._done else None
        self._run = match[1] if match else str(begun)

    @property
    def under_way(self) -> bool:
        return bool(self._done)

    def reply(self) -> Reply:
        """The next step that can be taken, or the end of the tour."""
        reached = max((STEPS.index(done.step) + 1 for done in self._done), default=0)
        makers = (self._look, self._read, self._write, self._edit, self._execute)
        for make in makers[reached:]:
            reply = make()
            if reply is not None:
                return reply
        return Reply(text=self._report(), thinking=texts.THINKING_END)

    # --- steps; None where the tools or the results so far do not allow one

    def _look(self) -> Reply | None:
        if "bash" in self._tools:
            call = self._call("look", "bash", command=f"ls -Ap | head -n {MAX_LISTED}")
        elif "ls" in self._tools:
            call = self._call("look", "ls", limit=MAX_LISTED)
        else:
            return None
        return Reply(thinking=texts.THINKING_LOOK, text=texts.LOOK, calls=[call])

    def _read(self) -> Reply | None:
        calls = []
        name = _worth_reading(self._names())
        if name is not None and "read" in self._tools:
            calls.append(self._call("read", "read", path=name, limit=MAX_READ))
        if self._can_write:
            # Asked for by itself: the listing may have been too short to show it.
            command = "ls pi-demo*.py 2>/dev/null || echo 'no scratch file here yet'"
            calls.append(self._call("read", "bash", number=1, command=command))
        if not calls:
            return None
        text = texts.READ.format(name=name) if name is not None else texts.NOTHING_TO_READ
        return Reply(thinking=texts.THINKING_READ, text=text, calls=calls)

    def _write(self) -> Reply | None:
        path = self._free_name()
        if path is None:
            return None
        call = self._call("write", "write", path=path, content=texts.PROGRAM)
        return Reply(text=texts.WRITE.format(path=path), calls=[call])

    def _edit(self) -> Reply | None:
        written = self._of("write", "write")
        if written is None or not written.worked or "edit" not in self._tools:
            return None
        edits = [{"oldText": old, "newText": new} for old, new in texts.CHANGES]
        call = self._call("edit", "edit", path=written.call.arguments["path"], edits=edits)
        return Reply(thinking=texts.THINKING_EDIT, text=texts.EDIT, calls=[call])

    def _execute(self) -> Reply | None:
        path = self._scratch()
        if path is None:
            return None
        call = self._call("execute", "bash", command=f"python3 {path}")
        return Reply(text=texts.RUN, calls=[call])

    # --- what is known

    @property
    def _can_write(self) -> bool:
        return {"bash", "write"} <= self._tools

    def _names(self) -> list[str]:
        """The files of the folder, as far as the listing goes."""
        looked = self._of("look", "bash") or self._of("look", "ls")
        if looked is None or not looked.worked:
            return []
        return [line for line in looked.output.splitlines() if line and not line.endswith("/")]

    def _free_name(self) -> str | None:
        """A name no file has; None where that is not known."""
        checked = self._of("read", "bash")
        if checked is None or not checked.worked:
            return None
        taken = {*_SCRATCH.findall(checked.output), *self._names()}
        names = ("pi-demo.py", *(f"pi-demo-{number}.py" for number in range(2, len(taken) + 3)))
        return next(name for name in names if name not in taken)

    def _scratch(self) -> str | None:
        """The path of the scratch file this tour wrote, if it did."""
        for tool in ("edit", "write"):
            made = self._of(tool, tool)
            if made is not None and made.worked:
                return str(made.call.arguments["path"])
        return None

    def _of(self, step: str, tool: str) -> Done | None:
        return next((done for done in self._done if done.step == step and done.call.name == tool), None)

    def _call(self, step: str, tool: str, number: int = 0, **arguments: object) -> Call:
        return Call(f"demo-{self._run}-{step}-{number}", tool, arguments)

    def _report(self) -> str:
        rows = [f"| `{done.call.name}` | {_object(done)} | {_outcome(done)} |" for done in self._done]
        ran = self._of("execute", "bash")
        output = ran.output.strip() if ran is not None else ""
        return texts.report(rows, output, self._scratch())


def _after_last_user(messages: list[WireMessage]) -> list[WireMessage]:
    for index in range(len(messages) - 1, -1, -1):
        if isinstance(messages[index], UserMessage):
            return messages[index + 1 :]
    return messages


def _own_calls(messages: list[WireMessage]) -> Iterator[Done]:
    results = {
        message.tool_call_id: message for message in messages if isinstance(message, ToolResultMessage)
    }
    for message in messages:
        if isinstance(message, AssistantMessage):
            for call in message.tool_calls:
                match = _ID.match(call.id)
                if match is not None and match[2] in STEPS:
                    yield Done(match[2], call, results.get(call.id))


def _worth_reading(names: list[str]) -> str | None:
    """The file that tells most of a folder; None where none is plain text by its name."""
    names = [name for name in names if not _SCRATCH.fullmatch(name)]
    for favourite in _FAVOURITES:
        for name in names:
            if name.lower().startswith(favourite):
                return name
    return next((name for name in names if name.lower().endswith(_READABLE)), None)


def _object(done: Done) -> str:
    said = done.call.arguments.get("path") or done.call.arguments.get("command") or "."
    return f"`{str(said).replace('|', chr(92) + '|')}`"


def _outcome(done: Done) -> str:
    if not done.worked:
        return "failed"
    lines = len(done.output.splitlines())
    return f"{lines} line{'' if lines == 1 else 's'}"
