"""Whatever ends or stops the program, the shell gets a terminal it can use."""

from __future__ import annotations

import signal
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.terminal import Terminal
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import READY_SECONDS, Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

SHELL_STATE = {"echo": True, "canonical": True, "signals": True, "cr to nl": True}

CRASHING_PI = """
import sys
from textual import events
from textual.app import App
from pi_tui.__main__ import main

handle = App.on_event

async def handle_or_crash(self, event):
    if isinstance(event, events.Key) and event.key == "f12":
        raise RuntimeError("deliberate crash [/not markup]")
    await handle(self, event)

App.on_event = handle_or_crash
sys.exit(main())
"""
"""`pi` with a bug: it fails in the middle of handling a key."""


def start_answer_and_signal(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, number: signal.Signals
) -> Terminal:
    workspace.use(fake_llm)
    fake_llm.push(scripts.slow(scripts.numbered_lines(3_000)))
    terminal = pi_terminal(kitty_keyboard=True)
    terminal.submit("count")
    terminal.wait_for(scripts.LATER_ROW)
    terminal.signal(number)
    return terminal


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP], ids=lambda number: number.name)
def test_a_signal_during_an_answer_gives_the_terminal_back_and_stores_what_came(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, number: signal.Signals
) -> None:
    terminal = start_answer_and_signal(workspace, fake_llm, pi_terminal, number)
    assert terminal.wait_for_exit() in (128 + number, -number, 0)
    assert terminal.modes.left_on() == []
    assert terminal.line_discipline() == SHELL_STATE
    assert "Traceback" not in terminal.screen_text()
    user, answer = workspace.messages()
    assert (user["role"], answer["stopReason"]) == ("user", "aborted")
    assert "row 0002" in answer["content"][0]["text"]


def test_a_signal_during_a_tool_ends_the_tool(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    (workspace.project / "alive").write_text("")
    # The shell holds a lock for as long as it lives.
    fake_llm.push(scripts.call("bash", command="exec 9<>alive; flock 9; echo locked-now; sleep 300"))
    terminal = pi_terminal()
    terminal.submit("wait")
    terminal.wait_for(lambda screen: screen.count("locked-now") >= 2, 30)
    terminal.signal(signal.SIGTERM)
    terminal.wait_for_exit()
    lock = workspace.run_shell("flock --timeout 30 alive true")
    assert lock.returncode == 0, "the tool's processes outlived the program"


def test_closing_the_window_ends_the_program_and_loses_nothing(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(scripts.slow(scripts.numbered_lines(3_000)))
    terminal = pi_terminal()
    terminal.submit("count")
    terminal.wait_for(scripts.LATER_ROW)
    terminal.hang_up()
    terminal.wait_for_exit()
    assert [message["role"] for message in workspace.messages()] == ["user", "assistant"]


def test_a_crash_gives_the_terminal_back_and_says_where_its_log_is(
    workspace: Workspace, fake_llm: FakeLLM, tmp_path: Path, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "An answer before the crash."})
    program = tmp_path / "crashing_pi.py"
    program.write_text(CRASHING_PI)
    terminal = terminals.enter_context(
        workspace.terminal([sys.executable, str(program)], kitty_keyboard=True)
    )
    terminal.wait_for("~/project", READY_SECONDS)
    terminal.submit("hello")
    terminal.wait_for("An answer before the crash.", 30)
    wait_until_idle(terminal)
    terminal.send("\x1b[24~")
    assert terminal.wait_for_exit() != 0
    assert terminal.modes.left_on() == []
    assert terminal.line_discipline() == SHELL_STATE
    (log,) = [path for path in workspace.state_dir.rglob("*") if path.name == "crash.log"]
    assert "deliberate crash [/not markup]" in log.read_text()
    assert log.name in terminal.screen_text().replace("\n", "")
    assert [message["role"] for message in workspace.messages()] == ["user", "assistant"]


def test_leaving_prints_the_last_answer_and_how_to_resume(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "Words to remember."})
    terminal = pi_terminal()
    terminal.submit("hello")
    terminal.wait_for("Words to remember.", 30)
    leave(terminal)
    assert not terminal.modes.alternate_screen
    screen = terminal.screen_text()
    assert "Words to remember." in screen
    assert "pi --session" in screen


def test_ctrl_z_gives_the_shell_back_and_fg_the_screen_with_its_draft(
    workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "Back again."})
    (workspace.home / ".inputrc").write_text("set enable-bracketed-paste off\n")
    shell = ["bash", "--norc", "--noprofile", "-i"]
    terminal = terminals.enter_context(
        workspace.terminal(shell, env={"PS1": "shell> ", "INPUTRC": str(workspace.home / ".inputrc")})
    )
    terminal.wait_for("shell>")
    terminal.send(" ".join(workspace.command()) + "\r")
    terminal.wait_for("~/project", READY_SECONDS)
    terminal.send("a draft")
    terminal.wait_for("a draft")

    terminal.press("ctrl+z")
    terminal.wait_for(lambda screen: "Stopped" in screen and screen.rstrip().endswith("shell>"))
    assert terminal.modes.left_on() == []
    terminal.send("echo shell-$((40 + 2))\r")
    terminal.wait_for("shell-42")

    terminal.send("fg\r")
    terminal.wait_for(lambda screen: "a draft" in screen and "shell-42" not in screen)
    assert terminal.modes.alternate_screen
    assert {1006, 2004} <= terminal.modes.private
    terminal.press("enter")
    terminal.wait_for("Back again.", 30)
    wait_until_idle(terminal)
    terminal.press("ctrl+d")
    terminal.wait_for(lambda screen: screen.rstrip().endswith("shell>"))
    assert terminal.modes.left_on() == []
    terminal.send("exit\r")
    terminal.wait_for_exit()
