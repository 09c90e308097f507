"""Going through all sessions of some folders: the newest at once, the rest as it is read."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic

from msgspec import Struct

from pi_tui.session.counting import read_whole
from pi_tui.session.folder import Stamp, stamps
from pi_tui.session.listing import SessionInfo, read_info
from pi_tui.session.session_cache import SessionCache

FIRST_PAGE = 40
"""Sessions that are told of as soon as they are read."""
BATCH_SECONDS = 0.25
"""After them, what was read in so many seconds is told together."""


class Batch(Struct):
    """Sessions that are new, or of which more is known now."""

    infos: list[SessionInfo]
    files: int
    """How many session files there are."""
    listed: bool
    """Each of them has been told of; what still comes says more about some."""


def browse(folders: Sequence[Path], cache: SessionCache, stop: Callable[[], bool]) -> Iterator[Batch]:
    """The sessions in the folders, newest first; files that are no sessions are left out.

    A long file is told of twice: by its head and tail, and when all files are listed with the name and the
    count that only the whole of it says. `stop` is asked between any two files and pieces of files.
    """
    found = stamps(folders)
    unfinished: list[Stamp] = []
    try:
        yield from _in_batches(_listed(found, cache, unfinished), len(found), stop, listed=False)
        if stop():
            return
        yield Batch([], len(found), True)
        yield from _in_batches(_finished(unfinished, cache, stop), len(found), stop, listed=True)
    finally:
        cache.forget_missing(folders, found)
        cache.save()


def _listed(found: list[Stamp], cache: SessionCache, unfinished: list[Stamp]) -> Iterator[SessionInfo | None]:
    for stamp in found:
        info = cache.get(stamp)
        if info is None:
            info = read_info(Path(stamp.path))
            if info is not None and info.complete:
                cache.put(stamp, info)
            elif info is not None:
                unfinished.append(stamp)
        yield info


def _finished(
    unfinished: list[Stamp], cache: SessionCache, stop: Callable[[], bool]
) -> Iterator[SessionInfo | None]:
    for stamp in unfinished:
        info = read_whole(Path(stamp.path), stop)
        if info is not None:
            cache.put(stamp, info)
        yield info


def _in_batches(
    infos: Iterator[SessionInfo | None], files: int, stop: Callable[[], bool], *, listed: bool
) -> Iterator[Batch]:
    batch: list[SessionInfo] = []
    first = not listed
    since = monotonic()
    for info in infos:
        if stop():
            return
        if info is not None:
            batch.append(info)
        if (first and len(batch) >= FIRST_PAGE) or monotonic() - since >= BATCH_SECONDS:
            first = False
            if batch:
                yield Batch(batch, files, listed)
            batch, since = [], monotonic()
    if batch:
        yield Batch(batch, files, listed)
