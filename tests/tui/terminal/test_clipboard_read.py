"""Reading the clipboard with the programs a system has: here with stand-ins on PATH."""

import base64
import io
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from pi_tui.tui.terminal import clipboard_read
from pi_tui.tui.terminal.clipboard_read import ClipboardError, read_clipboard

Programs = Callable[[str, str], None]
SHELL = shutil.which("sh")


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(buffer, "PNG")
    return buffer.getvalue()


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    """Only the stand-ins can be found, and the few programs they need."""
    folder = tmp_path / "bin"
    folder.mkdir()
    for name in ("cat", "sleep"):
        found = shutil.which(name)
        assert found is not None
        (folder / name).symlink_to(found)
    (tmp_path / "image.png").write_bytes(png())
    (tmp_path / "image.b64").write_bytes(base64.encodebytes(png()))
    (tmp_path / "image.apple").write_text(f"«data PNGf{png().hex().upper()}»\n")
    return {"PATH": str(folder), "FILES": str(tmp_path)}


@pytest.fixture
def program(environ: dict[str, str]) -> Programs:
    def write(name: str, script: str) -> None:
        path = Path(environ["PATH"]) / name
        path.write_text(f"#!{SHELL}\n{script}\n")
        path.chmod(0o755)

    return write


def test_wayland_gives_the_image(environ: dict[str, str], program: Programs) -> None:
    program(
        "wl-paste",
        'case "$*" in *--list-types*) echo text/html; echo image/png;; *image/png*) cat "$FILES/image.png";; esac',
    )
    assert read_clipboard(environ | {"WAYLAND_DISPLAY": "wayland-0"}, "linux") == png()


def test_x11_gives_the_image_of_a_type_we_can_send(environ: dict[str, str], program: Programs) -> None:
    program(
        "xclip",
        'case "$*" in *TARGETS*) echo TARGETS; echo image/tiff; echo image/jpeg;;'
        ' *image/jpeg*) cat "$FILES/image.png";; *) exit 1;; esac',
    )
    assert read_clipboard(environ | {"DISPLAY": ":0"}, "linux") == png()


def test_without_an_image_the_text_is_given(environ: dict[str, str], program: Programs) -> None:
    program("xclip", 'case "$*" in *TARGETS*) echo UTF8_STRING;; *) printf "gr\\303\\274n";; esac')
    assert read_clipboard(environ | {"DISPLAY": ":0"}, "linux") == "grün"


@pytest.mark.parametrize("with_pngpaste", [True, False])
def test_a_mac_gives_the_image(environ: dict[str, str], program: Programs, with_pngpaste: bool) -> None:
    if with_pngpaste:
        program("pngpaste", 'cat "$FILES/image.png"')
    program("osascript", 'cat "$FILES/image.apple"')
    assert read_clipboard(environ, "darwin") == png()


def test_a_mac_without_an_image_gives_the_text(environ: dict[str, str], program: Programs) -> None:
    program("osascript", "exit 1")
    program("pbpaste", "printf text")
    assert read_clipboard(environ, "darwin") == "text"


def test_windows_under_linux_gives_the_image(environ: dict[str, str], program: Programs) -> None:
    program("powershell.exe", 'cat "$FILES/image.b64"')
    assert read_clipboard(environ | {"WSL_DISTRO_NAME": "Debian"}, "linux") == png()


def test_an_empty_clipboard_is_said_to_be_empty(environ: dict[str, str], program: Programs) -> None:
    program("wl-paste", "exit 1")
    with pytest.raises(ClipboardError, match="neither an image nor text"):
        read_clipboard(environ | {"WAYLAND_DISPLAY": "wayland-0"}, "linux")


@pytest.mark.parametrize(
    ("variables", "platform", "package"),
    [
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", "Install wl-clipboard"),
        ({"DISPLAY": ":0"}, "linux", "Install xclip"),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "x"}, "linux", "Install wl-clipboard .* or xclip"),
        ({}, "darwin", "Install pngpaste"),
    ],
)
def test_a_missing_program_is_named(
    environ: dict[str, str], variables: dict[str, str], platform: str, package: str
) -> None:
    with pytest.raises(ClipboardError, match=package):
        read_clipboard(environ | variables, platform)


def test_over_ssh_without_a_display_it_says_why(environ: dict[str, str]) -> None:
    with pytest.raises(ClipboardError, match="over SSH"):
        read_clipboard(environ | {"SSH_CONNECTION": "a b"}, "linux")
    with pytest.raises(ClipboardError, match="neither WAYLAND_DISPLAY nor DISPLAY"):
        read_clipboard(environ, "linux")


def test_a_program_that_hangs_is_ended(
    environ: dict[str, str], program: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard_read, "READ_SECONDS", 0.3)
    program("xclip", 'echo $$ > "$FILES/self"; sleep 60')
    with pytest.raises(ClipboardError, match="xclip took more than"):
        read_clipboard(environ | {"DISPLAY": ":0"}, "linux")
    pid = int((Path(environ["FILES"]) / "self").read_text())
    with pytest.raises(ProcessLookupError):
        os.kill(pid, 0)


def test_more_than_the_limit_is_refused(
    environ: dict[str, str], program: Programs, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(clipboard_read, "IMAGE_BYTES", 1024 * 1024)
    program("wl-paste", 'case "$*" in *--list-types*) echo image/png;; *) cat /dev/zero;; esac')
    with pytest.raises(ClipboardError, match="larger than 1 MiB"):
        read_clipboard(environ | {"WAYLAND_DISPLAY": "wayland-0"}, "linux")
