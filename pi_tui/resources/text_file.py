"""Reading a text the user or the project wrote for the model."""

import stat
from pathlib import Path

from pi_tui.llm.problems import Problem

MAX_TEXT_BYTES = 1024 * 1024
"""A larger file is no prompt; it would not fit any model."""
HEAD_BYTES = 16 * 1024
"""What is read of a file whose front matter alone is wanted."""


def read_text(path: Path, problems: list[Problem]) -> str | None:
    """The text of a file, without a byte order mark; None, and a problem, where it cannot be had."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            problems.append(Problem(str(path), None, "", "is not a file; left out"))
            return None
        with path.open("rb") as file:
            raw = file.read(MAX_TEXT_BYTES + 1)
    except OSError as error:
        problems.append(Problem(str(path), None, "", f"cannot be read ({error.strerror}); left out"))
        return None
    if len(raw) > MAX_TEXT_BYTES:
        problems.append(
            Problem(str(path), None, "", f"is larger than {MAX_TEXT_BYTES // 1024} KiB; left out")
        )
        return None
    try:
        return raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        problems.append(
            Problem(str(path), None, "", f"is not UTF-8 (byte {error.start}); what is not was replaced")
        )
        return raw.decode("utf-8-sig", "replace")


def read_head(path: Path, problems: list[Problem]) -> str | None:
    """The beginning of a text file, long enough for its front matter; None, and a problem, where it cannot be had."""
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            problems.append(Problem(str(path), None, "", "is not a file; left out"))
            return None
        with path.open("rb") as file:
            raw = file.read(HEAD_BYTES)
    except OSError as error:
        problems.append(Problem(str(path), None, "", f"cannot be read ({error.strerror}); left out"))
        return None
    return raw.decode("utf-8-sig", "replace")
