"""The two threads behind the resume picker: one goes through the files, one searches in them."""

import asyncio
import threading
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from time import monotonic

from pi_tui.session.browsing import Batch, browse
from pi_tui.session.listing import SessionInfo
from pi_tui.session.reader import SessionReader
from pi_tui.session.search import metadata_text
from pi_tui.session.session_cache import SessionCache

PAGE_SECONDS = 1.0
"""The longest the thread waits until the first page is on screen."""
SEARCH_SECONDS = 0.2
"""How long files are searched before what was found is shown."""


_one_at_a_time = threading.Lock()
"""The scan rests while texts are searched: the user waits for that, and for the keys to be shown."""


class Scan:
    """One pass over the sessions of some folders, in a thread that can be stopped.

    Args:
        take: Called on the event loop with each batch.
    """

    def __init__(
        self,
        folders: Sequence[Path],
        cache: SessionCache,
        reader: SessionReader,
        take: Callable[[Batch], None],
    ) -> None:
        self._folders = folders
        self._cache = cache
        self._reader = reader
        self._take = take
        self._stopped = threading.Event()
        self._page_shown = threading.Event()

        self._reading: asyncio.Future[None] | None = None

    def start(self) -> None:
        """Begins to read at once: whoever shows it has a screen to build meanwhile."""
        loop = asyncio.get_running_loop()
        self._reading = loop.run_in_executor(None, self._read, loop)

    async def run(self) -> None:
        """Returns when all is read, or soon after `stop`."""
        if self._reading is None:
            self.start()
        assert self._reading is not None
        try:
            await self._reading
        finally:
            self.stop()

    def stop(self) -> None:
        self._stopped.set()
        self._page_shown.set()
        self._reader.interrupt_whole()

    def go_on(self) -> None:
        """The first page is on screen: the interpreter is free for the rest."""
        self._page_shown.set()

    def _read(self, loop: asyncio.AbstractEventLoop) -> None:
        for batch in browse(self._folders, self._cache, self._stopped.is_set, self._reader):
            loop.call_soon_threadsafe(self._give, batch)
            self._page_shown.wait(PAGE_SECONDS)
            with _one_at_a_time:
                pass

    def _give(self, batch: Batch) -> None:
        if not self._stopped.is_set():
            self._take(batch)


class TextSearch:
    """Which sessions say all the terms of a query somewhere; each file is read once for a query."""

    def __init__(
        self, terms: tuple[str, ...], reader: SessionReader, before: "TextSearch | None" = None
    ) -> None:
        """`before` is the search for what was typed until now: what it did not find need not be read again."""
        self.terms = terms
        self._reader = reader
        self._waiting: deque[tuple[Path, list[str]]] = deque()
        self._stopped = threading.Event()
        self._known: dict[Path, str] = before._known if before is not None else {}
        self._missed: set[Path] = set()
        """Files that were read and do not fit."""
        if before is not None and before.terms and _narrows(terms, before.terms):
            self._missed = before._missed.copy()
        self._verdicts: dict[Path, bool] = dict.fromkeys(self._missed, False)

    @property
    def unread(self) -> int:
        """How many files have to be read still."""
        return len(self._waiting)

    def add(self, infos: Iterable[SessionInfo]) -> None:
        """Looks at what is known of these sessions; the files of those that do not fit by that wait to be read."""
        if not self.terms:
            return
        for info in infos:
            known = self._known.get(info.path)
            if known is None:
                known = self._known[info.path] = metadata_text(info)
            missing = [term for term in self.terms if term not in known]
            if not missing:
                self._verdicts[info.path] = True
            elif info.path not in self._verdicts:
                self._verdicts[info.path] = False
                self._waiting.append((info.path, missing))

    def renew(self, info: SessionInfo) -> None:
        """More is known of a session now."""
        self._known.pop(info.path, None)
        self.add([info])

    def fits(self, info: SessionInfo) -> bool:
        """Whether a session is known to fit by now."""
        return not self.terms or self._verdicts.get(info.path, False)

    async def read_some(self) -> bool:
        """Reads as many of the waiting files as `SEARCH_SECONDS` allow; whether a session was found."""
        found = await asyncio.to_thread(self._read)
        self._verdicts.update(dict.fromkeys(found, True))
        return bool(found)

    def stop(self) -> None:
        self._stopped.set()
        self._reader.interrupt_find()

    def _read(self) -> list[Path]:
        with _one_at_a_time:
            return self._read_files()

    def _read_files(self) -> list[Path]:
        until = monotonic() + SEARCH_SECONDS
        found: list[Path] = []
        while self._waiting and not self._stopped.is_set() and monotonic() < until:
            path, missing = self._waiting.popleft()
            if self._reader.find(path, missing):
                found.append(path)
            elif not self._stopped.is_set():
                self._missed.add(path)
        return found


def _narrows(terms: tuple[str, ...], before: tuple[str, ...]) -> bool:
    """Whatever says all of `terms` also says all of `before`."""
    return all(any(old in new for new in terms) for old in before)
