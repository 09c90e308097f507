"""What the tools of one session share: where they work, and what the model knows of the files there."""

import asyncio
import os
import stat as stat_module
import threading
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from weakref import WeakValueDictionary

from pi_tui.agent.tools import limits, paths
from pi_tui.agent.tools.file_state import FileState

OUTPUT_FOLDER = "bash-output"
"""In the cache folder: full outputs of long commands."""


@dataclass(eq=False)
class Workspace:
    """The session's working directory, its shell, and its memory of files.

    Attributes:
        cwd: Where relative paths begin and commands run.
        environ: Asked before each command for what is added to the program's own environment.
        shell_path: The shell; None for bash, or sh where there is none.
        shell_prefix: Lines that run before each command.
        cache_dir: Full outputs of long commands go into `bash-output` below it.
        auto_resize_images: Whether images that are too large are scaled down.
    """

    cwd: Path
    environ: Callable[[], Mapping[str, str]]
    shell_path: str | None
    shell_prefix: str | None
    cache_dir: Path
    auto_resize_images: bool = True
    _locks: "WeakValueDictionary[object, asyncio.Lock]" = field(
        default_factory=WeakValueDictionary, init=False
    )
    _arriving: asyncio.Lock = field(default_factory=asyncio.Lock, init=False)
    _seen: "OrderedDict[str, FileState]" = field(default_factory=OrderedDict, init=False)
    _seen_lock: threading.Lock = field(default_factory=threading.Lock, init=False)

    @property
    def output_folder(self) -> Path:
        return self.cache_dir / OUTPUT_FOLDER

    def command_environment(self) -> dict[str, str]:
        return {**os.environ, **self.environ()}

    def resolve(self, path: str) -> Path:
        """The absolute path a model means; see `paths.resolve`. Looks at the disk."""
        return paths.resolve(path, self.cwd)

    def shown(self, path: Path) -> str:
        """The path as it is told to the model: relative if it is inside the working directory."""
        return str(path.relative_to(self.cwd)) if path.is_relative_to(self.cwd) else str(path)

    @asynccontextmanager
    async def exclusive(self, path: str) -> AsyncIterator[Path]:
        """The file a model means, while nobody else here changes it, whatever name they call it by.

        Raises:
            PathError: The path cannot name a file.
        """
        # One after another, so that an edit does not overtake the write of the same response that makes its file.
        async with self._arriving:
            target, key = await asyncio.to_thread(self._locate, path)
            lock = self._locks.setdefault(key, asyncio.Lock())
        async with lock:
            yield target

    def remember(self, path: Path, state: FileState) -> None:
        """The model has now seen, or made, this state of a file."""
        key = os.path.realpath(path)
        with self._seen_lock:
            self._seen[key] = state
            self._seen.move_to_end(key)
            if len(self._seen) > limits.SEEN_FILES:
                self._seen.popitem(last=False)

    def last_seen(self, path: Path) -> FileState | None:
        """What the model last saw, or made, of a file."""
        return self._seen.get(os.path.realpath(path))

    def _locate(self, path: str) -> tuple[Path, object]:
        target = self.resolve(path)
        try:
            stat = target.stat()
        except OSError:
            return target, os.path.realpath(target)
        if stat.st_nlink > 1 and not stat_module.S_ISDIR(stat.st_mode):
            return target, (stat.st_dev, stat.st_ino)  # written in place, so its number stays
        return target, os.path.realpath(target)
