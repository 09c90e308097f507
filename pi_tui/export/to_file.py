"""A session as a file of the format that its name ends with."""

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from pi_tui.export.errors import ExportError

if TYPE_CHECKING:
    from pi_tui.export.html import Theme
    from pi_tui.session.log import SessionLog

FORMATS = {
    ".html": "HTML",
    ".htm": "HTML",
    ".md": "Markdown",
    ".markdown": "Markdown",
    ".jsonl": "session file",
}
"""What a name ends with, and what is written then."""


class AlreadyThere(ExportError):
    """There is a file of that name, and nobody said that it may be replaced."""

    def __init__(self, path: Path) -> None:
        super().__init__(f"{path} is there already: remove it, or name another file")


def default_target(log: "SessionLog", folder: Path) -> Path:
    """A new file in a folder: `pi-session-` and the name of the session's file, numbered where that is taken."""
    stem = f"pi-session-{log.path.stem if log.path is not None else log.id}"
    number = 1
    while True:
        path = folder / (f"{stem}.html" if number == 1 else f"{stem}-{number}.html")
        if not os.path.lexists(path):
            return path
        number += 1


def checked_target(log: "SessionLog", target: Path, *, replace: bool = False) -> Path:
    """Where an export goes: the file that was named, or one of the default name in the folder that was named.

    Raises:
        ExportError: No format ends like that, its folder is not there, or it is the session's own file.
        AlreadyThere: There is such a file, and it is not to be replaced.
    """
    if target.is_dir():
        target = default_target(log, target)
    if target.suffix.lower() not in FORMATS:
        raise ExportError(f"{target}: a name ends in .html, .md or .jsonl, which says what is written")
    if not target.parent.is_dir():
        raise ExportError(f"{target}: there is no folder {target.parent}")
    if _is_own_file(log, target):
        raise ExportError(f"{target} is the session itself: name another file")
    if os.path.lexists(target) and not replace:
        raise AlreadyThere(target)
    return target


def write_export(
    log: "SessionLog",
    target: Path,
    *,
    theme: "Theme | None" = None,
    cancelled: Callable[[], bool] = lambda: False,
) -> None:
    """Writes a session to a file that `checked_target` let pass, whole or not at all. Takes seconds for a large one.

    Raises:
        ExportError: It could not be written, or there is nothing to write.
    """
    if log.leaf_id is None:
        raise ExportError("there is nothing in this session yet")
    try:
        match FORMATS[target.suffix.lower()]:
            case "HTML":
                from pi_tui.export.html import write_html

                write_html(log, target, theme=theme, cancelled=cancelled)
            case "Markdown":
                _write_markdown(log, target)
            case _:
                _write_session(log, target)
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExportError(f"{target} cannot be written: {reason}. Choose another place for it.") from error


async def export_beside(log: "SessionLog", target: Path, *, theme: "Theme | None" = None) -> None:
    """The same while an event loop goes on."""
    if log.leaf_id is not None and FORMATS[target.suffix.lower()] == "HTML":
        from pi_tui.export.html import export_html

        await export_html(log, target, theme=theme)
    else:
        await asyncio.to_thread(write_export, log, target)


def _write_markdown(log: "SessionLog", target: Path) -> None:
    from pi_tui.export.markdown import markdown_of
    from pi_tui.llm.replace_file import replace_file

    replace_file(target, "".join(markdown_of(log)).encode("utf-8", "replace"))


def _write_session(log: "SessionLog", target: Path) -> None:
    from pi_tui.session.copying import export_jsonl

    with tempfile.TemporaryDirectory(dir=target.parent, prefix=f".{target.name}.") as folder:
        temporary = Path(folder) / target.name
        export_jsonl(log, temporary)
        temporary.replace(target)


def _is_own_file(log: "SessionLog", target: Path) -> bool:
    try:
        return log.path is not None and target.samefile(log.path)
    except OSError:
        return False
