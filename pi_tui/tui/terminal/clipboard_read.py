"""Reading the clipboard of this machine, an image rather than text, with the programs the system has for it."""

import base64
import binascii
import os
import shutil
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from typing import Final, NamedTuple, TypeAlias

READ_SECONDS: Final = 5.0
"""How long one program may take; PowerShell needs two to start."""
IMAGE_BYTES: Final = 64 * 1024 * 1024
"""Of an image, as the program writes it; a larger one is refused."""

_TYPES: Final = ("image/png", "image/jpeg", "image/webp", "image/gif", "image/bmp")
"""Images we can send, the best first."""
_APPLE_IMAGE: Final = "the clipboard as «class PNGf»"
_WINDOWS_IMAGE: Final = (
    "Add-Type -AssemblyName System.Windows.Forms, System.Drawing;"
    "$i = [Windows.Forms.Clipboard]::GetImage();"
    "if ($i) { $m = New-Object IO.MemoryStream; $i.Save($m, [Drawing.Imaging.ImageFormat]::Png);"
    "[Convert]::ToBase64String($m.ToArray()) }"
)
_WINDOWS_TEXT: Final = "[Console]::OutputEncoding = [Text.Encoding]::UTF8; Get-Clipboard -Raw"

Run: TypeAlias = Callable[..., bytes | None]
"""Runs a program; its output, or None if it failed."""


class ClipboardError(Exception):
    """Nothing can be pasted; says why, and what to do."""


class _Way(NamedTuple):
    """One way to read the clipboard."""

    programs: Sequence[str]
    """Any one of them will do."""
    package: str
    image: Callable[[Run], bytes | None]
    text: Callable[[Run], bytes | None]


def read_clipboard(environ: Mapping[str, str] = os.environ, platform: str = sys.platform) -> bytes | str:
    """The bytes of the image on the clipboard, or else its text. Blocks for some seconds: for a thread.

    Raises:
        ClipboardError: There is no clipboard, no program to read it, or nothing on it.
    """
    ways = _ways(environ, platform)
    if not ways:
        raise ClipboardError(_no_clipboard(environ))
    usable = [way for way in ways if any(shutil.which(one, path=environ.get("PATH")) for one in way.programs)]
    if not usable:
        programs = " or ".join(dict.fromkeys(f"{way.package} (for {way.programs[0]})" for way in ways))
        raise ClipboardError(
            f"The clipboard cannot be read: no program for it is installed. Install {programs}."
        )
    for way in usable:
        runner = _Runner(environ)
        image = way.image(runner)
        if image:
            return image
        text = way.text(runner)
        if text:
            return text.decode("utf-8", "replace")
    raise ClipboardError("There is neither an image nor text on the clipboard.")


def _ways(environ: Mapping[str, str], platform: str) -> list[_Way]:
    if platform == "darwin":
        return [_Way(("pngpaste", "osascript"), "pngpaste", _apple_image, lambda run: run("pbpaste"))]
    ways: list[_Way] = []
    if environ.get("WSL_DISTRO_NAME"):
        ways.append(_Way(("powershell.exe",), "PowerShell", _windows_image, _windows_text))
    if environ.get("WAYLAND_DISPLAY"):
        ways.append(_Way(("wl-paste",), "wl-clipboard", _wayland_image, _wayland_text))
    if environ.get("DISPLAY"):
        ways.append(_Way(("xclip",), "xclip", _x11_image, _x11_text))
    return ways


def _no_clipboard(environ: Mapping[str, str]) -> str:
    if environ.get("SSH_CONNECTION") or environ.get("SSH_TTY"):
        return (
            "The clipboard is on the machine you came from, and cannot be read over SSH: copy the image here as a "
            "file and write its path, or connect with X forwarding (ssh -X)."
        )
    return (
        "There is no clipboard here: neither WAYLAND_DISPLAY nor DISPLAY is set. Write the path of an image file "
        "instead."
    )


class _Runner:
    """Runs programs for at most `READ_SECONDS` each, and takes at most `IMAGE_BYTES` of what they write."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._environ = environ

    def __call__(self, *command: str) -> bytes | None:
        program = shutil.which(command[0], path=self._environ.get("PATH"))
        if program is None:
            return None
        try:
            process = subprocess.Popen(
                [program, *command[1:]],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=dict(self._environ),
                start_new_session=True,
            )
        except OSError as error:
            raise ClipboardError(f"{command[0]} cannot be run: {error.strerror}.") from error
        assert process.stdout is not None
        late = threading.Event()

        def end() -> None:
            late.set()
            _kill(process)

        timer = threading.Timer(READ_SECONDS, end)
        timer.start()
        try:
            with process.stdout as output:
                data = output.read(IMAGE_BYTES + 1)
            if len(data) > IMAGE_BYTES:
                _kill(process)
            status = process.wait()
        finally:
            timer.cancel()
        if late.is_set():
            raise ClipboardError(
                f"The clipboard was not read: {command[0]} took more than {READ_SECONDS:g} s."
            )
        if len(data) > IMAGE_BYTES:
            raise ClipboardError(f"What is on the clipboard is larger than {IMAGE_BYTES // 1024**2} MiB.")
        return data if status == 0 else None


def _kill(process: "subprocess.Popen[bytes]") -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, signal.SIGKILL)


def _apple_image(run: Run) -> bytes | None:
    return run("pngpaste", "-") or _hex_image(run("osascript", "-e", _APPLE_IMAGE))


def _hex_image(answer: bytes | None) -> bytes | None:
    """AppleScript shows data as `«data PNGf89504E47…»`."""
    _, found, rest = (answer or b"").partition(b"PNGf")
    digits = bytes(digit for digit in rest if digit in b"0123456789ABCDEFabcdef")
    return bytes.fromhex(digits.decode()) if found and len(digits) % 2 == 0 else None


def _windows_image(run: Run) -> bytes | None:
    answer = run("powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command", _WINDOWS_IMAGE)
    try:
        return base64.b64decode(b"".join((answer or b"").split()), validate=True)
    except binascii.Error:
        return None


def _windows_text(run: Run) -> bytes | None:
    return run("powershell.exe", "-NoProfile", "-NonInteractive", "-STA", "-Command", _WINDOWS_TEXT)


def _wayland_image(run: Run) -> bytes | None:
    kind = _best_type(run("wl-paste", "--list-types"))
    return run("wl-paste", "--no-newline", "--type", kind) if kind else None


def _wayland_text(run: Run) -> bytes | None:
    return run("wl-paste", "--no-newline", "--type", "text")


def _x11_image(run: Run) -> bytes | None:
    kind = _best_type(run("xclip", "-selection", "clipboard", "-t", "TARGETS", "-o"))
    return run("xclip", "-selection", "clipboard", "-t", kind, "-o") if kind else None


def _x11_text(run: Run) -> bytes | None:
    return run("xclip", "-selection", "clipboard", "-o")


def _best_type(offered: bytes | None) -> str | None:
    kinds = (offered or b"").decode("utf-8", "replace").split()
    return next((kind for kind in _TYPES if kind in kinds), None)
