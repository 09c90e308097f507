"""What `read` shows of any kind of file, and how it refuses the rest."""

import asyncio
import os
import socket
import threading
from pathlib import Path

import pytest

from pi_tui.agent.tools import file_state, limits
from pi_tui.agent.tools import read as read_module

LINE = "0123456789" * 6 + "abc\n"


@pytest.mark.parametrize(
    ("content", "text"),
    [
        pytest.param(b"a\nb\n", "a\nb\n", id="text"),
        pytest.param(b"a\nb", "a\nb", id="no final newline"),
        pytest.param(b"\n", "\n", id="one empty line"),
        pytest.param(b"a\r\nb\r\n", "a\r\nb\r\n", id="CRLF"),
        pytest.param(b"a\r\nb\nc\r", "a\r\nb\nc\r", id="mixed line ends"),
        pytest.param(b"\xef\xbb\xbfa\n", "a\n", id="BOM"),
        pytest.param("你好 — 👩‍👧\n".encode(), "你好 — 👩‍👧\n", id="UTF-8"),
        pytest.param(b"x\x1b[31mred\x1b[0m\n", "x\x1b[31mred\x1b[0m\n", id="escape sequences"),
        pytest.param(b"MZ is a prefix\n", "MZ is a prefix\n", id="text that begins like a program"),
    ],
)
async def test_text_is_shown_as_it_is(call, workspace, content, text):
    (workspace.cwd / "f").write_bytes(content)
    outcome = await call("read", path="f")
    assert (outcome.text, outcome.is_error) == (text, False)


async def test_an_empty_file_is_said_to_be_empty(call, workspace):
    (workspace.cwd / "f").touch()
    outcome = await call("read", path="f")
    assert (outcome.text, outcome.is_error) == ("[The file is empty.]", False)


async def test_other_encodings_are_shown_as_far_as_they_go(call, workspace):
    (workspace.cwd / "f").write_bytes(b"caf\xe9\nna\xefve\n")
    outcome = await call("read", path="f")
    assert outcome.text.startswith("caf\ufffd\nna\ufffdve\n\n[2 bytes are not UTF-8")


async def test_a_late_nul_does_not_reach_the_model(call, workspace):
    (workspace.cwd / "f").write_bytes(b"text\n" * 10_000 + b"a\0b\n")
    outcome = await call("read", path="f", offset=10_001)
    assert outcome.text.startswith("a\ufffdb\n")


@pytest.mark.parametrize(
    ("content", "said"),
    [
        pytest.param(b"%PDF-1.7\nplain so far\n", "PDF document", id="PDF"),
        pytest.param(b"PK\x03\x04\x14\x00", "ZIP archive", id="ZIP"),
        pytest.param(b"\x7fELF\x02\x01\x01\x00", "ELF", id="program"),
        pytest.param(b"SQLite format 3\x00", "SQLite", id="database"),
        pytest.param(b"\x00\x01\x02" * 100, "binary data, 300 bytes", id="anything with NUL"),
        pytest.param(bytes(range(1, 9)) * 100, "binary data", id="controls without NUL"),
        pytest.param("text".encode("utf-16"), "iconv -f UTF-16 -t UTF-8 f", id="UTF-16"),
        pytest.param("text".encode("utf-32"), "iconv -f UTF-32 -t UTF-8 f", id="UTF-32"),
        pytest.param(b"RIFF\x00\x00\x00\x00WAVEfmt \x00", "WAVE", id="sound"),
    ],
)
async def test_what_is_no_text_is_named_and_not_dumped(call, workspace, content, said):
    (workspace.cwd / "f").write_bytes(content)
    outcome = await call("read", path="f")
    assert said in outcome.text
    assert outcome.text.isprintable()
    assert not outcome.is_error


