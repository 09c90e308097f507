"""Esc, Ctrl+C, Ctrl+D, steering and follow-ups while a run is going."""

from __future__ import annotations

import json
import os
import re
from typing import Any

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.pseudo_terminal import PATIENCE
from tests.e2e.terminal import Terminal
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal


INTERRUPTED = re.compile(r"\b(interrupted|aborted)\b", re.IGNORECASE)


def text_of(message: dict[str, Any]) -> str:
    content = message["content"]
    return content if isinstance(content, str) else "".join(block.get("text", "") for block in content)


def wait_for_abort(terminal: Terminal, workspace: Workspace) -> None:
    """Until an interrupted answer or tool result is stored, and said to be so on screen, and the run has ended."""

    def stored() -> bool:
        return any(
            message.get("stopReason") == "aborted" or message.get("isError")
            for message in workspace.messages()
        )

    terminal.wait_until(stored, PATIENCE, "interruption in the file")
    terminal.wait_for(INTERRUPTED)
    wait_until_idle(terminal)


def wait_for_queued(terminal: Terminal, text: str, kind: str = "next") -> None:
    terminal.wait_for(f"{kind}: {text}")


def user_texts(body: dict[str, Any]) -> list[str]:
    return [text_of(message) for message in body["messages"] if message["role"] == "user"]


