"""What can be completed where the cursor is, and with what. Knows nothing of the screen."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum, auto
from pathlib import Path
from typing import Final, Protocol

from pi_tui.tui.editor.fuzzy import matching

CHOICES_LIMIT: Final = 100
"""Choices of one list."""

FOLDER_LIMIT: Final = 5_000
"""Entries of a folder that are looked at for a path."""

_COMMAND: Final = re.compile(r"/(\S*)\Z")
_ARGUMENT: Final = re.compile(r"/(\S+)\s+(.*)\Z", re.DOTALL)
_FILE: Final = re.compile(r"(?:^|[\s(\[{=:,])@(\"[^\"]*|[^\s\"]*)\Z")
_WORD: Final = re.compile(r"(\"[^\"]*|[^\s\"]*)\Z")
_NEEDS_QUOTES: Final = re.compile(r"[\s\"]")


class Kind(Enum):
    COMMAND = auto()
    ARGUMENT = auto()
    FILE = auto()
    PATH = auto()


@dataclass(frozen=True)
class Choice:
    """One thing to choose in a completion list."""

    text: str
    """What is put into the editor."""
    label: str
    description: str = ""
    goes_on: bool = False
    """More is to be written after it: a folder, a command that takes arguments."""


@dataclass(frozen=True)
class Query:
    """What stands before the cursor and is to be completed."""

    kind: Kind
    text: str
    """What was typed of it."""
    start: int
    """The column where it begins; it ends at the cursor."""
    command: str = ""
    """The command whose argument it is."""


class Command(Protocol):
    """What completion needs to know of a `/` command."""

    @property
    def name(self) -> str:
        """Without the slash."""

    @property
    def description(self) -> str: ...

    @property
    def argument_hint(self) -> str:
        """Empty when the command takes no argument."""


class CommandProvider(Protocol):
    """Where the commands come from; asked on every keystroke, so it must answer at once."""

    def commands(self) -> Sequence[Command]: ...

    def complete_argument(self, command: str, prefix: str) -> Sequence[Choice]:
        """Choices for the argument of a command; nothing when there is nothing to choose from."""


def query_at(line: str, row: int, column: int) -> Query | None:
    """What is being completed while someone types, or `None`."""
    before = line[:column]
    if row == 0 and before.startswith("/"):
        if match := _COMMAND.fullmatch(before):
            return Query(Kind.COMMAND, match[1], 0)
        if match := _ARGUMENT.fullmatch(before):
            return Query(Kind.ARGUMENT, match[2], match.start(2), match[1])
    if match := _FILE.search(before):
        return Query(Kind.FILE, match[1].removeprefix('"'), match.start(1) - 1)
    return None


def path_query_at(line: str, column: int) -> Query | None:
    """The path before the cursor, for Tab; `None` after a blank."""
    match = _WORD.search(line[:column])
    if match is None or not match[1]:
        return None
    return Query(Kind.PATH, match[1].removeprefix('"'), match.start(1))


def command_choices(provider: CommandProvider, query: Query) -> list[Choice]:
    """The commands, or the arguments of a command, that fit."""
    if query.kind is Kind.ARGUMENT:
        choices = provider.complete_argument(query.command, query.text)
        return matching(query.text, choices, lambda choice: choice.label.lower())[:CHOICES_LIMIT]
    commands = matching(query.text, provider.commands(), lambda command: command.name.lower())
    return [
        Choice(
            f"/{command.name} " if command.argument_hint else f"/{command.name}",
            f"/{command.name} {command.argument_hint}".rstrip(),
            command.description,
            goes_on=bool(command.argument_hint),
        )
        for command in commands[:CHOICES_LIMIT]
    ]


def file_choice(path: str) -> Choice:
    """The choice for a file or folder (ending with `/`) after an `@`."""
    goes_on = path.endswith("/")
    name = path.rstrip("/").rpartition("/")[2] + ("/" if goes_on else "")
    folder = path[: len(path) - len(name)]
    return Choice("@" + _quoted(path, goes_on), name, folder, goes_on)


def path_choices(query: Query, cwd: Path) -> list[Choice]:
    """What the typed path may become. Reads the disk: call it in a thread."""
    folder, slash, prefix = query.text.rpartition("/")
    try:
        entries = list_folder(cwd / Path(folder + slash).expanduser(), prefix)
    except (OSError, RuntimeError, ValueError):
        return []
    return [
        Choice(_quoted(folder + slash + name, name.endswith("/")), name, goes_on=name.endswith("/"))
        for name in entries[:CHOICES_LIMIT]
    ]


def list_folder(folder: Path, prefix: str) -> list[str]:
    """Names in a folder that begin with `prefix`, folders first; hidden ones only when asked for."""
    names: list[tuple[bool, str, str]] = []
    for seen, entry in enumerate(folder.iterdir()):
        if seen >= FOLDER_LIMIT:
            break
        name = entry.name
        if not name.lower().startswith(prefix.lower()) or (
            name.startswith(".") and not prefix.startswith(".")
        ):
            continue
        is_file = not entry.is_dir()
        names.append((is_file, name.lower(), name if is_file else name + "/"))
    return [name for _, _, name in sorted(names)]


def common_prefix(choices: Sequence[Choice]) -> str:
    """What all choices begin with."""
    if not choices:
        return ""
    first, last = min(choice.text for choice in choices), max(choice.text for choice in choices)
    length = next((i for i, letter in enumerate(first) if i >= len(last) or letter != last[i]), len(first))
    return first[:length]


def _quoted(path: str, goes_on: bool) -> str:
    if not _NEEDS_QUOTES.search(path):
        return path
    return f'"{path}' if goes_on else f'"{path}"'
