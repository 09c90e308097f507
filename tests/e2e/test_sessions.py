"""Which session is open: two clients on one file, the list at the start, a disk that is full for a while."""

from __future__ import annotations

import json
import os
import subprocess
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import pytest

from pi_tui.session.log import SessionLog
from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.waiting import leave
from tests.e2e.workspace import READY_SECONDS, Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

SMALL_DISK = "512k"
FILLER_PIECE = b"x" * 4096


def entries_of(path: Path) -> list[dict[str, Any]]:
    """Every line of a session file, decoded strictly."""
    lines = path.read_bytes().split(b"\n")
    assert lines.pop() == b""
    return [json.loads(line) for line in lines]


def texts_of(path: Path) -> list[str]:
    """What user and model say in a file, in file order."""
    texts = []
    for entry in entries_of(path):
        message = entry.get("message", {})
        if message.get("role") in ("user", "assistant"):
            texts.append("".join(block.get("text", "") for block in message["content"]))
    return texts


def assert_one_line_of_entries(path: Path) -> None:
    """Each entry hangs on the one before it: nobody else wrote in between."""
    parent = None
    for entry in entries_of(path)[1:]:
        assert entry["parentId"] == parent
        parent = entry["id"]


def test_the_second_client_on_a_session_is_told_and_forks_it(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "answer zero"}, {"text": "answer one"}, {"text": "answer two"})
    assert workspace.run("-p", "prompt zero").returncode == 0
    original = workspace.session_file()
    first = pi_terminal("-c")
    second = terminals.enter_context(workspace.terminal(workspace.command("-c")))
    second.wait_for("open in another pi", READY_SECONDS)
    second.wait_for("Which one")
    second.send("1\r")
    second.wait_for("~/project", READY_SECONDS)
    second.submit("prompt of the second")
    second.wait_for("answer one", 30)
    first.submit("prompt of the first")
    first.wait_for("answer two", 30)
    leave(second)
    leave(first)
    (fork,) = [path for path in workspace.session_files() if path != original]
    assert texts_of(original) == ["prompt zero", "answer zero", "prompt of the first", "answer two"]
    assert texts_of(fork) == ["prompt zero", "answer zero", "prompt of the second", "answer one"]
    assert entries_of(fork)[0]["parentSession"] == str(original)
    assert_one_line_of_entries(original)
    assert_one_line_of_entries(fork)


def test_the_second_client_may_only_read_or_leave(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "answer zero"})
    assert workspace.run("-p", "prompt zero").returncode == 0
    original = workspace.session_file()
    before = original.read_bytes()
    first = pi_terminal("-c")
    reader = terminals.enter_context(workspace.terminal(workspace.command("-c")))
    reader.wait_for("Which one", READY_SECONDS)
    reader.send("2\r")
    reader.wait_for("answer zero", READY_SECONDS)
    reader.submit("may I?")
    reader.wait_for("Not sent")
    reader.press("ctrl+c")
    leave(reader)
    third = terminals.enter_context(workspace.terminal(workspace.command("-c")))
    third.wait_for("Which one", READY_SECONDS)
    third.send("3\r")
    assert third.wait_for_exit() == 0
    leave(first)
    assert original.read_bytes() == before
    assert workspace.session_files() == [original]


@pytest.mark.parametrize("words", ["first idea", "turning point"])
def test_the_list_finds_a_session_by_its_first_message_and_by_its_label(
    workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack, words: str
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "answer to be found"}, {"text": "another answer"})
    assert workspace.run("-p", "my first idea").returncode == 0
    path = workspace.session_file()
    log = SessionLog.open(path)
    log.append_label(log.entry_ids[-1], "turning point")
    log.close()
    assert workspace.run("-p", "something else").returncode == 0
    terminal = terminals.enter_context(workspace.terminal(workspace.command("-r"), columns=80, rows=24))
    terminal.wait_for("something else", READY_SECONDS)
    terminal.wait_for("my first idea")
    terminal.send(words)
    terminal.wait_for("1 of 2")
    terminal.press("enter")
    terminal.wait_for("answer to be found")
    leave(terminal)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system with room for half a megabyte."""
    folder = tmp_path / "small"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", f"size={SMALL_DISK}", "tmpfs", str(folder)]
    if os.geteuid() != 0 or subprocess.run(mount, capture_output=True, check=False).returncode != 0:
        pytest.skip("only root can mount a small file system, and not everywhere")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def fill(filler: Path) -> None:
    """Takes all the room that is left."""
    with filler.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(FILLER_PIECE)
        except OSError:
            return


def test_a_full_disk_pauses_the_run_and_loses_nothing(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, small_disk: Path
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(
        scripts.call("bash", command="mkfifo gate; cat gate; seq 1 4000"), {"text": "Now it is done."}
    )
    terminal = pi_terminal("--session-dir", str(small_disk / "sessions"))
    terminal.submit("count, please")
    terminal.wait_for("cat gate", 30)
    fill(small_disk / "filler")
    (workspace.project / "gate").write_text("")
    terminal.wait_for("could not be saved", 30)
    terminal.wait_for("The run waits until everything is saved")
    (file,) = (small_disk / "sessions").glob("*.jsonl")
    assert entries_of(file)[0]["type"] == "session"
    assert fake_llm.state()["requests"] == 1
    (small_disk / "filler").unlink()
    terminal.wait_for("Everything is saved again.", 30)
    terminal.wait_for("Now it is done.", 30)
    leave(terminal)
    messages = [entry["message"] for entry in entries_of(file) if entry["type"] == "message"]
    assert [message["role"] for message in messages if message["role"] != "system"] == [
        "user",
        "assistant",
        "toolResult",
        "assistant",
    ]
    assert_one_line_of_entries(file)
