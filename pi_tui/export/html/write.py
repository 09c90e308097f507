"""A session's page as a file, whole or not at all."""

import asyncio
import os
import stat
import tempfile
import threading
from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import Final

from pi_tui.export.errors import ExportCancelled, ExportError
from pi_tui.export.html.colors import Theme
from pi_tui.export.html.snapshot import Snapshot, snapshot
from pi_tui.session.errors import SessionError
from pi_tui.session.log import SessionLog
from pi_tui.session.outline.outline import Outline

PRIVATE: Final = 0o600
"""A session holds source code and what commands printed."""
BUFFER: Final = 1024 * 1024
"""Bytes that are written at once."""

Progress = Callable[[int, int], None]
"""Called with the number of entries that are drawn, and of all."""


def write_html(
    source: SessionLog | Path,
    out: Path,
    *,
    theme: Theme | None = None,
    progress: Progress | None = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> Path:
    """Writes a session as one HTML file, and returns where it is.

    A new file is private, one that is there is replaced in one step and keeps its mode. Takes about a second for ten
    megabytes: not for an event loop.

    Args:
        source: A session, or the file of one; damaged lines are left out and named on the page.
        out: The file to write; its folder has to be there.
        theme: Colours (`colors` by token, `appearance`); for the other appearance those that are shipped.
        progress: Hears how far it is.
        cancelled: Asked now and then; True ends it.

    Raises:
        ExportError: The message names the file and says what to do. What was in `out` is as it was.
    """
    log = source if isinstance(source, SessionLog) else _open(source)
    outline = Outline(log)
    return _write(snapshot(outline), out, theme, progress, cancelled)


async def export_html(
    log: SessionLog, out: Path, *, theme: Theme | None = None, progress: Progress | None = None
) -> Path:
    """Like `write_html`, for a session that may go on meanwhile: the page is drawn in a thread.

    Cancelling it writes nothing. `progress` is called in that thread.
    """
    outline = Outline(log)
    for _ in outline.read():
        await asyncio.sleep(0)
    shot = snapshot(outline)
    given_up = threading.Event()
    work = asyncio.ensure_future(asyncio.to_thread(_write, shot, out, theme, progress, given_up.is_set))
    try:
        return await asyncio.shield(work)
    except asyncio.CancelledError:
        given_up.set()
        with suppress(ExportError):
            await work
        raise


def _open(path: Path) -> SessionLog:
    try:
        return SessionLog.open(path, read_only=True)
    except SessionError as error:
        raise ExportError(f"{error} Name a session file (.jsonl).") from error
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror or error}. Check the path.") from error


def _write(
    shot: Snapshot,
    out: Path,
    theme: Theme | None,
    progress: Progress | None,
    cancelled: Callable[[], bool],
) -> Path:
    from pi_tui.export.html.page import page

    def on_entry(number: int) -> None:
        if cancelled():
            raise ExportCancelled(f"The export to {out} was cancelled; nothing was written.")
        if progress is not None:
            progress(number, len(shot.ids))

    try:
        _replace(out, page(shot, theme, on_entry))
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"{out} cannot be written: {reason}. Choose another place for it.") from error
    if progress is not None:
        progress(len(shot.ids), len(shot.ids))
    return out


def _replace(out: Path, pieces: Iterable[str]) -> None:
    """Puts what `pieces` give in the place of a file in one step."""
    if out.is_dir():
        raise IsADirectoryError(0, "it is a folder")
    mode = stat.S_IMODE(out.stat().st_mode) if out.exists() else PRIVATE
    descriptor, temporary = tempfile.mkstemp(dir=out.parent, prefix=f".{out.name}.")
    try:
        with os.fdopen(descriptor, "w", BUFFER, encoding="utf-8", errors="replace", newline="\n") as file:
            file.writelines(pieces)
            file.flush()
            os.fchmod(file.fileno(), mode)
            os.fsync(file.fileno())
        Path(temporary).replace(out)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(temporary).unlink()
        raise
