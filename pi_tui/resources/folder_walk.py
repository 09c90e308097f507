"""Finding files of resources in a folder, without getting lost in it."""

import os
from collections.abc import Iterator
from pathlib import Path

from pi_tui.llm.problems import Problem

FOLDERS_LIMIT = 2_000
"""Folders below one root that are looked into."""
DEPTH_LIMIT = 6
FILES_LIMIT = 1_000
"""Files of one folder that are considered."""
_SKIPPED = frozenset({"node_modules", "__pycache__"})


def skill_files(root: Path, name: str, problems: list[Problem]) -> Iterator[Path]:
    """The files with this name in a folder and its subfolders, in the order of their paths.

    A folder that has one is not looked into further. Symbolic links are followed, each real folder once.
    """
    visited: set[str] = set()
    waiting = [(str(root), 0)]
    looked = 0
    while waiting:
        folder, depth = waiting.pop()
        real = os.path.realpath(folder)
        if real in visited:
            continue
        visited.add(real)
        if looked >= FOLDERS_LIMIT:
            text = f"has more than {FOLDERS_LIMIT:,} folders; those after {folder} were not looked into"
            problems.append(Problem(str(root), None, "", text))
            return
        looked += 1
        entries = _entries(folder, problems)
        if any(entry.name == name and _is_file(entry) for entry in entries):
            yield Path(folder, name).absolute()
            continue
        if depth < DEPTH_LIMIT:
            inner = [entry for entry in entries if _may_enter(entry)]
            waiting += [(entry.path, depth + 1) for entry in reversed(inner)]


def markdown_files(folder: Path, problems: list[Problem]) -> list[Path]:
    """The Markdown files that lie directly in a folder, by name."""
    entries = [entry for entry in _entries(str(folder), problems) if entry.name.lower().endswith(".md")]
    files = [Path(entry.path).absolute() for entry in entries if _is_file(entry)]
    if len(files) > FILES_LIMIT:
        text = f"has more than {FILES_LIMIT:,} Markdown files; those after {files[FILES_LIMIT - 1].name} are left out"
        problems.append(Problem(str(folder), None, "", text))
    return [path for path in files[:FILES_LIMIT] if path.name != "SKILL.md"]


def _entries(folder: str, problems: list[Problem]) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        problems.append(Problem(folder, None, "", f"cannot be read ({error.strerror}); left out"))
        return []


def _may_enter(entry: os.DirEntry[str]) -> bool:
    if entry.name.startswith(".") or entry.name in _SKIPPED:
        return False
    try:
        return entry.is_dir()
    except OSError:
        return False


def _is_file(entry: os.DirEntry[str]) -> bool:
    """A link that leads nowhere is still listed, so that reading it says so."""
    try:
        return not entry.is_dir()
    except OSError:
        return True
