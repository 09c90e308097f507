"""Whether what a project brings may be loaded: asked once for a folder, kept in `trust.json`."""

import json
import os
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct

from pi_tui.llm.problems import Problem
from pi_tui.llm.replace_file import replace_file
from pi_tui.resources.paths import PROJECT_DIR

TRUST_NAME: Final = "trust.json"
MAX_TRUST_BYTES: Final = 1024 * 1024
LOCK_TIMEOUT: Final = 5.0
"""Seconds to wait for another process that writes the same file."""

PROTECTED: Final = (
    "settings.json",
    "SYSTEM.md",
    "APPEND_SYSTEM.md",
    "skills",
    "prompts",
    "themes",
    "extensions",
    "mcp.json",
)
"""Names in a project's `.pi` that are not touched before it is trusted."""


class TrustFileError(Exception):
    """Decisions that cannot be stored: says why, with the path."""


class Decisions(Struct):
    """What was decided, by the real path of a folder; a decision counts for everything below it."""

    by_folder: dict[str, bool]
    problems: list[Problem]

    def closest(self, folder: Path) -> tuple[Path, bool] | None:
        """The decision that counts for a folder: its own, or that of the nearest folder around it."""
        real = Path(os.path.realpath(folder))
        for one in (real, *real.parents):
            if (decision := self.by_folder.get(str(one))) is not None:
                return one, decision
        return None


def load_decisions(agent_dir: Path) -> Decisions:
    """The stored decisions. A file that cannot be used is a problem, and nothing is decided then."""
    path = agent_dir / TRUST_NAME
    try:
        data = _read(path)
    except TrustFileError as error:
        return Decisions({}, [Problem(str(path), None, "", f"{error}; no decision in it counts")])
    return Decisions({key: value for key, value in data.items() if isinstance(value, bool)}, [])


def save_decision(agent_dir: Path, folder: Path, trusted: bool | None) -> None:
    """Stores what was decided for a folder; None forgets it. Keeps what other processes stored.

    Raises:
        TrustFileError: The file is unusable or locked; it was not changed.
        OSError: It cannot be written.
    """
    import filelock

    path = agent_dir / TRUST_NAME
    agent_dir.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with filelock.FileLock(agent_dir / ".trust.lock", timeout=LOCK_TIMEOUT):
            try:
                data = _read(path)
            except TrustFileError as error:
                raise TrustFileError(f"{path} {error}: mend or delete it") from error
            key = os.path.realpath(folder)
            data.pop(key, None)
            if trusted is not None:
                data[key] = trusted
            replace_file(path, (json.dumps(data, indent=2, ensure_ascii=False) + "\n").encode())
    except filelock.Timeout:
        raise TrustFileError(f"{path} is held by another process; try again") from None


def protected_resources(cwd: Path, agent_dir: Path) -> list[str]:
    """What a project has that is loaded only if it is trusted. Looks at names, opens nothing."""
    project = cwd / PROJECT_DIR
    found = [f"{PROJECT_DIR}/{name}" for name in PROTECTED if os.path.lexists(project / name)]
    if project.resolve() == agent_dir.resolve():
        found = []
    return found + [str(folder) for folder in project_agents_skills(cwd)]


def project_agents_skills(cwd: Path) -> list[Path]:
    """The `.agents/skills` folders of a working directory, from there up to the root of its repository.

    The user's own, in the home folder, is not among them.
    """
    own = os.path.realpath(Path.home() / ".agents" / "skills")
    folders: list[Path] = []
    for folder in (cwd, *cwd.parents):
        skills = folder / ".agents" / "skills"
        if skills.is_dir() and os.path.realpath(skills) != own:
            folders.append(skills)
        if (folder / ".git").exists():
            break
    return folders


def _read(path: Path) -> dict[str, Any]:
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_TRUST_BYTES + 1)
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise TrustFileError(f"cannot be read ({error.strerror})") from error
    if len(raw) > MAX_TRUST_BYTES:
        raise TrustFileError(f"is larger than {MAX_TRUST_BYTES // 1024} KiB")
    if not raw.strip():
        return {}
    try:
        data = msgspec.json.decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise TrustFileError(f"is not valid JSON ({error})") from error
    if not isinstance(data, dict):
        raise TrustFileError("is not a JSON object")
    return data