@pytest.mark.parametrize("kitty_keyboard", [False, True], ids=["xterm", "kitty"])
def test_escape_during_the_answer_keeps_and_stores_what_came(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, kitty_keyboard: bool
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(scripts.slow(scripts.numbered_lines(3_000)), {"text": "Going on."})
    terminal = pi_terminal(kitty_keyboard=kitty_keyboard)
    terminal.submit("count")
    terminal.wait_for(scripts.LATER_ROW)
    terminal.press("escape")
    wait_for_abort(terminal, workspace)
    terminal.submit("go on")
    terminal.wait_for("Going on.")
    leave(terminal)
    aborted = workspace.messages()[1]
    assert aborted["stopReason"] == "aborted"
    assert "row 0002" in text_of(aborted)
    first = min(fake_llm.requests(), key=lambda request: request["n"])
    assert first["end"] == "client_closed"


def test_escape_during_a_tool_ends_its_processes_and_keeps_its_output(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(
        scripts.call("bash", command="echo $$ > pid; echo tool-has-started; sleep 300 & sleep 301"),
        {"text": "Going on."},
    )
    terminal = pi_terminal()
    terminal.submit("wait for me")
    terminal.wait_for(lambda screen: screen.count("tool-has-started") >= 2, 30)
    terminal.press("escape")
    wait_for_abort(terminal, workspace)
    terminal.submit("go on")
    terminal.wait_for("Going on.")
    with pytest.raises(ProcessLookupError):
        os.kill(int((workspace.project / "pid").read_text()), 0)
    leave(terminal)
    result = next(message for message in workspace.messages() if message["role"] == "toolResult")
    assert result["isError"]
    assert "tool-has-started" in text_of(result)


def test_escape_during_the_retry_countdown_ends_it(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    workspace.settings(retry={"baseDelayMs": 60_000, "maxRetries": 3})
    fake_llm.push({"error": "overloaded"}, {"text": "Now it works."})
    terminal = pi_terminal()
    terminal.submit("hello")
    terminal.wait_for(re.compile(r"retry.*\d+ ?s", re.IGNORECASE), 30)
    terminal.press("escape")
    terminal.wait_for(lambda screen: not re.search(r"retry\w* .*\d+ ?s", screen, re.IGNORECASE))
    wait_until_idle(terminal)
    assert fake_llm.state()["requests"] == 1
    terminal.submit("again")
    terminal.wait_for("Now it works.")
    assert fake_llm.state()["requests"] == 2
    leave(terminal)


def test_a_retry_shows_its_countdown_and_leaves_the_failed_attempt_out(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    workspace.settings(retry={"baseDelayMs": 300})
    fake_llm.push({"text": "half an ans", "disconnect_after": 2}, {"text": "The whole answer."})
    terminal = pi_terminal()
    terminal.submit("hello")
    terminal.wait_for("The whole answer.", 30)
    leave(terminal)
    roles = [message["role"] for message in fake_llm.bodies()[-1]["messages"]]
    assert "assistant" not in roles
    stops = [message.get("stopReason") for message in workspace.messages()]
    assert stops == [None, "error", "stop"]


def test_enter_while_it_runs_steers_after_the_tools_of_the_turn(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(
        scripts.call("bash", command="mkfifo gate; cat gate; echo tool-is-done"),
        {"text": "I do that instead."},
    )
    terminal = pi_terminal()
    terminal.submit("start")
    terminal.wait_for("cat gate", 30)
    terminal.submit("rather do this")
    wait_for_queued(terminal, "rather do this")
    (workspace.project / "gate").write_text("")
    terminal.wait_for("I do that instead.")
    last = fake_llm.bodies()[-1]["messages"]
    assert [message["role"] for message in last[-3:]] == ["assistant", "tool", "user"]
    assert text_of(last[-1]) == "rather do this"
    leave(terminal)


def test_alt_enter_queues_a_follow_up_for_when_the_run_would_end(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(
        scripts.call("bash", command="mkfifo gate; cat gate"), {"text": "last-row"}, {"text": "And this too."}
    )
    terminal = pi_terminal()
    terminal.submit("start")
    terminal.wait_for("cat gate", 30)
    terminal.send("then do that")
    terminal.wait_for("then do that")
    terminal.press("alt+enter")
    wait_for_queued(terminal, "then do that", "later")
    (workspace.project / "gate").write_text("")
    terminal.wait_for("And this too.")
    assert user_texts(fake_llm.bodies()[-1]) == ["start", "then do that"]
    assert "last-row" in json.dumps(fake_llm.bodies()[-1])
    leave(terminal)


@pytest.mark.parametrize("key", ["alt+up", "escape"])
def test_queued_messages_come_back_into_the_editor(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, key: str
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(scripts.slow(scripts.numbered_lines(3_000)), {"text": "Got it."})
    terminal = pi_terminal()
    terminal.submit("start")
    terminal.wait_for(scripts.LATER_ROW)
    terminal.submit("queued thought")
    wait_for_queued(terminal, "queued thought")
    terminal.press(key)
    terminal.wait_for(lambda screen: "queued thought" in screen and "next:" not in screen)
    if key != "escape":
        terminal.press("escape")
    wait_for_abort(terminal, workspace)
    terminal.submit(", finished")
    terminal.wait_for("Got it.")
    assert user_texts(fake_llm.bodies()[-1])[-1].endswith("\n\nqueued thought, finished")
    leave(terminal)


def test_ctrl_c_clears_the_editor_and_twice_leaves_even_during_a_run(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(scripts.slow(scripts.numbered_lines(3_000)))
    terminal = pi_terminal()
    terminal.submit("start")
    terminal.wait_for(scripts.LATER_ROW)
    terminal.send("a draft to drop")
    terminal.wait_for("a draft to drop")
    terminal.press("ctrl+c")
    terminal.wait_for(lambda screen: "a draft to drop" not in screen)
    terminal.press("ctrl+c", "ctrl+c")
    terminal.wait_for_exit()
    assert terminal.modes.left_on() == []
    assert [message["role"] for message in workspace.messages()] == ["user", "assistant"]
    assert workspace.messages()[1]["stopReason"] == "aborted"


def test_ctrl_d_leaves_only_when_the_editor_is_empty(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    terminal = pi_terminal()
    terminal.send("unsent")
    terminal.wait_for("unsent")
    terminal.press("ctrl+d")
    terminal.send("-words")
    terminal.wait_for("unsent-words")
    terminal.press("ctrl+c")
    terminal.wait_for(lambda screen: "unsent-words" not in screen)
    leave(terminal)
