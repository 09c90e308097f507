"""Which tools the model gets: the default set, changed by settings and options."""

from collections.abc import Collection, Iterable, Sequence
from fnmatch import fnmatchcase

BUILTIN_TOOLS = ("read", "bash", "edit", "write", "grep", "find", "ls")
"""The names of what `agent.tools.builtin` makes, known without importing it."""


class UnknownTool(ValueError):
    """A tool was named that does not exist."""


def select_tools(
    known: Collection[str],
    default: Sequence[str],
    wanted: Sequence[str] | None,
    excluded: Iterable[str] = (),
) -> list[str]:
    """The names of the tools for the model, in the order they were given.

    Args:
        known: The names of all tools there are.
        default: Names of the set used when nothing else is said.
        wanted: Plain names replace the default; a list of `+name` and `-name` only changes it. `*` matches in
            plain names. None means the default.
        excluded: Names or patterns that are taken away in the end.

    Raises:
        UnknownTool: A name that is no tool, or plain names mixed with `+` and `-`.
    """
    names = list(default) if wanted is None else _apply(known, default, wanted)
    gone = list(excluded)
    return [name for name in names if not any(fnmatchcase(name, pattern) for pattern in gone)]


def _apply(known: Collection[str], default: Sequence[str], wanted: Sequence[str]) -> list[str]:
    changes = [name for name in wanted if name[:1] in "+-"]
    if changes and len(changes) != len(wanted):
        raise UnknownTool(f"tools {','.join(wanted)}: either plain names or +name/-name, not both")
    if not changes:
        names: list[str] = []
        for pattern in wanted:
            found = [name for name in known if fnmatchcase(name, pattern)]
            if not found:
                raise _unknown(pattern, known)
            names += [name for name in found if name not in names]
        return names
    names = list(default)
    for change in changes:
        name = change[1:]
        if name not in known:
            raise _unknown(name, known)
        if change[0] == "-":
            names = [one for one in names if one != name]
        elif name not in names:
            names.append(name)
    return names


def _unknown(name: str, known: Collection[str]) -> UnknownTool:
    return UnknownTool(f"there is no tool {name!r}; the tools are {', '.join(known)}")
