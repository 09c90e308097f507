"""From the path a model writes to the file it means."""

import difflib
import os
import unicodedata
from pathlib import Path

from pi_tui.agent.tools import limits

_SAME_CHARACTERS = str.maketrans({"\u202f": " ", "\u00a0": " ", "\u2019": "'", "\u2018": "'"})


class PathError(ValueError):
    """A path that cannot name a file."""


def resolve(path: str, cwd: Path) -> Path:
    """The absolute path of what `path` names: relative to `cwd`, absolute, or below a home folder (`~`).

    A leading `@` is dropped unless something has that name. If nothing has the name, a file is taken whose
    name differs from it only by Unicode form (NFC, NFD), by the kind of its spaces (macOS puts U+202F into
    the names of screenshots) or of its apostrophes. Symbolic links are not followed.

    Raises:
        PathError: It is empty, holds a NUL, or names an unknown user's home.
    """
    if not path.strip():
        raise PathError("path is empty; give the path of a file")
    if "\0" in path:
        raise PathError(f"path holds a NUL character: {path!r}")
    try:
        os.fsencode(path)
    except UnicodeEncodeError as error:
        raise PathError(f"path holds a character no file name can have: {path!r}") from error
    absolute = _absolute(path, cwd)
    if not path.startswith("@"):
        return _existing(absolute)
    literal = _existing(absolute)
    first = cwd / Path(path).parts[0]
    if os.path.lexists(literal) or (len(Path(path).parts) > 1 and first.is_dir()):
        return literal
    bare = path[1:]
    return _existing(_absolute(bare, cwd)) if bare.strip() else literal


def similar_names(path: Path, count: int = 3) -> list[str]:
    """Names in the folder of `path` that resemble its own, best first."""
    names = _names(path.parent)
    folded = {name.casefold(): name for name in names}
    wanted = path.name.casefold()
    close = difflib.get_close_matches(wanted, folded, n=count, cutoff=0.6)
    same_stem = [name for name in folded if name.split(".")[0] == wanted.split(".")[0]]
    return [folded[name] for name in dict.fromkeys([*close, *sorted(same_stem)])][:count]


def missing(path: Path, shown: str) -> str:
    """That a file does not exist, and which names come close."""
    folder = path.parent
    while not folder.exists():
        folder = folder.parent
    if folder != path.parent:
        return f"{shown} does not exist, nor does its folder; {folder} is the nearest one that does."
    similar = similar_names(path)
    hint = f" Similar names in that folder: {', '.join(similar)}." if similar else ""
    return f"{shown} does not exist.{hint}"


def _absolute(path: str, cwd: Path) -> Path:
    if path.startswith("~"):
        try:
            return Path(path).expanduser()
        except RuntimeError as error:
            raise PathError(f"{path}: {error}") from error
    return cwd / path


def _existing(path: Path) -> Path:
    """`path`, each missing part replaced by its only look-alike."""
    if os.path.lexists(path):
        return path
    found = Path(path.anchor)
    for part in path.parts[1:]:
        step = found / part
        if part != ".." and not os.path.lexists(step):
            alike = [name for name in _names(found) if _canonical(name) == _canonical(part)]
            if len(alike) == 1:
                step = found / alike[0]
        found = step
    return found


def _canonical(name: str) -> str:
    return unicodedata.normalize("NFC", name.translate(_SAME_CHARACTERS))


def _names(folder: Path) -> list[str]:
    names: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                names.append(entry.name)
                if len(names) == limits.SCANNED_NAMES:
                    break
    except OSError:
        pass  # no folder, no names
    return names
