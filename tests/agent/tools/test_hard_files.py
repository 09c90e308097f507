"""Files that are hard to read and to change: what each tool answers, and what is on the disk afterwards."""

import asyncio
import os
import socket
import stat
import unicodedata
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_tui.agent.tools import atomic_write, limits
from pi_tui.agent.tools import write as write_module

NFD = unicodedata.normalize("NFD", "Größe.txt")
SPECIAL: dict[str, Callable[[Path], object]] = {
    "directory": Path.mkdir,
    "FIFO": os.mkfifo,
    "device": lambda path: path.symlink_to("/dev/full"),
    "socket": lambda path: bound(path),
}
SAID = {
    "directory": "x is a directory",
    "FIFO": "x is a named pipe (FIFO)",
    "device": "x is a character device",
    "socket": "x is a socket",
}


def bound(path: Path) -> None:
    """A socket's name is short, its folder's may not be."""
    here = Path.cwd()
    os.chdir(path.parent)
    try:
        with socket.socket(socket.AF_UNIX) as one:
            one.bind(path.name)
    finally:
        os.chdir(here)


@pytest.mark.parametrize("kind", SPECIAL)
@pytest.mark.parametrize(
    ("tool", "arguments"),
    [
        ("read", {}),
        ("edit", {"oldText": "a", "newText": "b"}),
        ("write", {"content": "b"}),
        ("grep", {"pattern": "a"}),
    ],
)
async def test_what_is_no_file_is_refused_at_once_and_left_as_it_is(
    call, workspace, kind, tool, arguments
) -> None:
    SPECIAL[kind](workspace.cwd / "x")
    before = (workspace.cwd / "x").lstat()
    if (tool, kind) == ("grep", "directory"):
        return
    outcome = await asyncio.wait_for(call(tool, path="x", **arguments), 5)
    assert outcome.is_error
    assert outcome.text.startswith(SAID[kind])
    assert (workspace.cwd / "x").lstat() == before


