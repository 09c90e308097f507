"""What is left on the normal screen when the client has ended."""

import sys
import traceback
from pathlib import Path

from pi_tui.llm.messages import AssistantMessage
from pi_tui.resources.paths import log_dir
from pi_tui.runtime.session import Session

MAX_ANSWER_LINES = 40
"""Lines of the last answer that are printed."""

_CONTROL = dict.fromkeys([*range(0x20), 0x7F, *range(0x80, 0xA0)])
del _CONTROL[ord("\n")], _CONTROL[ord("\t")]


def farewell(session: Session) -> str:
    """The last answer, and the command that goes on with the session; empty where there was no conversation."""
    answer = session.last_assistant()
    parts = []
    if answer is not None and answer.text.strip():
        parts.append(_last_lines(answer))
    if session.saved:
        parts.append(f"To go on with this session: pi --session {session.log.id}")
    return "\n\n".join(parts)


def _last_lines(answer: AssistantMessage) -> str:
    lines = answer.text.translate(_CONTROL).strip().split("\n")
    if len(lines) > MAX_ANSWER_LINES:
        lines = [f"… {len(lines) - MAX_ANSWER_LINES} lines above", *lines[-MAX_ANSWER_LINES:]]
    return "\n".join(lines)


def report_crash(error: BaseException) -> str:
    """Writes the traceback to a file of our own and returns the sentence for the user."""
    lines = traceback.format_exception(error)
    try:
        folder = log_dir()
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        path = folder / "crash.log"
        _append_private(path, "".join(lines))
        where = f"The details are in {path}."
    except OSError as failure:
        sys.stderr.write("".join(lines))
        where = f"The details are above; they could not be written to a file ({failure})."
    return f"pi ended because of a fault of its own: {type(error).__name__}: {error}. {where}"


def _append_private(path: Path, text: str) -> None:
    path.touch(mode=0o600)
    with path.open("a", encoding="utf-8", errors="replace") as file:
        file.write(text + "\n")
