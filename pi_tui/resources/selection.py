"""Lists of resources in the settings: paths, globs, and what they leave out.

`path` adds a file or folder, `!pattern` leaves out what fits, `+path` brings one of these back, and `-path`
leaves out exactly that one, whatever else is said.
"""

import glob
from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase
from itertools import islice
from pathlib import Path

from msgspec import Struct, field

from pi_tui.resources.paths import resolve

SIGNS = "!+-"
GLOB_LIMIT = 1_000
"""Paths one glob may stand for."""


class Selection(Struct):
    """What one list, or several lists together, select."""

    sources: list[Path] = field(default_factory=list)
    without: list[str] = field(default_factory=list)
    """Patterns."""
    included: set[str] = field(default_factory=set)
    excluded: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, entries: Iterable[str]) -> "Selection":
        """What entries mean that `absolute` has prepared."""
        selection = cls()
        for entry in entries:
            sign, rest = (entry[:1], entry[1:]) if entry[:1] in SIGNS else ("", entry)
            if sign == "!":
                selection.without.append(rest)
            elif sign == "-":
                selection.excluded.add(rest)
            else:
                selection.sources += _paths(rest)
                if sign == "+":
                    selection.included.add(rest)
        return selection

    def allows(self, path: Path) -> bool:
        """Whether a file is selected; a skill is meant by its folder as well as by its file."""
        names = [str(path)] + ([str(path.parent)] if path.name == "SKILL.md" else [])
        if not self.excluded.isdisjoint(names):
            return False
        if not self.included.isdisjoint(names):
            return True
        return not any(_fits(name, pattern) for name in names for pattern in self.without)


def absolute(entries: Sequence[str], base: Path) -> list[str]:
    """The entries with their paths resolved against the folder of their settings file.

    A pattern without a slash stays: it fits a name in any folder.
    """
    resolved: list[str] = []
    for entry in entries:
        sign, rest = (entry[:1], entry[1:]) if entry[:1] in SIGNS else ("", entry)
        if rest and not (sign == "!" and "/" not in rest):
            rest = str(Path(resolve(rest, base)))
        if rest:
            resolved.append(sign + rest)
    return resolved


def _paths(text: str) -> list[Path]:
    if not glob.has_magic(text):
        return [Path(text)]
    path = Path(text)
    return sorted(islice(Path(path.anchor).glob(str(path.relative_to(path.anchor))), GLOB_LIMIT))


def _fits(name: str, pattern: str) -> bool:
    if "/" not in pattern:
        return fnmatchcase(name.rpartition("/")[2], pattern)
    return fnmatchcase(name, pattern.replace("**/", "*"))
