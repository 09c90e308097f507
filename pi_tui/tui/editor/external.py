"""Writing a prompt in the user's own editor."""

import os
import shlex
import signal
import subprocess
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, Final

TEXT_LIMIT: Final = 4 * 1024 * 1024
"""Bytes that are read back."""


class ExternalEditorError(Exception):
    """The editor did not do its work; the message is for the user."""


def editor_command(setting: str | None, environ: Mapping[str, str] = os.environ) -> list[str]:
    """The command line: the `externalEditor` setting, `$VISUAL`, `$EDITOR`, else `nano`."""
    command = setting or environ.get("VISUAL") or environ.get("EDITOR") or "nano"
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise ExternalEditorError(f"The editor command {command!r} cannot be read: {error}.") from error
    if not words:
        raise ExternalEditorError("No editor is set: set $VISUAL, $EDITOR or the externalEditor setting.")
    return words


def edit_text(text: str, command: list[str]) -> str:
    """Have the user edit `text` with `command`, and return what it became.

    Blocks until they are done, and the screen must be theirs meanwhile: run it in a thread, with the app
    suspended. The text passes through a file only the user can read. Raises `ExternalEditorError`.
    """
    descriptor, name = tempfile.mkstemp(prefix="pi-prompt-", suffix=".md")
    path = Path(name)
    try:
        with os.fdopen(descriptor, "w", encoding="utf-8", errors="replace") as file:
            file.write(text)
        status = _run([*command, name])
        if status:
            raise ExternalEditorError(f"{command[0]} ended with status {status}; the prompt is unchanged.")
        return _read_back(path)
    finally:
        with suppress(OSError):
            path.unlink()


def _run(command: list[str]) -> int:
    try:
        return subprocess.run(command, check=False).returncode
    except OSError as error:
        reason = error.strerror or str(error)
        raise ExternalEditorError(
            f"{command[0]} cannot be started: {reason}. Set $VISUAL, $EDITOR or the externalEditor setting."
        ) from error


def _read_back(path: Path) -> str:
    try:
        if path.stat().st_size > TEXT_LIMIT:
            raise ExternalEditorError(f"The text is larger than {TEXT_LIMIT} bytes; the prompt is unchanged.")
        text = path.read_text("utf-8", errors="replace")
    except OSError as error:
        raise ExternalEditorError(f"{path} cannot be read back: {error.strerror}.") from error
    return text.removesuffix("\n")


@contextmanager
def interrupts_are_the_editors() -> Iterator[None]:
    """Ctrl+C in an editor that leaves it to the terminal is sent to us as well. For the main thread."""

    def ignore(*_: Any) -> None:
        pass

    before = {number: signal.signal(number, ignore) for number in (signal.SIGINT, signal.SIGQUIT)}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
