"""Something wrong with a file the user or the project brought: told, never fatal."""

from msgspec import Struct


class Problem(Struct, frozen=True):
    path: str
    text: str
    """What is wrong, and what happens because of it."""
    key: str | None = None
    """The setting or field it is about."""

    def __str__(self) -> str:
        return f"{self.path}: {self.key}: {self.text}" if self.key else f"{self.path}: {self.text}"