EDITS: dict[str, tuple[bytes, list[tuple[str, str]], str, bytes]] = {
    "BOM": (b"\xef\xbb\xbfa\n", [("a", "b")], "Edited f.", b"\xef\xbb\xbfb\n"),
    "BOM in the middle": (b"a\n\xef\xbb\xbfb\n", [("a", "c")], "Edited f.", b"c\n\xef\xbb\xbfb\n"),
    "CRLF": (b"a\r\nb\r\nc\r\n", [("b\nc", "B\nC")], "Edited f.", b"a\r\nB\r\nC\r\n"),
    "mixed endings": (b"a\r\nb\nc\rd\r\n", [("b", "B")], "Edited f.", b"a\r\nB\nc\rd\r\n"),
    "no final newline": (b"a\nb", [("b", "c")], "Edited f.", b"a\nc"),
    "final newlines": (b"a\n\n\n", [("a", "b")], "Edited f.", b"b\n\n\n"),
    "0 bytes": (b"", [("a", "b")], "f was not changed. The edit was not found. The file is empty.", b""),
    "one byte": (b"a", [("a", "b")], "Edited f.", b"b"),
    "invalid UTF-8": (b"\xff\xfea\x80\n", [("a", "b")], "Edited f.", b"\xff\xfeb\x80\n"),
    "overlong UTF-8": (b"\xc0\xafa\xed\xa0\x80\n", [("a", "b")], "Edited f.", b"\xc0\xafb\xed\xa0\x80\n"),
    "Latin-1": (b"gr\xfc\xdfe\n", [("gr", "Gr")], "Edited f.", b"Gr\xfc\xdfe\n"),
    "Shift JIS": (
        "日本\na\n".encode("shift_jis"),
        [("a", "b")],
        "Edited f.",
        "日本\nb\n".encode("shift_jis"),
    ),
    "NUL": (b"\0a\0\n", [("a", "b")], "Edited f.", b"\0b\0\n"),
    "form feeds": (b"a\x0c\nb\x0b\n", [("b", "c")], "Edited f.", b"a\x0c\nc\x0b\n"),
    "line separators": (
        "a\u2028b\u2029c\u0085d\n".encode(),
        [("b", "B")],
        "Edited f.",
        "a\u2028B\u2029c\u0085d\n".encode(),
    ),
    "trailing blanks": (b"a  \nb\t\nc\n", [("c", "d")], "Edited f.", b"a  \nb\t\nd\n"),
    "tabs": (b"\ta\n\t\tb\n", [("\t\tb", "\tb")], "Edited f.", b"\ta\n\tb\n"),
    "adjacent": (b"abcd\n", [("ab", "1"), ("cd", "2")], "Edited f in 2 places.", b"12\n"),
    "adjacent lines": (b"a\nb\n", [("a\n", "1\n"), ("b\n", "2\n")], "Edited f in 2 places.", b"1\n2\n"),
    "in each other's place": (b"a b\n", [("a", "b"), ("b", "a")], "Edited f in 2 places.", b"b a\n"),
    "overlapping": (
        b"abc\n",
        [("ab", "1"), ("bc", "2")],
        "f was not changed. edits[0] and edits[1] overlap (at line 1). Join them into one edit.",
        b"abc\n",
    ),
    "identical": (
        b"abc\n",
        [("b", "1"), ("b", "1")],
        "f was not changed. edits[0] and edits[1] overlap (at line 1). Join them into one edit.",
        b"abc\n",
    ),
    "ambiguous": (
        b"a\nb\na\n",
        [("a", "1")],
        "f was not changed. The edit was found 2 times (lines 1, 3). Add lines around it so that it names one place.",
        b"a\nb\na\n",
    ),
    "unique only with what stands around it": (
        b"x=1\ny\nx=1\nz\n",
        [("x=1\nz", "x=2\nz")],
        "Edited f.",
        b"x=1\ny\nx=2\nz\n",
    ),
    "no change": (
        b"a\n",
        [("a", "a")],
        "f was not changed. The edit changes nothing: oldText and newText are the same.",
        b"a\n",
    ),
    "whitespace only": (b"a\n\n\nb\n", [("\n\n\n", "\n\n")], "Edited f.", b"a\n\nb\n"),
    "blanks that are not there": (
        b"a\n",
        [("   ", "x")],
        "f was not changed. The edit was not found. No line of the file resembles it; read the file again.",
        b"a\n",
    ),
    "to empty": (b"a\nb\n", [("a\nb\n", "")], "Edited f.", b""),
    "a line removed": (b"a\nb\nc\n", [("b\n", "")], "Edited f.", b"a\nc\n"),
    "typographic": (
        "„keep“ it’s\nit’s — “so”\n".encode(),
        [('it\'s - "so"', "it is so")],
        "Edited f. oldText differed in trailing blanks or typographic characters and was matched all the same.",
        "„keep“ it’s\nit is so\n".encode(),
    ),
    "what looks like a pattern": (b"a.*\\1$\n", [(".*\\1$", "\\g<0>")], "Edited f.", b"a\\g<0>\n"),
    "emoji": ("👩‍👩‍👧 a\n".encode(), [("a", "🏳️‍🌈")], "Edited f.", "👩‍👩‍👧 🏳️‍🌈\n".encode()),
    "composed and decomposed": ("é e\u0301\n".encode(), [("e\u0301", "x")], "Edited f.", "é x\n".encode()),
    "one long line": (
        b"x" * 1_000_000 + b"a" + b"x" * 9,
        [("a", "b")],
        "Edited f.",
        b"x" * 1_000_000 + b"b" + b"x" * 9,
    ),
    "very many lines": (b"x\n" * 300_000 + b"a\n", [("a", "b")], "Edited f.", b"x\n" * 300_000 + b"b\n"),
    "all lines of CRLF but one": (
        b"x\r\n" * 1000 + b"a\n" + b"y\r\n" * 1000,
        [("a", "b\nc")],
        "Edited f.",
        b"x\r\n" * 1000 + b"b\nc\n" + b"y\r\n" * 1000,
    ),
}


