"""What git leaves out of a search: by `.gitignore` above and below the folder that is searched, and by the excludes
of the repository and of the user.
"""

import os
from pathlib import Path
from typing import TYPE_CHECKING

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.git_excludes import own_exclude_file, user_exclude_file

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

IGNORE_FILE = ".gitignore"
REPOSITORY = ".git"


class IgnoreRules:
    """The rules that hold in one folder: its own, and those of the folders above that still count there.

    In a repository these are the folders up to its root; elsewhere none above where the search began.
    """

    def __init__(
        self, folder: str, above: "IgnoreRules | None", in_repository: bool, *, is_repository: bool = False
    ) -> None:
        self._folder = folder
        self._above = above
        self._in_repository = in_repository
        self.user_file: Path | None = None
        """The user's own excludes, where they count and this is the root of a repository."""
        self._specs = [_read(os.path.join(folder, IGNORE_FILE))]  # noqa: PTH118 - once for each folder
        if is_repository:
            self.user_file = user_exclude_file(folder)
            self._specs += [
                _read(own_exclude_file(folder)),
                _read(self.user_file) if self.user_file else None,
            ]

    @classmethod
    def at(cls, root: str) -> "IgnoreRules":
        """The rules for a search that begins in `root`, an absolute path. Looks at the disk."""
        repository = _repository_of(root)
        if repository is None:
            return cls(root, None, in_repository=False)
        rules = cls(repository, None, in_repository=True, is_repository=True)
        inner = os.path.relpath(root, repository)
        for part in inner.split("/") if inner != "." else ():
            if rules.ignores(part, is_folder=True):
                # Whoever searches in an ignored folder wants what is in it.
                return cls(root, None, in_repository=True)
            rules = rules.within(part)
        return rules

    @property
    def reaches_above(self) -> bool:
        """Whether rules of folders above this one count."""
        return self._above is not None

    @property
    def in_repository(self) -> bool:
        return self._in_repository

    def within(self, name: str) -> "IgnoreRules":
        """The rules of a folder in this one."""
        folder = f"{self._folder}/{name}"
        fresh = self._in_repository and os.path.lexists(f"{folder}/{REPOSITORY}")
        return IgnoreRules(folder, None if fresh else self, self._in_repository, is_repository=fresh)

    @property
    def root(self) -> "IgnoreRules":
        """Those of the highest folder that counts."""
        rules = self
        while rules._above is not None:
            rules = rules._above
        return rules

    def ignores(self, name: str, *, is_folder: bool) -> bool:
        """Whether something in this folder is left out."""
        if name == REPOSITORY:
            return True
        rules: IgnoreRules | None = self
        path = name + "/" * is_folder
        while rules is not None:
            for spec in rules._specs:
                verdict = spec.check_file(path).include if spec is not None else None
                if verdict is not None:
                    return verdict
            path = f"{rules._folder.rpartition('/')[2]}/{path}"
            rules = rules._above
        return False


def _repository_of(root: str) -> str | None:
    folder = root
    while True:
        if os.path.lexists(f"{folder}/{REPOSITORY}"):
            return folder or "/"
        if not folder:
            return None
        folder = folder.rpartition("/")[0]


def pattern_lines(path: str | Path) -> list[str]:
    """The lines of a file of patterns; none if it cannot be read."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return file.read(limits.IGNORE_FILE_BYTES).decode("utf-8", "replace").splitlines()
    except OSError:
        return []


def _read(path: str | Path) -> "GitIgnoreSpec | None":
    lines = pattern_lines(path)
    if not lines:
        return None
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(lines)
    except ValueError:
        return GitIgnoreSpec.from_lines(line for line in lines if _is_pattern(line))


def _is_pattern(line: str) -> bool:
    from pathspec import GitIgnoreSpec

    try:
        GitIgnoreSpec.from_lines([line])
    except ValueError:
        return False
    return True