@pytest.mark.parametrize(
    ("lines", "arguments", "shown", "note"),
    [
        pytest.param(3001, {}, (1, 2000), "[Lines 1-2000 of 3001. Go on with offset=2001.]", id="by lines"),
        pytest.param(2000, {}, (1, 2000), None, id="exactly as many as allowed"),
        pytest.param(3001, {"offset": 2001}, (2001, 3001), None, id="the rest"),
        pytest.param(3001, {"offset": 3001}, (3001, 3001), None, id="the last line"),
        pytest.param(
            100, {"offset": 3, "limit": 4}, (3, 6), "[Lines 3-6 of 100. Go on with offset=7.]", id="a part"
        ),
        pytest.param(100, {"offset": 98, "limit": 4}, (98, 100), None, id="a part beyond the end"),
        pytest.param(
            100, {"offset": 0, "limit": 1}, (1, 1), "[Lines 1-1 of 100. Go on with offset=2.]", id="offset 0"
        ),
        pytest.param(
            100,
            {"offset": -5, "limit": 1},
            (1, 1),
            "[Lines 1-1 of 100. Go on with offset=2.]",
            id="offset < 0",
        ),
        pytest.param(
            3001,
            {"limit": 5000},
            (1, 2000),
            "[Lines 1-2000 of 3001. Go on with offset=2001.]",
            id="limit too large",
        ),
    ],
)
async def test_lines_are_shown_from_offset_to_the_limit(call, workspace, lines, arguments, shown, note):
    every = [f"line {n}" for n in range(1, lines + 1)]
    (workspace.cwd / "f").write_text("".join(line + "\n" for line in every))
    outcome = await call("read", path="f", **arguments)
    body = "\n".join(every[shown[0] - 1 : shown[1]])
    assert outcome.text == (f"{body}\n\n{note}" if note else f"{body}\n")
    assert outcome.details["lines"] == {"first": shown[0], "last": shown[1], "total": lines}
    assert ("truncation" in outcome.details) == (note is not None)


async def test_bytes_are_limited_at_a_whole_line(call, workspace):
    (workspace.cwd / "f").write_text(LINE * 2000)
    outcome = await call("read", path="f")
    body, _, note = outcome.text.rpartition("\n\n")
    assert note == "[Lines 1-800 of 2000 (50 KiB limit). Go on with offset=801.]"
    assert body == (LINE * 800).removesuffix("\n")
    assert outcome.details["truncation"] == {"by": "bytes", "nextOffset": 801}


async def test_a_line_that_is_too_long_gets_a_command_to_read_it(call, workspace):
    (workspace.cwd / "it's long").write_bytes(b"first\n" + b"x" * 60_000 + b"\nlast\n")
    outcome = await call("read", path="it's long", offset=2)
    assert "Line 2 has 60000 bytes" in outcome.text
    command = outcome.text.partition("with bash: ")[2].removesuffix("]")
    shown = await call("bash", command=command)
    assert shown.text == "x" * limits.MAX_BYTES