@pytest.mark.parametrize("case", EDITS)
async def test_an_edit_gives_these_bytes_and_says_this(call, workspace, case) -> None:
    before, edits, said, after = EDITS[case]
    path = workspace.cwd / "f"
    path.write_bytes(before)
    path.chmod(0o751)
    outcome = await call("edit", path="f", edits=[{"oldText": old, "newText": new} for old, new in edits])
    assert (outcome.text, outcome.is_error) == (said, before == after)
    assert path.read_bytes() == after
    assert stat.S_IMODE(path.stat().st_mode) == 0o751
    assert list(workspace.cwd.iterdir()) == [path]


NAMES: dict[str, tuple[str, str]] = {
    "spaces": ("with  two spaces", "with  two spaces"),
    "quotes": ('it\'s "quoted".txt', 'it\'s "quoted".txt'),
    "backslash and dollar": ("a\\b$HOME`x`", "a\\b$HOME`x`"),
    "newline": ("a\nb", "a\nb"),
    "glob": ("[a]*?.txt", "[a]*?.txt"),
    "option": ("--help", "--help"),
    "escape sequence": ("a\x1b[31mb", "a\x1b[31mb"),
    "NFC asked, NFD there": ("Größe.txt", NFD),
    "NFD asked, NFC there": (NFD, "Größe.txt"),
    "space for U+202F": ("Shot 1.00 PM", "Shot 1.00\u202fPM"),
    "emoji": ("👩‍👧.txt", "👩‍👧.txt"),
    "right to left": ("\u202egpj.txt", "\u202egpj.txt"),
    "255 bytes": ("n" * 255, "n" * 255),
    "copied from a prompt": ("@f.txt", "f.txt"),
}


@pytest.mark.parametrize("case", NAMES)
async def test_a_file_is_found_and_changed_under_any_name(call, workspace, case) -> None:
    asked, there = NAMES[case]
    path = workspace.cwd / there
    path.write_bytes(b"one\n")
    assert (await call("read", path=asked)).text == "one\n"
    edited = await call("edit", path=asked, oldText="one", newText="two")
    assert not edited.is_error, edited.text
    assert path.read_bytes() == b"two\n"
    written = await call("write", path=asked, content="three\n")
    assert not written.is_error, written.text
    assert path.read_bytes() == b"three\n"
    assert list(workspace.cwd.iterdir()) == [path]


CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    ("edit", {"oldText": "old", "newText": "new"}),
    ("write", {"content": "new\n"}),
)


@pytest.mark.parametrize(("tool", "arguments"), CHANGES)
async def test_a_link_stays_a_link(call, workspace, tool, arguments) -> None:
    (workspace.cwd / "real").write_text("old\n")
    (workspace.cwd / "f").symlink_to("real")
    assert not (await call(tool, path="f", **arguments)).is_error
    assert (workspace.cwd / "f").is_symlink()
    assert (workspace.cwd / "real").read_text() == "new\n"


@pytest.mark.parametrize(("tool", "arguments"), CHANGES)
async def test_hard_links_stay_one_file(call, workspace, tool, arguments) -> None:
    (workspace.cwd / "f").write_text("old\n")
    os.link(workspace.cwd / "f", workspace.cwd / "g")
    assert not (await call(tool, path="f", **arguments)).is_error
    assert (workspace.cwd / "g").read_text() == "new\n"
    assert (workspace.cwd / "f").stat().st_nlink == 2


@pytest.mark.parametrize(("tool", "arguments"), CHANGES)
@pytest.mark.parametrize("mode", [0o755, 0o600, 0o4711, 0o664])
async def test_the_mode_stays(call, workspace, tool, arguments, mode) -> None:
    path = workspace.cwd / "f"
    path.write_text("old\n")
    path.chmod(mode)
    assert not (await call(tool, path="f", **arguments)).is_error
    assert stat.S_IMODE(path.stat().st_mode) == mode


