"""The instructions for the model that lie in the agent dir, the working directory and its parents."""

import os
from pathlib import Path

from msgspec import Struct

from pi_tui.llm.problems import Problem
from pi_tui.resources.text_file import read_text

NAMES = ("AGENTS.override.md", "AGENTS.md", "AGENTS.MD", "CLAUDE.md", "CLAUDE.MD")
"""The first of these in a folder counts, the others there do not."""
NOTICE_BYTES = 32 * 1024
BYTES_PER_TOKEN = 4
MAX_GIT_FILE_BYTES = 4_096


class ContextFile(Struct, frozen=True):
    path: str
    text: str

    @property
    def size(self) -> int:
        """Bytes."""
        return len(self.text.encode())

    @property
    def tokens(self) -> int:
        """Roughly what it takes of every request."""
        return -(-self.size // BYTES_PER_TOKEN)


class ContextFiles(Struct):
    files: list[ContextFile]
    """In the order the model reads them: the user's, then from the outermost folder to the innermost."""
    problems: list[Problem]


def load_context_files(cwd: Path, agent_dir: Path) -> ContextFiles:
    """Reads the context files that apply in `cwd`, each real file once.

    In a git worktree that lies inside its main checkout, a file of the worktree takes the place of the main
    checkout's own copy of it.
    """
    found = ContextFiles([], [])
    seen: set[str] = set()
    for path in _candidates(cwd, agent_dir):
        real = os.path.realpath(path)
        if real in seen:
            continue
        seen.add(real)
        text = read_text(path, found.problems)
        if text is None or not text.strip():
            continue
        file = ContextFile(str(path), text)
        found.files.append(file)
        if file.size > NOTICE_BYTES:
            notice = f"takes about {file.tokens:,} tokens of every request ({file.size // 1024} KiB)"
            found.problems.append(Problem(file.path, None, "", notice))
    return found


def _candidates(cwd: Path, agent_dir: Path) -> list[Path]:
    folders = [*reversed(cwd.parents), cwd]
    shadowed = _shadowed(cwd)
    candidates = [_first(agent_dir), *(_first(folder) for folder in folders if folder not in shadowed)]
    return [path for path in candidates if path is not None]


def _first(folder: Path) -> Path | None:
    for name in NAMES:
        path = folder / name
        if os.path.lexists(path) and not path.is_dir():
            return path
    return None


def _shadowed(cwd: Path) -> set[Path]:
    """Folders of a main checkout around a worktree whose context file the worktree has too."""
    worktree = next((folder for folder in (cwd, *cwd.parents) if (folder / ".git").exists()), None)
    main = None if worktree is None else _main_checkout(worktree / ".git")
    if worktree is None or main is None or main not in worktree.parents:
        return set()
    between = [folder for folder in worktree.parents if folder.is_relative_to(main)]
    return {folder for folder in between if _first(worktree / folder.relative_to(main)) is not None}


def _main_checkout(dot_git: Path) -> Path | None:
    """The checkout a worktree was made from, as its `.git` file (`gitdir: …/.git/worktrees/name`) tells."""
    if not dot_git.is_file():
        return None
    try:
        with dot_git.open("rb") as file:
            line = file.read(MAX_GIT_FILE_BYTES).decode()
    except (OSError, UnicodeDecodeError):
        return None
    kind, _, target = line.strip().partition(": ")
    store = dot_git.parent / target
    if kind != "gitdir" or store.parent.name != "worktrees" or store.parent.parent.name != ".git":
        return None
    return store.parent.parent.parent
