"""Where git keeps the patterns that hold in a whole repository beside its `.gitignore` files."""

import os
import shutil
import subprocess
from pathlib import Path

from pi_tui.agent.tools import limits

_GIT_DIR = ".git"


def own_exclude_file(repository: str) -> Path:
    """The repository's own, `info/exclude`; of a worktree that of its repository. It need not exist."""
    folder = Path(repository, _GIT_DIR)
    if not folder.is_dir():
        folder = Path(repository, _first_line(folder).removeprefix("gitdir:").strip())
        folder = Path(folder, _first_line(folder / "commondir"))
    return folder / "info" / "exclude"


def user_exclude_file(repository: str) -> Path | None:
    """The user's (`core.excludesFile`, by default `git/ignore` in the folder of settings); None if there is none."""
    configured = _configured(repository)
    if configured:
        path = Path(repository, configured)
    else:
        settings = os.environ.get("XDG_CONFIG_HOME") or os.path.expanduser("~/.config")  # noqa: PTH111
        path = Path(settings, "git", "ignore")
    return path if path.is_file() else None


def _configured(repository: str) -> str:
    program = shutil.which("git")
    if program is None:
        return ""
    try:
        done = subprocess.run(
            [program, "config", "--type=path", "--get", "core.excludesFile"],
            cwd=repository,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=limits.GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return os.fsdecode(done.stdout).removesuffix("\n")


def _first_line(path: Path) -> str:
    try:
        with path.open("rb") as file:
            return os.fsdecode(file.readline(limits.IGNORE_FILE_BYTES)).strip()
    except OSError:
        return ""