@pytest.mark.parametrize(("tool", "arguments"), CHANGES)
async def test_a_read_only_file_is_refused_and_keeps_its_bytes(
    call, workspace, monkeypatch, tool, arguments
) -> None:
    path = workspace.cwd / "f"
    path.write_text("old\n")
    path.chmod(0o444)
    # Root may write to everything; the file system's answer is therefore that of another user.
    monkeypatch.setattr(atomic_write.os, "access", lambda *a, **k: False)
    monkeypatch.setattr(atomic_write.os, "supports_effective_ids", set())
    outcome = await call(tool, path="f", **arguments)
    assert (outcome.text, outcome.is_error) == (f"No permission to {tool} f.", True)
    assert path.read_text() == "old\n"


async def test_a_folder_that_vanishes_between_look_and_write_is_made_again(
    call, workspace, monkeypatch
) -> None:
    folder = workspace.cwd / "d"
    folder.mkdir()
    (folder / "f").write_text("old\n")
    real = write_module.write_file

    def meanwhile(path, content):
        (folder / "f").unlink()
        folder.rmdir()
        return real(path, content)

    monkeypatch.setattr(write_module, "write_file", meanwhile)
    assert not (await call("write", path="d/f", content="new\n")).is_error
    assert (folder / "f").read_text() == "new\n"


async def test_a_file_that_vanishes_between_look_and_read_is_missing(call, workspace, monkeypatch) -> None:
    path = workspace.cwd / "f"
    path.write_text("old\n")
    real = os.open

    def meanwhile(name, flags, *rest, **options):
        if Path(name) == path:
            path.unlink()
        return real(name, flags, *rest, **options)

    monkeypatch.setattr("pi_tui.agent.tools.file_state.os.open", meanwhile)
    assert (await call("read", path="f")).text == "f does not exist."


async def test_of_a_gigabyte_the_end_is_read_in_little_memory(call, workspace, monkeypatch) -> None:
    monkeypatch.setattr(limits, "READ_PAUSE_SECONDS", 0)
    path = workspace.cwd / "f"
    with path.open("wb") as file:
        file.write(b"first\n" * 2000)
        file.truncate(999_999_000)
        file.seek(0, os.SEEK_END)
        file.write(b"\nlast\n")
    Path("/proc/self/clear_refs").write_text("5")
    before = peak()
    outcome = await call("read", path="f", offset=2002)
    assert outcome.text == "last\n"
    assert outcome.details == {"lines": {"first": 2002, "last": 2002, "total": 2002}}
    assert peak() - before < 20_000
    refused = await call("edit", path="f", oldText="last", newText="end")
    assert "more than the" in refused.text
    assert path.stat().st_size == 999_999_006


def peak() -> int:
    """The most memory this process has had, in KiB."""
    status = Path("/proc/self/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0])


async def test_of_one_line_of_sixty_megabytes_the_size_is_said_and_an_edit_keeps_the_rest(
    call, workspace
) -> None:
    path = workspace.cwd / "f"
    path.write_bytes(b"x" * 30_000_000 + b"needle" + b"x" * 30_000_000)
    assert "Line 1 has 60000006 bytes" in (await call("read", path="f")).text
    found = await call("grep", pattern="needle")
    assert len(found.text) < 2 * limits.GREP_LINE_CHARS + 200
    assert (await call("edit", path="f", oldText="needle", newText="pin")).text == "Edited f."
    assert path.read_bytes() == b"x" * 30_000_000 + b"pin" + b"x" * 30_000_000


async def test_edits_and_writes_of_one_file_in_one_response_are_all_made(call, workspace) -> None:
    path = workspace.cwd / "f"
    path.write_text("".join(f"line {n}.\n" for n in range(50)))
    await asyncio.gather(
        *(call("edit", path="f", oldText=f"line {n}.", newText=f"LINE {n}.") for n in range(50))
    )
    assert path.read_text() == "".join(f"LINE {n}.\n" for n in range(50))
