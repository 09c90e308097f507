"""The full output of long commands on disk: private files that are pruned by age and total size."""

import os
import secrets
import time
from pathlib import Path

from pi_tui.agent.tools import limits

_PREFIX = "bash-"
_FREE_SPACE_CHECK_BYTES = 64 * limits.MIB


class OutputFile:
    """One growing file (0600). It never raises: `problem` says why something could not be kept."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / f"{_PREFIX}{secrets.token_hex(8)}.log"
        self.size = 0
        self.problem: str | None = None
        """Why the file ends before the output does."""
        self._checked_at = -_FREE_SPACE_CHECK_BYTES
        self._descriptor = -1
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            prune(folder)
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
            self._descriptor = os.open(self.path, flags, 0o600)
        except OSError as error:
            self.problem = error.strerror or str(error)

    @property
    def exists(self) -> bool:
        return self._descriptor >= 0 or self.size > 0

    def write(self, data: bytes) -> None:
        if self.problem is not None:
            return
        if self.size + len(data) > limits.OUTPUT_FILE_BYTES:
            self.problem = "the limit for one output is reached"
            return
        try:
            self._check_free_space()
            view = memoryview(data)
            while view and self.problem is None:
                written = os.write(self._descriptor, view)
                self.size += written
                view = view[written:]
        except OSError as error:
            self.problem = error.strerror or str(error)

    def close(self) -> None:
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1

    def remove(self) -> None:
        self.close()
        self.path.unlink(missing_ok=True)

    def _check_free_space(self) -> None:
        if self.size - self._checked_at < _FREE_SPACE_CHECK_BYTES:
            return
        self._checked_at = self.size
        disk = os.fstatvfs(self._descriptor)
        if disk.f_bavail * disk.f_frsize < limits.OUTPUT_FILE_MIN_FREE_BYTES:
            self.problem = "the disk is nearly full"


def prune(folder: Path, now: float | None = None) -> None:
    """Remove kept outputs that are too old, then the oldest until all together are within their limit."""
    now = time.time() if now is None else now
    kept: list[tuple[float, int, Path]] = []
    for path in folder.glob(f"{_PREFIX}*.log"):
        try:
            stat = path.lstat()
            if now - stat.st_mtime > limits.OUTPUT_FILES_SECONDS:
                path.unlink()
            else:
                kept.append((stat.st_mtime, stat.st_size, path))
        except OSError:
            continue  # gone meanwhile, or another user's
    total = sum(size for _, size, _ in kept)
    for _, size, path in sorted(kept):
        if total <= limits.OUTPUT_FILES_BYTES:
            break
        path.unlink(missing_ok=True)
        total -= size
