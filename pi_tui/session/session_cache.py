"""What is known of session files from earlier listings, so that they need not be read again.

The file is the truth: what is kept here counts only as long as size and time of the last write are the same,
and it is made again from the files when it is lost.
"""

import contextlib
import os
from collections.abc import Callable, Iterable
from heapq import nlargest
from pathlib import Path
from typing import Any

import msgspec
from msgspec import Struct

from pi_tui.llm.replace_file import replace_file
from pi_tui.session.folder import Stamp
from pi_tui.session.listing import SessionInfo

CACHE_NAME = "sessions.json"
CACHE_FORMAT = 1
MAX_CACHED_SESSIONS = 20_000
"""Beyond this number, those that were stored first are forgotten."""
MAX_CACHE_BYTES = 64 * 1024 * 1024
"""A larger file is not read."""


class _Kept(Struct, array_like=True):
    size: int
    modified_ns: int
    info: msgspec.Raw


class _Cache(Struct):
    format: int
    sessions: dict[str, _Kept]


class SessionCache:
    """Metadata of session files by path.

    Args:
        path: The file it is kept in; None keeps nothing beyond this process.
    """

    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._kept: dict[str, _Kept] | None = None
        self._changed = False

    def get(self, stamp: Stamp) -> SessionInfo | None:
        """What is known of a file that is still as it was."""
        kept = self._sessions().get(stamp.path)
        if kept is None or (kept.size, kept.modified_ns) != (stamp.size, stamp.modified_ns):
            return None
        try:
            return _decode_info(kept.info)
        except msgspec.MsgspecError:
            return None

    def newest(self, paths: Iterable[str], count: int) -> tuple[list[str], list[str]]:
        """The files nothing is known of, and those of the others that were the newest when they were looked at."""
        sessions = self._sessions()
        unknown: list[str] = []
        known: list[tuple[int, str]] = []
        for path in paths:
            kept = sessions.get(path)
            if kept is None:
                unknown.append(path)
            else:
                known.append((kept.modified_ns, path))
        return unknown, [path for _, path in nlargest(count, known)]

    def put(self, stamp: Stamp, info: SessionInfo) -> None:
        """Keeps what was read of a file; `stamp` is older than the reading."""
        if info.size != stamp.size:
            return  # It was written to meanwhile.
        with contextlib.suppress(UnicodeEncodeError):
            stamp.path.encode()
            sessions = self._sessions()
            sessions.pop(stamp.path, None)
            sessions[stamp.path] = _Kept(stamp.size, stamp.modified_ns, msgspec.Raw(_encode(info)))
            self._changed = True

    def forget_missing(self, folders: Iterable[Path], present: Iterable[Stamp]) -> None:
        """Drops the files of these folders that are no longer there."""
        there = {stamp.path for stamp in present}
        among = {str(folder) for folder in folders}
        sessions = self._sessions()
        gone = [path for path in sessions if path not in there and os.path.dirname(path) in among]  # noqa: PTH120
        for path in gone:
            del sessions[path]
        self._changed = self._changed or bool(gone)

    def save(self) -> None:
        """Stores what is new, as a whole or not at all; that it cannot be stored troubles nobody."""
        if not self._changed or self._path is None:
            return
        sessions = self._sessions()
        for path in list(sessions)[: max(0, len(sessions) - MAX_CACHED_SESSIONS)]:
            del sessions[path]
        with contextlib.suppress(OSError):
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            replace_file(self._path, _encode(_Cache(CACHE_FORMAT, sessions)), durable=False)
            self._changed = False

    def _sessions(self) -> dict[str, _Kept]:
        if self._kept is None:
            self._kept = _load(self._path) if self._path is not None else {}
        return self._kept


def _load(path: Path) -> dict[str, _Kept]:
    try:
        if path.stat().st_size > MAX_CACHE_BYTES:
            return {}
        cache = _decode_cache(path.read_bytes())
    except (OSError, msgspec.MsgspecError, RecursionError):
        return {}
    return cache.sessions if cache.format == CACHE_FORMAT else {}


def _path_of(kind: type, value: Any) -> Any:
    return Path(value) if kind is Path else value


_encode: Callable[[Any], bytes] = msgspec.json.Encoder(enc_hook=str).encode
_decode_info = msgspec.json.Decoder(SessionInfo, dec_hook=_path_of).decode
_decode_cache = msgspec.json.Decoder(_Cache).decode
