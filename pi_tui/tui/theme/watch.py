"""Notices that the file of the theme in use was saved."""

from pathlib import Path
from typing import Final

LOOK_EVERY: Final = 2.0
"""Seconds."""


class ThemeWatch:
    """Looks at one file of the user's themes at a time: `NAME.json`."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seen: tuple[str, tuple[int, int] | None] = ("", None)

    def changed(self, name: str) -> bool:
        """Whether the theme's file is another than at the last look; False at the first, and where there is none."""
        try:
            stat = (self._folder / f"{name}.json").stat()
            signature = (stat.st_mtime_ns, stat.st_size)
        except OSError:
            signature = None
        before, self._seen = self._seen, (name, signature)
        return before[0] == name and signature is not None and before[1] != signature
