"""The git branch of a folder, read from `.git` without running git."""

from pathlib import Path

MAX_HEAD_BYTES = 1_024
SHORT_HASH = 7


def git_branch(folder: Path) -> str | None:
    """The branch that is checked out in `folder`, a short commit hash when detached, None outside a repository."""
    for parent in (folder, *folder.parents):
        dot_git = parent / ".git"
        try:
            if dot_git.is_dir():
                return _branch_of(dot_git / "HEAD")
            if dot_git.is_file():
                return _branch_of(_worktree(dot_git) / "HEAD")
        except (OSError, UnicodeDecodeError, ValueError):
            return None
    return None


def _worktree(dot_git: Path) -> Path:
    """The git folder that a worktree's or submodule's `.git` file names."""
    kind, _, target = _first_line(dot_git).partition(": ")
    if kind != "gitdir":
        raise ValueError(f"{dot_git} names no git folder")
    return dot_git.parent / target


def _branch_of(head: Path) -> str | None:
    line = _first_line(head)
    if line.startswith("ref: "):
        return line.removeprefix("ref: ").removeprefix("refs/heads/")
    return line[:SHORT_HASH] or None


def _first_line(path: Path) -> str:
    with path.open(encoding="utf-8") as file:
        return file.read(MAX_HEAD_BYTES).partition("\n")[0].strip()
