"""What was cut, for Ctrl+Y and Alt+Y, as in Emacs and readline."""

from collections import deque
from typing import Final

KILL_RING_SIZE: Final = 60
"""Cuts that are remembered, as Emacs does."""


class KillRing:
    """The texts cut so far, the last one first to come back."""

    def __init__(self) -> None:
        self._kills: deque[str] = deque(maxlen=KILL_RING_SIZE)
        self._joins = False
        self._offered = 0

    def kill(self, text: str, *, backward: bool) -> None:
        """Take in a cut text; cuts right after one another become one, in the order they stood in."""
        if not text:
            return
        if self._joins and self._kills:
            last = self._kills.pop()
            text = text + last if backward else last + text
        self._kills.append(text)
        self._joins = True
        self._offered = 0

    def interrupt(self) -> None:
        """Something else was done: the next cut stands for itself."""
        self._joins = False

    def yank(self) -> str | None:
        """The last cut, or `None` when nothing was cut."""
        self._joins = False
        self._offered = 0
        return self._kills[-1] if self._kills else None

    def yank_pop(self) -> str | None:
        """The cut before the one that was given out last; after the oldest comes the newest."""
        if not self._kills:
            return None
        self._offered = (self._offered + 1) % len(self._kills)
        return self._kills[-1 - self._offered]
