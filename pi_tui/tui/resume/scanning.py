"""The two threads behind the resume picker: one goes through the files, one searches in them."""

import asyncio
import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from time import monotonic

from pi_tui.session.browsing import Batch, browse
from pi_tui.session.listing import SessionInfo
from pi_tui.session.search import find_in_file, missing_terms
from pi_tui.session.session_cache import SessionCache

SEARCH_SECONDS = 0.2
"""How long files are searched before what was found is shown."""


class Scan:
    """One pass over the sessions of some folders, in a thread that can be stopped.

    Args:
        take: Called on the event loop with each batch.
    """

    def __init__(self, folders: Sequence[Path], cache: SessionCache, take: Callable[[Batch], None]) -> None:
        self._folders = folders
        self._cache = cache
        self._take = take
        self._stopped = threading.Event()

    async def run(self) -> None:
        """Returns when all is read, or soon after `stop`."""
        try:
            await asyncio.to_thread(self._read, asyncio.get_running_loop())
        finally:
            self.stop()

    def stop(self) -> None:
        self._stopped.set()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        for batch in browse(self._folders, self._cache, self._stopped.is_set):
            loop.call_soon_threadsafe(self._give, batch)

    def _give(self, batch: Batch) -> None:
        if not self._stopped.is_set():
            self._take(batch)


class TextSearch:
    """Which sessions say all the terms of a query somewhere; each file is read once for a query."""

    def __init__(self, terms: tuple[str, ...], before: "TextSearch | None" = None) -> None:
        """`before` is the search for what was typed until now: what it did not find need not be read again."""
        self.terms = terms
        self.verdicts: dict[Path, bool] = {}
        self._stopped = threading.Event()
        if before is not None and before.terms and _narrows(terms, before.terms):
            self.verdicts = {path: False for path, found in before.verdicts.items() if not found}

    def fits(self, info: SessionInfo) -> bool:
        """Whether a session is known to fit by now."""
        return self.verdicts.get(info.path, False) or not missing_terms(info, self.terms)

    def unread(self, infos: Sequence[SessionInfo]) -> list[SessionInfo]:
        """The sessions whose files have to be read to know."""
        if not self.terms:
            return []
        return [info for info in infos if info.path not in self.verdicts and missing_terms(info, self.terms)]

    async def read_some(self, infos: Sequence[SessionInfo]) -> bool:
        """Reads as many of these as fit into `SEARCH_SECONDS`; whether a session was found."""
        verdicts = await asyncio.to_thread(self._read, infos)
        self.verdicts |= verdicts
        return any(verdicts.values())

    def stop(self) -> None:
        self._stopped.set()

    def _read(self, infos: Sequence[SessionInfo]) -> dict[Path, bool]:
        until = monotonic() + SEARCH_SECONDS
        verdicts: dict[Path, bool] = {}
        for info in infos:
            if self._stopped.is_set() or monotonic() > until:
                break
            found = find_in_file(info.path, missing_terms(info, self.terms), self._stopped.is_set)
            if self._stopped.is_set():
                break
            verdicts[info.path] = found
        return verdicts


def _narrows(terms: tuple[str, ...], before: tuple[str, ...]) -> bool:
    """Whatever says all of `terms` also says all of `before`."""
    return all(any(old in new for new in terms) for old in before)
