"""Tools by option, the user's own commands, and what is left of them when the program ends."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.e2e.conftest import StartPi
from tests.e2e.pseudo_terminal import PATIENCE
from tests.e2e.terminal import Terminal
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

LEFT_WITHIN = 20.0
"""Seconds: far less than what was started runs, and enough for a busy machine."""
DEFAULT = ["read", "bash", "edit", "write"]


@pytest.mark.parametrize(
    ("options", "names"),
    [
        ([], DEFAULT),
        (["--tools", "read,grep,find,ls"], ["read", "grep", "find", "ls"]),
        (["--tools", "+grep,-bash"], ["read", "edit", "write", "grep"]),
        (["-xt", "bash,w*"], ["read", "edit"]),
        (["-nt"], []),
    ],
)
def test_the_model_is_told_of_the_tools_that_were_chosen(
    workspace: Workspace, fake_llm: FakeLLM, options: list[str], names: list[str]
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "Seen."})
    result = workspace.run("-p", *options, "look")
    assert result.stdout == "Seen.\n", result.stderr
    (body,) = fake_llm.bodies()
    assert [tool["function"]["name"] for tool in body.get("tools", [])] == names


def test_a_tool_that_does_not_exist_is_refused_with_those_that_do(workspace: Workspace) -> None:
    result = workspace.run("-p", "--tools", "read,grpe", "look")
    assert result.returncode == 2
    assert "there is no tool 'grpe'; the tools are read, bash, edit, write, grep, find, ls" in result.stderr


def test_a_read_only_run_finds_its_way(workspace: Workspace, fake_llm: FakeLLM) -> None:
    workspace.use(fake_llm)
    (workspace.project / "notes.txt").write_text("one\nneedle\n")
    calls = [
        {"name": "grep", "arguments": {"pattern": "needle"}},
        {"name": "find", "arguments": {"pattern": "*.txt"}},
        {"name": "ls", "arguments": {}},
    ]
    fake_llm.push({"tool_calls": calls}, {"text": "Found."})
    assert workspace.run("-p", "--tools", "read,grep,find,ls", "look").stdout == "Found.\n"
    results = [m["content"][0]["text"] for m in workspace.messages() if m["role"] == "toolResult"]
    assert results == ["notes.txt:2: needle", "notes.txt", "notes.txt"]


def test_a_command_knows_whose_it_is(workspace: Workspace, fake_llm: FakeLLM) -> None:
    workspace.use(fake_llm, reasoning=True)
    names = "PI_SESSION_ID PI_SESSION_FILE PI_PROVIDER PI_MODEL PI_REASONING_LEVEL AI_AGENT PI_CODING_AGENT"
    command = f"for name in {names}; do printenv $name; done"
    fake_llm.push({"tool_calls": [{"name": "bash", "arguments": {"command": command}}]}, {"text": "Seen."})
    assert workspace.run("-p", "--thinking", "high", "look").stdout == "Seen.\n"
    (result,) = [m["content"][0]["text"] for m in workspace.messages() if m["role"] == "toolResult"]
    (file,) = workspace.agent_dir.glob("sessions/*/*.jsonl")
    header = json.loads(file.read_text().partition("\n")[0])
    known = [header["id"], str(file), "openai", "scripted", "high", "pi", "true"]
    assert result.split("\n") == known


def commands(workspace: Workspace) -> list[dict[str, Any]]:
    return [message for message in workspace.messages() if message["role"] == "bashExecution"]


def test_a_command_runs_is_shown_and_reaches_the_model(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "Thank you."})
    terminal = pi_terminal()
    terminal.submit("!echo from the $((40 + 2)) shell; exit 3")
    terminal.wait_for("from the 42 shell")
    terminal.wait_for("Exit code 3")
    wait_until_idle(terminal)
    terminal.submit("!!echo kept $((1 + 1)) myself")
    terminal.wait_for("kept 2 myself")
    wait_until_idle(terminal)
    terminal.submit("what was that?")
    terminal.wait_for("Thank you.")
    leave(terminal)
    seen, hidden = commands(workspace)
    assert (seen["exitCode"], seen["output"]) == (3, "from the 42 shell\n")
    assert hidden["excludeFromContext"] is True
    (body,) = fake_llm.bodies()
    assert "from the 42 shell" in json.dumps(body["messages"])
    assert "kept 2 myself" not in json.dumps(body["messages"])


def test_escape_ends_a_command_and_a_second_one_waits_its_turn(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    terminal = pi_terminal()
    terminal.submit("!echo pid $$; sleep 60")
    terminal.wait_for(re.compile(r"pid \d+"))
    terminal.submit("!echo second")
    terminal.wait_for("still running")
    terminal.press("escape")
    terminal.wait_for("Interrupted")
    wait_until_idle(terminal)
    terminal.press("enter")
    terminal.wait_for("▌ second")
    leave(terminal)


def press_twice(terminal: Terminal) -> None:
    terminal.press("ctrl+c")
    terminal.press("ctrl+c")


WAYS_OUT: dict[str, Callable[[Terminal], object]] = {
    "ctrl+d": lambda terminal: terminal.press("ctrl+d"),
    "ctrl+c twice": press_twice,
    "SIGTERM": lambda terminal: terminal.signal(signal.SIGTERM),
    "SIGHUP": lambda terminal: terminal.signal(signal.SIGHUP),
    "SIGKILL": lambda terminal: terminal.signal(signal.SIGKILL),
    "a fault": lambda terminal: terminal.signal(signal.SIGABRT),
}


def wait_until_gone(pids: list[int], seconds: float) -> list[int]:
    """Those of the processes that are still there after so long."""
    deadline = time.monotonic() + seconds
    while (alive := [pid for pid in pids if _is_alive(pid)]) and time.monotonic() < deadline:
        time.sleep(0.02)
    return alive


def _is_alive(pid: int) -> bool:
    try:
        return "\nState:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except OSError:
        return False


@pytest.mark.parametrize("way", WAYS_OUT)
def test_nothing_that_was_started_outlives_the_client(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, way: str
) -> None:
    workspace.use(fake_llm)
    escaped = "setsid sleep 300 & echo $! >> pids"
    script = f"echo $$ >> pids; sleep 300 & echo $! >> pids; {escaped}; echo begun-$((1 + 1)); wait"
    background = "sleep 300 > /dev/null 2>&1 & echo $! >> pids"
    fake_llm.push(
        {"tool_calls": [{"name": "bash", "arguments": {"command": background}}]},
        {"tool_calls": [{"name": "bash", "arguments": {"command": script}}]},
        {"text": "never"},
    )
    terminal = pi_terminal()
    terminal.submit("work")
    terminal.wait_for("begun-2", 30)
    (workspace.project / "mine.sh").write_text(script.replace("begun", "started"))
    terminal.submit("!. ./mine.sh")
    terminal.wait_for("started-2")
    pids = [int(line) for line in (workspace.project / "pids").read_text().split()]
    assert len(pids) == 7
    assert wait_until_gone(pids, 0) == pids
    began = time.monotonic()
    WAYS_OUT[way](terminal)
    terminal.wait_for_exit()
    left_in = time.monotonic() - began
    terminal.close()
    assert wait_until_gone(pids, PATIENCE) == []
    assert left_in < LEFT_WITHIN
    if way not in ("SIGKILL", "a fault"):
        assert commands(workspace)[-1]["cancelled"] is True


@pytest.mark.parametrize("way", ["ctrl+d", "SIGTERM", "SIGKILL"])
def test_of_a_long_output_only_the_file_that_was_told_is_left(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, tmp_path: Path, way: str
) -> None:
    workspace.use(fake_llm)
    temporary = tmp_path / "temporary"
    temporary.mkdir()
    workspace.env["TMPDIR"] = str(temporary)
    long = {"name": "bash", "arguments": {"command": "seq 1 30000; echo x > by-command"}}
    short = {"name": "bash", "arguments": {"command": "seq 1 1500 | sed p | head -n 1900"}}
    write = {"name": "write", "arguments": {"path": "written", "content": "x" * 100_000}}
    fake_llm.push({"tool_calls": [long, short, write]}, {"text": "Left something."})
    terminal = pi_terminal()
    terminal.submit("work")
    terminal.wait_for("Left something.", 30)
    wait_until_idle(terminal)
    terminal.submit("!seq 1 30000; echo end-$((1 + 1)); sleep 300")
    terminal.wait_for("end-2")
    WAYS_OUT[way](terminal)
    terminal.wait_for_exit()
    terminal.close()
    assert list(temporary.iterdir()) == []
    made = {path.name for path in workspace.project.iterdir()} - {"written", "by-command"}
    assert made == set()
    told = {
        m["details"]["fullOutputPath"]
        for m in workspace.messages()
        if "fullOutputPath" in m.get("details", {})
    }
    told |= {m["fullOutputPath"] for m in workspace.messages() if m.get("fullOutputPath")}
    kept = {str(path) for path in outputs(workspace).iterdir()}
    if way == "SIGKILL":  # the command's own output is kept, and nobody was left to tell of it
        assert len(told) == 1 and told < kept and len(kept) == 2
    else:
        assert len(told) == 2 and told == kept
    assert all(Path(path).stat().st_mode & 0o777 == 0o600 for path in kept)


def outputs(workspace: Workspace) -> Path:
    return Path(workspace.env["XDG_CACHE_HOME"]) / "pi" / "bash-output"


def test_full_outputs_past_their_age_go_at_the_next_start(workspace: Workspace, pi_terminal: StartPi) -> None:
    folder = outputs(workspace)
    folder.mkdir(parents=True)
    for name, days in {"bash-old.log": 8, "bash-new.log": 6}.items():
        (folder / name).write_text("kept\n")
        os.utime(folder / name, (time.time() - days * 86_400,) * 2)
    terminal = pi_terminal()
    terminal.wait_until(lambda: not (folder / "bash-old.log").exists(), 20, "removal of the old output")
    assert (folder / "bash-new.log").exists()
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0


def test_print_mode_leaves_nothing_when_it_is_told_to_stop(workspace: Workspace, fake_llm: FakeLLM) -> None:
    workspace.use(fake_llm)
    command = "sleep 300 > /dev/null 2>&1 & echo $! > background; echo $$ > running; exec sleep 300"
    fake_llm.push({"tool_calls": [{"name": "bash", "arguments": {"command": command}}]}, {"text": "never"})
    program = subprocess.Popen(
        workspace.command("-p", "work"),
        cwd=workspace.project,
        env=workspace.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    deadline = time.monotonic() + 30
    running = workspace.project / "running"
    while not (running.exists() and running.read_text().strip()) and time.monotonic() < deadline:
        time.sleep(0.02)
    pids = [int((workspace.project / name).read_text()) for name in ("background", "running")]
    os.kill(program.pid, signal.SIGTERM)
    assert program.wait(PATIENCE) == 128 + signal.SIGTERM
    assert wait_until_gone(pids, PATIENCE) == []
    assert workspace.messages()[-1]["role"] == "toolResult"
