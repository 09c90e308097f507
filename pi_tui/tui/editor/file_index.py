"""The files of a folder, to be found by a few letters of their path.

Listing and matching run in threads. Both work in small steps and look whether anyone still wants the answer,
so that neither the event loop nor the next question waits for them.
"""

import heapq
import os
import subprocess
import threading
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, TypeAlias

from pi_tui.tui.editor.fuzzy import SCATTERED, rank, subsequence

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

FILES_LIMIT: Final = 200_000
"""Paths that are kept."""

STEP: Final = 500
"""Paths that are looked at between two looks whether anyone still wants the answer."""

RANKED_LIMIT: Final = 20_000
"""Good matches that are compared; where there are more, the query is too short to tell, and the ones nearest
to the top are as good as any."""

FRESH_SECONDS: Final = 10.0
"""How old a listing may be before it is made anew."""

GIT_SECONDS: Final = 20.0

_Rank: TypeAlias = tuple[int, int, int, int]

_GIT_LISTING: Final = (
    "git",
    *("-c", "core.fsmonitor=false"),  # the folder's configuration must not name a program to run
    *("ls-files", "-z", "--cached", "--others", "--exclude-standard", "--deduplicate"),
)


class FileIndex:
    """Paths of files and folders under a folder, relative to it; folders end with `/`."""

    def __init__(self, root: Path) -> None:
        self._root = root
        self._lock = threading.Lock()
        self._paths: list[str] = []
        self._lower: list[str] = []
        self._listed_at: float | None = None
        self._last: tuple[str, list[int]] = ("", [])

    @property
    def is_listed(self) -> bool:
        """There is something to search in."""
        return self._listed_at is not None

    @property
    def is_fresh(self) -> bool:
        return self._listed_at is not None and time.monotonic() - self._listed_at < FRESH_SECONDS

    def __len__(self) -> int:
        return len(self._paths)

    def list_files(self) -> None:
        """List the folder anew, with git where there is git. May take seconds: call it in a thread."""
        files = _listed_by_git(self._root)
        if files is None:
            files = list(_walk(self._root))
        paths = _with_folders(files[:FILES_LIMIT])
        lower = [path if (low := path.lower()) == path else low for path in paths]
        with self._lock:
            self._paths, self._lower = paths, lower
            self._last = ("", [])
            self._listed_at = time.monotonic()

    def search(self, query: str, limit: int, cancelled: threading.Event) -> list[str]:
        """The best `limit` paths for a query, best first; nothing when cancelled. Call it in a thread."""
        query = query.lower()
        with self._lock:
            paths, lower, (last_query, last_found) = self._paths, self._lower, self._last
        # Whoever types on narrows down: only what matched before can match now.
        narrows = bool(last_query) and query.startswith(last_query)
        pattern = subsequence(query).search
        found: list[int] = []
        best: list[tuple[_Rank, int]] = []
        whole = 0
        candidates: Sequence[int] = last_found if narrows else range(len(lower))
        for start in range(0, len(candidates), STEP):
            if cancelled.is_set():
                return []
            step = [index for index in candidates[start : start + STEP] if pattern(lower[index])]
            found += step
            if whole < RANKED_LIMIT:
                # Scattered letters only count while too few paths have the query as a whole.
                having = [index for index in step if query in lower[index]]
                whole += len(having)
                ranked = [
                    (_rank_path(query, lower[index]), index) for index in (step if whole < limit else having)
                ]
                best = heapq.nsmallest(limit, [*best, *ranked])
            time.sleep(0)  # lets the event loop have the interpreter
        with self._lock:
            if lower is self._lower:
                self._last = (query, found)
        return [paths[index] for _, index in best]


def _rank_path(query: str, path: str) -> _Rank:
    """Matches in the name go before matches in the folders, then the short before the long."""
    name_at = path.rfind("/", 0, len(path) - 1) + 1
    in_name = rank(query, path[name_at:]) if "/" not in query else None
    if in_name is not None and in_name[0] < SCATTERED:
        return (in_name[0], 0, in_name[1], len(path))
    anywhere = rank(query, path) or (SCATTERED, len(path))
    return (anywhere[0], 0 if in_name else 1, anywhere[1], len(path))


def _with_folders(files: list[str]) -> list[str]:
    folders: set[str] = set()
    for file in files:
        end = file.rfind("/")
        while end > 0 and (folder := file[: end + 1]) not in folders:
            folders.add(folder)
            end = file.rfind("/", 0, end)
    # Nearest to the top first. Sorting small parts keeps the interpreter free for the event loop.
    by_depth: dict[int, list[str]] = {}
    for path in (*folders, *files):
        by_depth.setdefault(path.count("/", 0, -1), []).append(path)
    return [path for depth in sorted(by_depth) for path in sorted(by_depth[depth])]


def _listed_by_git(root: Path) -> list[str] | None:
    environment = {**os.environ, "GIT_OPTIONAL_LOCKS": "0", "LC_ALL": "C"}
    try:
        listing = subprocess.run(
            _GIT_LISTING,
            cwd=root,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=GIT_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    if listing.returncode:
        return None
    return [_shown(name) for name in listing.stdout.split(b"\0") if name]


def _shown(name: bytes) -> str:
    return name.decode("utf-8", "replace").replace("\n", "�")


def _walk(root: Path) -> Iterator[str]:
    """The files under a folder without git, as its `.gitignore` files have it."""
    from pathspec import GitIgnoreSpec

    always = GitIgnoreSpec.from_lines([".git/", "node_modules/", "__pycache__/", ".venv/"])
    pending: list[tuple[str, tuple[tuple[str, GitIgnoreSpec], ...]]] = [("", (("", always),))]
    count = 0
    while pending and count < FILES_LIMIT:
        folder, specs = pending.pop()
        try:
            with os.scandir(root / folder) as scan:
                entries = sorted(scan, key=lambda entry: entry.name)
        except OSError:
            continue
        if any(entry.name == ".gitignore" for entry in entries):
            spec = _read_ignore(root / folder / ".gitignore")
            specs = (*specs, (folder, spec)) if spec else specs
        for entry in entries:
            path = folder + entry.name
            is_folder = entry.is_dir(follow_symlinks=False)
            if _ignored(path + "/" * is_folder, specs):
                continue
            if is_folder:
                pending.append((path + "/", specs))
            else:
                count += 1
                yield _shown(os.fsencode(path))


def _read_ignore(path: Path) -> "GitIgnoreSpec | None":
    from pathspec import GitIgnoreSpec

    try:
        return GitIgnoreSpec.from_lines(path.read_text("utf-8", errors="replace").splitlines())
    except (OSError, ValueError):
        return None


def _ignored(path: str, specs: tuple[tuple[str, "GitIgnoreSpec"], ...]) -> bool:
    verdict = False
    for folder, spec in specs:
        include = spec.check_file(path[len(folder) :]).include
        if include is not None:
            verdict = include
    return verdict
