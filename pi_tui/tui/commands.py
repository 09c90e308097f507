"""The `/` commands: one table from which the editor completes, `/help` lists and the client runs."""

from collections.abc import Awaitable, Callable, Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

Handler: TypeAlias = Callable[["PiApp", str], Awaitable[None] | None]
ArgumentSource: TypeAlias = Callable[["PiApp"], Iterable[str]]


@dataclass(frozen=True)
class Command:
    name: str
    description: str
    run: Handler | None
    """None where it stands for a prompt, which is sent."""
    argument_hint: str = ""
    """What may follow, for the list: `[name]`."""
    arguments: ArgumentSource | None = None
    """Completions of the argument."""
    offered: bool = True
    """Whether it is completed."""


class UnknownCommand(ValueError):
    """A `/word` that is no command; the message has near matches."""


def parse(text: str, commands: Sequence[Command]) -> tuple[Command, str] | None:
    """The command a prompt means and its argument; None for a prompt that is text, such as one with a path.

    Raises:
        UnknownCommand: It looks like a command and is none.
    """
    first, _, rest = text.partition(" ")
    name = first[1:].strip()
    if not text.startswith("/") or "\n" in first or not name or "/" in name:
        return None
    for command in commands:
        if command.name == name:
            return command, rest.strip()
    if not name.replace("-", "").replace(":", "").replace("_", "").isalnum():
        return None
    near = get_close_matches(name, [command.name for command in commands], n=3, cutoff=0.5)
    hint = (
        f" Did you mean {' or '.join('/' + one for one in near)}?" if near else " /help lists the commands."
    )
    raise UnknownCommand(f"There is no command /{name}.{hint} To send it as text, put a space before it.")
