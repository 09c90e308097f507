"""The prompts of a folder, for Up and Down."""

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Final

ENTRIES_LIMIT: Final = 500
"""Prompts that are remembered for a folder."""

ENTRY_LIMIT: Final = 100_000
"""Characters of one prompt; a longer one is not remembered."""

FILE_LIMIT: Final = 4 * 1024 * 1024
"""Bytes of the file that are read, from its end; beyond it, or at twice the entries, it is rewritten."""


class PromptHistory:
    """Prompts in the order they were sent, kept in a JSON Lines file that only the user can read.

    Reading and writing block for a few milliseconds at most; what goes wrong with the file leaves a history
    that lives as long as the process.
    """

    def __init__(self, path: Path | None) -> None:
        """`path` is the file of this folder; `None` keeps everything in memory."""
        self._path = path
        self._entries = _read(path) if path else []
        self._lines = len(self._entries)
        del self._entries[:-ENTRIES_LIMIT]

    @property
    def entries(self) -> Sequence[str]:
        """Oldest first."""
        return self._entries

    def add(self, prompt: str) -> None:
        """Remember a prompt as the newest; an older one that says the same goes away."""
        if not prompt.strip() or len(prompt) > ENTRY_LIMIT or self._entries[-1:] == [prompt]:
            return
        if prompt in self._entries:
            self._entries.remove(prompt)
        self._entries.append(prompt)
        del self._entries[:-ENTRIES_LIMIT]
        if self._path is not None:
            self._store(self._path, prompt)

    def _store(self, path: Path, prompt: str) -> None:
        try:
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            if self._lines >= 2 * ENTRIES_LIMIT or _size(path) > FILE_LIMIT:
                self._rewrite(path)
            else:
                _write(path, os.O_APPEND, _line(prompt))
                self._lines += 1
        except OSError:
            # Not worth a word to somebody who is writing a prompt: the history goes on in memory.
            self._path = None

    def _rewrite(self, path: Path) -> None:
        fresh = path.with_name(f"{path.name}.{os.getpid()}")
        _write(fresh, os.O_TRUNC, "".join(map(_line, self._entries)))
        fresh.replace(path)
        self._lines = len(self._entries)


def _line(prompt: str) -> str:
    return json.dumps({"prompt": prompt}) + "\n"


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _write(path: Path, flag: int, text: str) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | flag, 0o600)
    try:
        os.write(descriptor, text.encode())
    finally:
        os.close(descriptor)


def _read(path: Path) -> list[str]:
    try:
        with path.open("rb") as file:
            file.seek(max(0, _size(path) - FILE_LIMIT))
            lines = file.read().split(b"\n")
    except OSError:
        return []
    prompts: dict[str, None] = {}
    for line in lines:
        try:
            prompt = json.loads(line)["prompt"]
        except (ValueError, KeyError, TypeError, RecursionError):
            continue
        if isinstance(prompt, str) and prompt:
            prompts.pop(prompt, None)
            prompts[prompt] = None
    return list(prompts)


class HistoryBrowser:
    """A walk through the history that gives the draft back at its end."""

    def __init__(self, history: PromptHistory) -> None:
        self._history = history
        self._walked: list[str] = []
        self._at = 0
        self._draft = ""

    @property
    def browsing(self) -> bool:
        return bool(self._walked)

    def older(self, current: str) -> str | None:
        """The prompt before the one shown, or `None` at the oldest; `current` is kept as the draft."""
        if not self.browsing:
            self._walked = list(self._history.entries)
            self._at = len(self._walked)
            self._draft = current
        if self._at == 0:
            return None
        self._at -= 1
        return self._walked[self._at]

    def newer(self) -> str | None:
        """The prompt after the one shown, the draft after the newest, `None` when nobody is browsing."""
        if not self.browsing:
            return None
        self._at += 1
        if self._at < len(self._walked):
            return self._walked[self._at]
        draft = self._draft
        self.stop()
        return draft

    def stop(self) -> None:
        """What is shown is now what the user writes."""
        self._walked = []
        self._draft = ""
