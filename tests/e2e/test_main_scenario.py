"""Read a file, edit it, run it, answer: in the full-screen client and in print mode, over both wires."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
from typing import Any

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import PROVIDERS, Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

WIRES = sorted(PROVIDERS)
ROLES = ["user", "assistant", "toolResult", "assistant", "toolResult", "assistant", "toolResult", "assistant"]
PROMPT = "make the greeting a farewell"


def prepare(workspace: Workspace, fake_llm: FakeLLM, wire: str) -> None:
    workspace.use(fake_llm, provider=wire)
    fake_llm.push(*scripts.read_edit_run_answer(workspace.project))


def check_session_file(workspace: Workspace) -> None:
    file = workspace.session_file()
    header, *entries = [json.loads(line) for line in file.read_bytes().splitlines()]
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, str(workspace.project))
    assert header["id"] in file.name
    assert entries[0]["parentId"] is None
    assert [entry["parentId"] for entry in entries[1:]] == [entry["id"] for entry in entries[:-1]]
    messages = workspace.messages()
    assert [message["role"] for message in messages] == ROLES
    called = [block["name"] for m in messages[1::2] for block in m["content"] if block["type"] == "toolCall"]
    assert called == ["read", "edit", "bash"]
    assert [message["toolName"] for message in messages[2::2]] == called
    assert not any(message["isError"] for message in messages[2::2])
    assert scripts.PROGRAM_OUTPUT in messages[6]["content"][0]["text"]
    assert [message["stopReason"] for message in messages[1::2]] == ["toolUse"] * 3 + ["stop"]
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700


def sent_roles(body: dict[str, Any]) -> list[str]:
    """Roles of a request in the session's words; a user message of tool results counts as `toolResult`."""
    roles = []
    for message in body["messages"]:
        blocks = message["content"] if isinstance(message["content"], list) else []
        if message["role"] == "tool" or any(block.get("type") == "tool_result" for block in blocks):
            roles.append("toolResult")
        elif message["role"] in ("user", "assistant"):
            roles.append(message["role"])
    return roles


@pytest.mark.parametrize("wire", WIRES)
def test_the_full_screen_client_reads_edits_runs_and_answers(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, wire: str
) -> None:
    prepare(workspace, fake_llm, wire)
    terminal = pi_terminal()
    terminal.submit(PROMPT)
    terminal.wait_for(scripts.ANSWER, 30)
    screen = wait_until_idle(terminal)
    assert PROMPT in screen
    assert "I look at the program first." in screen
    assert screen.count("greet.py") >= 3, "each tool call names its file"
    assert "Goodbye" in screen
    assert scripts.PROGRAM_OUTPUT in screen
    assert (workspace.project / "greet.py").read_text() == scripts.CHANGED_PROGRAM
    assert [request["end"] for request in fake_llm.requests()] == ["ok"] * 4
    leave(terminal)
    check_session_file(workspace)


@pytest.mark.parametrize("wire", WIRES)
def test_print_mode_reads_edits_runs_and_writes_the_answer_alone(
    workspace: Workspace, fake_llm: FakeLLM, wire: str
) -> None:
    prepare(workspace, fake_llm, wire)
    result = workspace.run("-p", PROMPT)
    assert (result.returncode, result.stdout.strip(), result.stderr) == (0, scripts.ANSWER, "")
    assert (workspace.project / "greet.py").read_text() == scripts.CHANGED_PROGRAM
    check_session_file(workspace)


def test_continuing_shows_the_conversation_and_sends_all_of_it(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    prepare(workspace, fake_llm, "openai")
    assert workspace.run("-p", PROMPT).returncode == 0
    stored = workspace.session_file().read_bytes()

    fake_llm.push({"text": "You are welcome."})
    terminal = pi_terminal("-c")
    terminal.wait_for(
        lambda screen: all(text in screen for text in (PROMPT, scripts.PROGRAM_OUTPUT, scripts.ANSWER))
    )
    terminal.submit("thank you")
    terminal.wait_for("You are welcome.", 30)
    leave(terminal)

    last_request = fake_llm.bodies()[-1]
    assert sent_roles(last_request) == [*ROLES, "user"]
    assert scripts.PROGRAM_OUTPUT in json.dumps(last_request)
    assert workspace.session_file().read_bytes().startswith(stored)


@pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")
def test_jq_reads_the_session_file(workspace: Workspace, fake_llm: FakeLLM) -> None:
    prepare(workspace, fake_llm, "openai")
    assert workspace.run("-p", PROMPT).returncode == 0
    program = 'select(.type == "message" and .message.role != "system") | .message.role'
    result = subprocess.run(
        ["jq", "-r", program, str(workspace.session_file())], capture_output=True, text=True, check=True
    )
    assert result.stdout.split() == ROLES


@pytest.mark.parametrize("full_screen", [True, False], ids=["full-screen", "print"])
def test_no_session_leaves_nothing_behind(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, full_screen: bool
) -> None:
    prepare(workspace, fake_llm, "openai")
    if full_screen:
        terminal = pi_terminal("--no-session")
        terminal.submit(PROMPT)
        terminal.wait_for(scripts.ANSWER, 30)
        leave(terminal)
    else:
        assert workspace.run("-p", "--no-session", PROMPT).returncode == 0
    written = [path for path in workspace.home.parent.rglob("*") if path.is_file()]
    assert [path for path in written if PROMPT.encode() in path.read_bytes()] == []
    assert not (workspace.agent_dir / "sessions").exists()


def test_opening_and_leaving_creates_no_session(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    terminal = pi_terminal()
    leave(terminal)
    assert not (workspace.agent_dir / "sessions").exists()


def test_piped_input_goes_before_the_prompt(workspace: Workspace, fake_llm: FakeLLM) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "A list of fruit."})
    result = workspace.run("-p", "what is this?", stdin="apple\npear\n")
    assert (result.returncode, result.stdout.strip()) == (0, "A list of fruit.")
    sent = json.dumps(fake_llm.bodies()[-1]["messages"][-1])
    assert sent.index("pear") < sent.index("what is this?")
    assert "pearwhat" not in sent


def test_print_mode_fails_with_1_and_one_message_when_the_model_does(
    workspace: Workspace, fake_llm: FakeLLM
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"error": "auth"})
    result = workspace.run("-p", "hello")
    assert result.returncode == 1
    assert result.stdout == ""
    assert result.stderr.strip()
    assert "Traceback" not in result.stderr
