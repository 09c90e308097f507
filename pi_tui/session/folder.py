"""Where sessions lie, what their files are called, and which one a prefix or "the last one" means."""

import contextlib
import os
import re
from collections.abc import Iterable
from pathlib import Path
from stat import S_ISREG
from typing import NamedTuple

from pi_tui.session.listing import SessionInfo, read_info

SESSION_FILE = re.compile(r"\d{4}-\d\d-\d\dT[\d-]+Z_(?P<id>.+)\.jsonl")


class Stamp(NamedTuple):
    """What the file system says of a session file. Stamps sort by the time of the last write."""

    modified_ns: int
    path: str
    size: int
    """In bytes."""


def session_folder(agent_dir: Path, cwd: Path, override: Path | None) -> Path:
    """The folder of the sessions of `cwd`; with an override, that folder itself."""
    return override if override is not None else sessions_root(agent_dir) / folder_name(cwd)


def sessions_root(agent_dir: Path) -> Path:
    return agent_dir / "sessions"


def folder_name(cwd: Path) -> str:
    """`--home-user-project--` for `/home/user/project`."""
    return "--" + re.sub(r"[/\\:]", "-", re.sub(r"^[/\\]", "", str(cwd))) + "--"


def file_name(timestamp: str, session_id: str) -> str:
    """The name of a session's file by its header's time and id."""
    return f"{re.sub('[:.]', '-', timestamp)}_{session_id}.jsonl"


def all_folders(agent_dir: Path) -> list[Path]:
    """The session folders of every working directory."""
    try:
        with os.scandir(sessions_root(agent_dir)) as entries:
            return sorted(Path(entry.path) for entry in entries if entry.is_dir())
    except OSError:
        return []


def session_files(folder: Path) -> list[Path]:
    """The session files in a folder, the one written to last first."""
    return [Path(stamp.path) for stamp in stamps([folder])]


def stamps(folders: Iterable[Path]) -> list[Stamp]:
    """The session files in the folders, the one written to last first; one that goes away meanwhile is left out."""
    return sorted((stamp for folder in folders for stamp in _stamps_in(folder)), reverse=True)


def session_paths(folder: Path) -> list[str]:
    """What is named like a session file in a folder, in no order."""
    try:
        names = os.listdir(folder)  # noqa: PTH208
    except OSError:
        return []
    return [f"{folder}{os.sep}{name}" for name in names if _is_named_like_one(name)]


def stamp_of(path: str) -> Stamp | None:
    """The stamp of one file; None if it is not there or no file."""
    try:
        status = os.stat(path)  # noqa: PTH116
    except OSError:
        return None
    return Stamp(status.st_mtime_ns, path, status.st_size) if S_ISREG(status.st_mode) else None


def _is_named_like_one(name: str) -> bool:
    return name.endswith(".jsonl") and not name.startswith(".")


def _stamps_in(folder: Path) -> list[Stamp]:
    found: list[Stamp] = []
    with contextlib.suppress(OSError), os.scandir(folder) as entries:
        for entry in entries:
            if not _is_named_like_one(entry.name):
                continue
            try:
                if entry.is_file():
                    status = entry.stat()
                    found.append(Stamp(status.st_mtime_ns, entry.path, status.st_size))
            except OSError:
                continue
    return found


def latest(folder: Path, cwd: Path) -> Path | None:
    """The session of `cwd` in which the user was last.

    That is the file written to last, but for side runs: a session that was forked from another one of this
    folder whose conversation has gone on since anyone spoke in the fork (an agent's own helper run, whose
    file may be written to long after) gives way to its parent.
    """
    files = session_files(folder)
    for path in files:
        info = read_info(path)
        if info is not None and _same_folder(info.cwd, cwd):
            return _main_line(info, files)
    return None


def find(prefix: str, folders: Iterable[Path]) -> list[Path]:
    """The sessions whose id begins with `prefix`, the one written to last first; an exact id stands alone."""
    matches: list[Path] = []
    for stamp in stamps(folders):
        path = Path(stamp.path)
        session_id = _id_of(path)
        if session_id == prefix:
            return [path]
        if session_id.startswith(prefix):
            matches.append(path)
    return matches


def _id_of(path: Path) -> str:
    named = SESSION_FILE.fullmatch(path.name)
    if named:
        return named["id"]
    info = read_info(path)
    return info.id if info else ""


def _main_line(info: SessionInfo, files: list[Path]) -> Path:
    seen: set[Path] = set()
    while info.parent is not None and info.path not in seen:
        seen.add(info.path)
        parent = next((path for path in files if path == info.parent), None)
        above = read_info(parent) if parent else None
        if (
            above is None
            or above.cwd != info.cwd
            or above.last_entry <= max(info.last_user_entry, info.created)
        ):
            break
        info = above
    return info.path


def _same_folder(one: str, other: Path) -> bool:
    return not one or Path(one) == other or os.path.realpath(one) == os.path.realpath(other)
