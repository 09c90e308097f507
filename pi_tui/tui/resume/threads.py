"""The order in which sessions are listed, and forks under the session they came from."""

from collections.abc import Iterable, Iterator
from typing import Final, Literal, NamedTuple

from pi_tui.session.listing import SessionInfo

SortMode = Literal["threads", "newest", "largest"]
SORT_MODES: Final[tuple[SortMode, ...]] = ("threads", "newest", "largest")

MAX_DEPTH_SHOWN: Final = 5
"""Forks of forks beyond it are indented no further."""


class SessionRow(NamedTuple):
    """One line of the list."""

    info: SessionInfo
    lead: str = ""
    """What hangs a fork on the session above, such as `│ └ `."""


def arranged(infos: Iterable[SessionInfo], sort: SortMode) -> list[SessionRow]:
    """The rows of a list: threads by the last use of any of their sessions, or each session for itself."""
    known = list(infos)
    if sort == "largest":
        return [SessionRow(info) for info in sorted(known, key=lambda info: -info.size)]
    newest_first = sorted(known, key=lambda info: -info.modified)
    if sort == "newest":
        return [SessionRow(info) for info in newest_first]
    return _threads(newest_first)


def _threads(newest_first: list[SessionInfo]) -> list[SessionRow]:
    """A thread stands where its newest session would: it stays there while older ones become known."""
    by_path = {str(info.path): info for info in newest_first}
    root_of: dict[str, SessionInfo] = {}
    roots: dict[str, SessionInfo] = {}
    forks: dict[str, list[SessionInfo]] = {}
    for key, info in by_path.items():
        root = info if info.parent is None else _root(info, by_path, root_of)
        if root is info:
            roots.setdefault(key, info)
        else:
            roots.setdefault(str(root.path), root)
            forks.setdefault(str(info.parent), []).append(info)
    rows: list[SessionRow] = []
    for key, root in roots.items():
        if key in forks:
            rows += _thread(root, forks)
        else:
            rows.append(SessionRow(root))
    return rows


def _thread(root: SessionInfo, forks: dict[str, list[SessionInfo]]) -> Iterator[SessionRow]:
    waiting = [(root, "", "")]
    while waiting:
        info, lead, below = waiting.pop()
        yield SessionRow(info, lead)
        deep = len(below) >= 2 * MAX_DEPTH_SHOWN
        for place, one in enumerate(reversed(forks.get(str(info.path), ()))):
            corner, rail = ("└ ", "  ") if place == 0 else ("├ ", "│ ")
            waiting.append((one, below + corner, below if deep else below + rail))


def _root(info: SessionInfo, by_path: dict[str, SessionInfo], root_of: dict[str, SessionInfo]) -> SessionInfo:
    """The listed session at the top of a thread; of sessions that name each other as parents, one of them."""
    path: list[str] = []
    at = info
    while (key := str(at.path)) not in root_of:
        path.append(key)
        above = by_path.get(str(at.parent)) if at.parent is not None else None
        if above is None or str(above.path) in path:
            break
        at = above
    root = root_of.get(str(at.path), at)
    for one in path:
        root_of[one] = root
    return root
