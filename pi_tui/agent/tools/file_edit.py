"""One edit of one file, from its bytes to its bytes.

Needs nothing beyond the standard library, so that it can be done in a process of its own: a large file keeps the
interpreter busy in steps that no other thread can interrupt.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.atomic_write import ChangedMeanwhileError, write_file
from pi_tui.agent.tools.content_type import binary_type
from pi_tui.agent.tools.diffs import Change, unified_diff
from pi_tui.agent.tools.edit_matching import Edit, EditError, Region, apply_regions, find_regions
from pi_tui.agent.tools.file_errors import file_error
from pi_tui.agent.tools.file_state import FileState, NotRegularError, read_regular
from pi_tui.agent.tools.paths import missing


class EditRefused(Exception):
    """Why nothing was edited, for the model to read."""


@dataclass(frozen=True)
class EditJob:
    """What to do; `shown` is the path as it is told, `seen` what the model last saw of the file."""

    path: Path
    shown: str
    edits: Sequence[Edit]
    seen: FileState | None


@dataclass(frozen=True)
class Edited:
    """What was done: a sentence for the model, `details` for the screen, the file as it is now."""

    told: str
    details: dict[str, Any]
    state: FileState


def edit_file(job: EditJob, before_writing: Callable[[], None] = lambda: None) -> Edited:
    """Make all the edits, or none.

    Args:
        before_writing: Called at the last moment; may raise, and nothing is written.

    Raises:
        EditRefused: They cannot be made.
    """
    shown = job.shown
    try:
        content, stat = read_regular(job.path, limits.EDIT_FILE_BYTES)
        if content is None:
            raise EditRefused(
                f"{shown} has {stat.st_size} bytes, more than the {limits.EDIT_FILE_BYTES} edit takes. "
                "Change it with bash, for example with sed -i."
            )
        old = content.decode("utf-8", "surrogateescape")
        regions = _regions(old, content, job)
        new = apply_regions(old, regions)
        changed_on_disk = job.seen is not None and job.seen.differs_from(stat, content)
        before_writing()
        state = write_file(job.path, new.encode("utf-8", "surrogateescape"), FileState.signature_of(stat))
    except NotRegularError as error:
        raise EditRefused(f"{shown} is {error.kind}; only files can be edited.") from error
    except FileNotFoundError as error:
        raise EditRefused(f"{missing(job.path, shown)} To make a new file, use write.") from error
    except ChangedMeanwhileError as error:
        raise EditRefused(
            f"{shown} was changed by something else just now. Nothing was edited; read it again."
        ) from error
    except OSError as error:
        raise EditRefused(file_error(error, shown, "edit")) from error
    diff = unified_diff(old, new, shown, _changes(regions))
    return Edited(_told(shown, regions, changed_on_disk), diff.details, state)


def _regions(old: str, content: bytes, job: EditJob) -> list[Region]:
    try:
        return find_regions(old, job.edits)
    except EditError as error:
        kind = binary_type(content[: limits.SNIFF_BYTES])
        hint = f" The file is not UTF-8 text but {kind}; change it with bash." if kind else ""
        raise EditRefused(f"{job.shown} was not changed. {error}{hint}") from error


def _changes(regions: Sequence[Region]) -> list[Change]:
    changes: list[Change] = []
    moved = 0
    for region in regions:
        start, size = region.start + moved, len(region.replacement)
        changes.append(Change(region.start, region.end, start, start + size))
        moved += size - (region.end - region.start)
    return changes


def _told(shown: str, regions: Sequence[Region], changed_on_disk: bool) -> str:
    text = f"Edited {shown}." if len(regions) == 1 else f"Edited {shown} in {len(regions)} places."
    if any(region.tolerant for region in regions):
        text += " oldText differed in trailing blanks or typographic characters and was matched all the same."
    if changed_on_disk:
        text += " Something else had changed the file since you last saw it: read it again before you go on."
    return text
