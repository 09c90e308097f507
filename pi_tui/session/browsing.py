"""Going through all sessions of some folders: the newest at once, the rest as it is read."""

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from time import monotonic

from msgspec import Struct

from pi_tui.session.counting import read_whole
from pi_tui.session.folder import Stamp, session_paths, stamp_of, stamps
from pi_tui.session.listing import SessionInfo, read_info
from pi_tui.session.reader import SessionReader
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


def browse(
    folders: Sequence[Path],
    cache: SessionCache,
    stop: Callable[[], bool],
    reader: SessionReader | None = None,
) -> Iterator[Batch]:
    """The sessions in the folders, newest first; files that are no sessions are left out.

    A long file is told of twice: by its head and tail, and when all files are listed with the name and the
    count that only the whole of it says. What was told of first, from the cache, is told of once more in its place
    among all. `stop` is asked between any two files and pieces of files.

    Args:
        reader: Reads what is not on the first page.
    """
    known = _known_page(folders, cache)
    if known is not None:
        yield known
    found = stamps(folders)
    unfinished: list[Stamp] = []
    try:
        infos = _listed(found, cache, unfinished, reader)
        yield from _in_batches(infos, len(found), stop, listed=False)
        if stop():
            return
        yield Batch([], len(found), True)
        yield from _in_batches(_finished(unfinished, cache, stop, reader), len(found), stop, listed=True)
    finally:
        cache.forget_missing(folders, found)
        cache.save()


def _known_page(folders: Sequence[Path], cache: SessionCache) -> Batch | None:
    """The first page where the cache knows most files: one look at each folder, and one at each file that is shown."""
    paths = [path for folder in folders for path in session_paths(folder)]
    unknown, newest = cache.newest(paths, FIRST_PAGE)
    if not newest or len(unknown) > FIRST_PAGE:
        return None
    looked_at = [stamp for path in (*unknown, *newest) if (stamp := stamp_of(path)) is not None]
    page = sorted(looked_at, reverse=True)[:FIRST_PAGE]
    infos = [cache.get(stamp) or read_info(Path(stamp.path)) for stamp in page]
    return Batch([info for info in infos if info is not None], len(paths), False)


def _listed(
    found: list[Stamp], cache: SessionCache, unfinished: list[Stamp], reader: SessionReader | None
) -> Iterator[SessionInfo | None]:
    for place, stamp in enumerate(found):
        info = cache.get(stamp)
        if info is None:
            read = read_info if reader is None or place < FIRST_PAGE else reader.info
            info = read(Path(stamp.path))
            if info is not None:
                cache.put(stamp, info)
        if info is not None and not info.complete:
            unfinished.append(stamp)
        yield info


def _finished(
    unfinished: list[Stamp], cache: SessionCache, stop: Callable[[], bool], reader: SessionReader | None
) -> Iterator[SessionInfo | None]:
    for stamp in unfinished:
        path = Path(stamp.path)
        info = read_whole(path, stop) if reader is None else reader.whole(path)
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
