"""Putting text on the clipboard, and knowing where it went."""

import base64
import os
import shutil
import subprocess
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

OSC52_LIMIT: Final = 100_000
"""Bytes of base64 most terminals take in one OSC 52; xterm and tmux cut or drop longer ones."""

TOOL_SECONDS: Final = 3.0
"""How long a clipboard tool may take."""


@dataclass(frozen=True)
class CopyReport:
    """What became of a copy."""

    ok: bool
    text: str
    """One sentence for the user."""


def osc52(text: str, environ: Mapping[str, str]) -> str | None:
    """The sequence that has the terminal copy, wrapped for tmux and screen; `None` when too long."""
    payload = base64.b64encode(text.encode("utf-8", "replace")).decode("ascii")
    if len(payload) > OSC52_LIMIT:
        return None
    sequence = f"\x1b]52;c;{payload}\x07"
    if environ.get("TMUX"):
        # tmux takes the plain form with `set-clipboard on`, and passes the wrapped one on with
        # `allow-passthrough`.
        return sequence + "\x1bPtmux;" + sequence.replace("\x1b", "\x1b\x1b") + "\x1b\\"
    if environ.get("STY"):
        return f"\x1bP{sequence}\x1b\\"
    return sequence


def local_tools(environ: Mapping[str, str], platform: str = sys.platform) -> list[list[str]]:
    """The commands that can set the clipboard of this machine, best first; none when we came over SSH."""
    if platform == "darwin":
        return [["pbcopy"]]
    tools: list[list[str]] = []
    if environ.get("WSL_DISTRO_NAME"):
        tools.append(["clip.exe"])
    if environ.get("WAYLAND_DISPLAY"):
        tools.append(["wl-copy"])
    if environ.get("DISPLAY"):
        tools += [["xclip", "-selection", "clipboard"], ["xsel", "--clipboard", "--input"]]
    if environ.get("TERMUX_VERSION"):
        tools.append(["termux-clipboard-set"])
    return tools


def copy_to_clipboard(
    text: str, write: Callable[[str], None], environ: Mapping[str, str] = os.environ
) -> CopyReport:
    """Copy `text` with a local tool and with OSC 52 through `write`, and say what is known of the outcome.

    Blocks up to `TOOL_SECONDS`: call it in a thread.
    """
    if not text:
        return CopyReport(False, "There is nothing to copy.")
    sequence = osc52(text, environ)
    if sequence is not None:
        write(sequence)
    failures = []
    for command in local_tools(environ):
        if shutil.which(command[0]) is None:
            continue
        failure = _run(command, text)
        if failure is None:
            return CopyReport(True, f"Copied {len(text):,} characters.")
        failures.append(f"{command[0]}: {failure}")
    if sequence is not None:
        unsure = "; ".join(failures) or "no clipboard tool was found here"
        return CopyReport(True, f"Sent {len(text):,} characters to the terminal's clipboard ({unsure}).")
    reason = "; ".join(failures) or "install wl-clipboard, xclip or xsel"
    return CopyReport(False, f"Not copied: {len(text):,} characters are too many for the terminal; {reason}.")


def _run(command: list[str], text: str) -> str | None:
    try:
        # wl-copy and xclip leave a child that holds the selection: it must not hold our pipes as well.
        done = subprocess.run(
            command,
            input=text.encode("utf-8", "replace"),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            timeout=TOOL_SECONDS,
            check=False,
            start_new_session=True,
        )
    except subprocess.TimeoutExpired:
        return f"did not finish within {TOOL_SECONDS:g} s"
    except OSError as error:
        return error.strerror or str(error)
    return None if done.returncode == 0 else f"ended with status {done.returncode}"