async def test_one_line_of_sixty_megabytes_is_measured(call, workspace):
    with (workspace.cwd / "f").open("wb") as file:
        file.writelines([b"x" * 1_000_000] * 60)
    outcome = await call("read", path="f")
    assert "Line 1 has 60000000 bytes" in outcome.text
    assert len(outcome.text) < 400


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param(
            {"path": "f", "offset": 5000}, "offset 5000 is past the end: f has 3 lines.", id="past the end"
        ),
        pytest.param({"path": "f", "offset": 4}, "past the end: f has 3 lines", id="just past the end"),
        pytest.param({"path": "f", "limit": 0}, "limit is 0", id="limit 0"),
        pytest.param({"path": "empty", "offset": 2}, "empty has 0 lines", id="offset in an empty file"),
        pytest.param(
            {"path": "folder"}, "folder is a directory. List it with bash: ls -la folder", id="directory"
        ),
        pytest.param({"path": "fifo"}, "named pipe", id="FIFO"),
        pytest.param({"path": "socket"}, "a socket", id="socket"),
        pytest.param({"path": "/dev/zero"}, "character device", id="endless device"),
        pytest.param({"path": "/dev/tty"}, "character device", id="terminal"),
        pytest.param({"path": "link-to-zero"}, "character device", id="link to a device"),
        pytest.param({"path": "dangling"}, "dangling does not exist", id="dangling link"),
        pytest.param({"path": "circle"}, "lead in a circle", id="link to itself"),
        pytest.param({"path": "F.TXT"}, "Similar names in that folder: f.txt", id="other case"),
        pytest.param({"path": "f.tx"}, "Similar names in that folder: f.txt", id="a letter missing"),
        pytest.param({"path": "no/such/f"}, "nor does its folder", id="no folder"),
        pytest.param({"path": "f/x"}, "a part of the path is a file", id="file as a folder"),
        pytest.param({"path": "n" * 300}, "the name is too long", id="name too long"),
        pytest.param({"path": ""}, "path is empty", id="empty path"),
        pytest.param({"path": "a\0b"}, "NUL", id="NUL in the path"),
        pytest.param({"path": "\ud83d"}, "no file name can have", id="half a character in the path"),
        pytest.param({"path": "~nobody-of-that-name/x"}, "home", id="unknown home"),
    ],
)
async def test_what_cannot_be_read_is_refused_with_the_reason(call, workspace, arguments, said):
    folder = workspace.cwd
    (folder / "f").write_text("1\n2\n3\n")
    (folder / "f.txt").touch()
    (folder / "empty").touch()
    (folder / "folder").mkdir()
    os.mkfifo(folder / "fifo")
    (folder / "link-to-zero").symlink_to("/dev/zero")
    (folder / "dangling").symlink_to("nowhere")
    (folder / "circle").symlink_to("circle")
    with socket.socket(socket.AF_UNIX) as sock:
        here = Path.cwd()
        os.chdir(folder)
        sock.bind("socket")
        os.chdir(here)
        outcome = await asyncio.wait_for(call("read", **arguments), 5)
    assert outcome.is_error
    assert said in outcome.text


async def test_a_file_without_permission_is_refused(call, workspace, monkeypatch):
    (workspace.cwd / "f").write_text("secret")

    def refuse(*arguments):
        raise PermissionError(13, "Permission denied")

    monkeypatch.setattr(file_state.os, "open", refuse)
    outcome = await call("read", path="f")
    assert (outcome.is_error, outcome.text) == (True, "No permission to read f.")


async def test_a_fifo_put_in_place_of_the_file_at_the_last_moment_is_refused(call, workspace, monkeypatch):
    path = workspace.cwd / "f"
    path.write_text("x")
    real = os.open

    def exchange(name, flags, *rest):
        path.unlink()
        os.mkfifo(path)
        return real(name, flags, *rest)

    monkeypatch.setattr(file_state.os, "open", exchange)
    outcome = await asyncio.wait_for(call("read", path="f"), 5)
    assert outcome.is_error
    assert "named pipe" in outcome.text


async def test_a_cancelled_read_leaves_no_thread_behind(call, workspace, monkeypatch):
    (workspace.cwd / "f").write_text("x\n" * 500_000)
    reading, go_on, stopped = threading.Event(), threading.Event(), threading.Event()
    real = read_module.Head.feed

    def feed(self, piece):
        reading.set()
        go_on.wait(5)
        real(self, piece)

    monkeypatch.setattr(read_module.Head, "feed", feed)
    monkeypatch.setattr(read_module.Head, "close", lambda self: stopped.set())
    task = asyncio.create_task(call("read", path="f"))
    await asyncio.to_thread(reading.wait, 5)
    task.cancel()
    await asyncio.sleep(0)
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert not stopped.is_set()


async def test_a_file_too_large_to_count_says_so(call, workspace, monkeypatch):
    monkeypatch.setattr(limits, "COUNT_LINES_BYTES", 1_000_000)
    (workspace.cwd / "f").write_text(LINE * 40_000)
    outcome = await call("read", path="f")
    assert "of a file too large to count" in outcome.text
    assert outcome.details["lines"]["total"] is None
