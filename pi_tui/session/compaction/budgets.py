"""How much of a context window a compaction leaves free, and how much it keeps."""

from msgspec import Struct

DEFAULT_RESERVE = 16_384
DEFAULT_KEEP_RECENT = 20_000


class Budgets(Struct, frozen=True):
    """Tokens."""

    window: int
    reserve: int
    """What stays free for the answer."""
    keep_recent: int
    """The newest part of the conversation that stays as it is."""

    @property
    def threshold(self) -> int:
        """A context larger than this is compacted."""
        return self.window - self.reserve


def budgets_for(window: int, reserve: int | None = None, keep_recent: int | None = None) -> Budgets:
    """The budgets for a context window; what the user set is taken as it is, defaults shrink with the window."""
    if reserve is None:
        reserve = min(DEFAULT_RESERVE, window // 4)
    if keep_recent is None:
        keep_recent = min(DEFAULT_KEEP_RECENT, max(0, window - reserve) // 2)
    return Budgets(window, reserve, keep_recent)
