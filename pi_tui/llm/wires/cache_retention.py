"""How long a provider is asked to keep the beginning of a conversation: `PI_CACHE_RETENTION`."""

import os
from typing import Literal

from pi_tui.llm.stream import StreamOptions

Retention = Literal["none", "short", "long"]


def cache_retention(options: StreamOptions) -> Retention:
    """`none` switches prompt caching off, `long` asks for an hour or a day; anything else is `short`."""
    chosen = os.environ.get("PI_CACHE_RETENTION", "short").strip().lower()
    if not options.cache or chosen == "none":
        return "none"
    return "long" if chosen == "long" else "short"
