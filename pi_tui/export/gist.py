"""A file as a secret gist, through GitHub's own command line program."""

import asyncio
import contextlib
import os
import re
import shutil
import signal
import tempfile
from pathlib import Path
from typing import IO, Final

from pi_tui.export.errors import ExportError

MAX_GIST_BYTES: Final = 10 * 1024 * 1024
"""GitHub shows nobody a larger file but who clones the gist."""
GIST_SECONDS: Final = 180.0
"""How long the program may take."""
TERMINATION_SECONDS: Final = 2.0
"""How long it may take to end when it is stopped, before it is killed."""
MAX_OUTPUT: Final = 64 * 1024
"""Bytes that are read of what it says."""
NOT_LOGGED_IN: Final = 4
"""The exit code."""

OTHERWISE: Final = "/export writes the page to a file that you can hand on yourself"

_ADDRESS = re.compile(r"https://\S+")


class GistFailed(ExportError):
    """There is no gist; the message says why and how to go on."""


def find_gh() -> str:
    """Where the program is.

    Raises:
        GistFailed: It is not installed.
    """
    path = shutil.which("gh")
    if path is None:
        raise GistFailed(
            "sharing needs gh, the command line program of GitHub (https://cli.github.com): install it, run "
            f"`gh auth login` once, and share again. Or {OTHERWISE}"
        )
    return path


def refuse_too_large(file: Path) -> None:
    """Looks whether a gist can hold a file.

    Raises:
        GistFailed: It is larger than `MAX_GIST_BYTES`.
    """
    size = file.stat().st_size
    if size > MAX_GIST_BYTES:
        raise GistFailed(
            f"the page has {size / 1024**2:.0f} MiB, and GitHub shows gists of up to "
            f"{MAX_GIST_BYTES // 1024**2} MiB: {OTHERWISE}"
        )


async def create_gist(gh: str, file: Path, description: str) -> str:
    """Makes a secret gist of a file, and returns its address. Being cancelled ends the program.

    Args:
        gh: What `find_gh` found.
        description: One line; GitHub shows it above the file.

    Raises:
        GistFailed: It could not be made.
    """
    with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
        code = await _run([gh, "gist", "create", f"--desc={description}", str(file)], output, errors)
        said = _text(errors)
        if code == NOT_LOGGED_IN or (code != 0 and "gh auth login" in said):
            raise GistFailed(
                f"gh is not logged in: run `gh auth login` in a terminal, and share again. Or {OTHERWISE}"
            )
        if code != 0:
            lines = said.strip().splitlines() or [f"it ended with code {code}"]
            raise GistFailed(f"gh made no gist: {lines[-1].rstrip('.')}. {OTHERWISE.capitalize()}")
        addresses = _ADDRESS.findall(_text(output))
        if not addresses:
            raise GistFailed(
                f"gh gave no address of the gist: `gh gist list` shows whether there is one. {OTHERWISE}"
            )
        return str(addresses[-1])


async def _run(command: list[str], output: IO[bytes], errors: IO[bytes]) -> int:
    environ = {**os.environ, "GH_PROMPT_DISABLED": "1", "GH_NO_UPDATE_NOTIFIER": "1", "NO_COLOR": "1"}
    try:
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
            env=environ,
            start_new_session=True,
        )
    except OSError as error:
        raise GistFailed(f"{command[0]} cannot be started: {error.strerror or error}. {OTHERWISE}") from error
    try:
        async with asyncio.timeout(GIST_SECONDS):
            return await process.wait()
    except TimeoutError:
        raise GistFailed(
            f"gh did not answer within {GIST_SECONDS:.0f} seconds: look at your connection, and share again"
        ) from None
    finally:
        if process.returncode is None:
            await _end(process)


async def _end(process: asyncio.subprocess.Process) -> None:
    """Ends the program and all it started."""
    _signal(process, signal.SIGTERM)
    try:
        async with asyncio.timeout(TERMINATION_SECONDS):
            await process.wait()
    except TimeoutError:
        _signal(process, signal.SIGKILL)
        await process.wait()


def _signal(process: asyncio.subprocess.Process, number: signal.Signals) -> None:
    with contextlib.suppress(ProcessLookupError):
        os.killpg(process.pid, number)


def _text(file: IO[bytes]) -> str:
    file.seek(0)
    text = file.read(MAX_OUTPUT).decode("utf-8", "replace")
    return "".join(sign if sign.isprintable() or sign == "\n" else " " for sign in text)
