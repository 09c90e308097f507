"""A context that fills up, in the real program: what is told, sent, stored and shown."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.e2e.conftest import StartPi
from tests.e2e.terminal import Terminal
from tests.e2e.workspace import PROVIDERS, Workspace
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown

pytestmark = pytest.mark.pi_terminal

SUMMARISES = {
    "when": {"system_contains": "write summaries of conversations"},
    "text": "## Goal\nTo build a kite.",
    "name": "summary",
}
LONG = markdown(1_500)
ESTIMATED = re.compile(r"~\d+\.\d%/\d")


def compactions(workspace: Workspace) -> list[dict[str, Any]]:
    return [entry for entry in workspace.entries() if entry["type"] == "compaction"]


def sent(body: dict[str, Any]) -> str:
    return json.dumps([one for one in body["messages"] if one["role"] not in ("system", "developer")])


def ask(terminal: Terminal, prompt: str, answer: str) -> None:
    terminal.submit(prompt)
    terminal.wait_for(answer, 30)
    terminal.wait_for(lambda screen: "esc to stop" not in screen)


def leave(terminal: Terminal) -> None:
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert terminal.modes.left_on() == []


@pytest.mark.parametrize("wire", sorted(PROVIDERS))
def test_a_full_context_is_compacted_and_the_work_goes_on(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, wire: str
) -> None:
    workspace.use(fake_llm, provider=wire, contextWindow=5_000, maxTokens=1_000)
    fake_llm.script(
        {
            "rules": [SUMMARISES],
            "responses": [
                {"text": f"{LONG}\n\nanswer one"},
                {"text": f"{LONG}\n\nanswer two"},
                {"text": "answer three"},
            ],
        }
    )
    terminal = pi_terminal()
    terminal.wait_for("(auto)")
    ask(terminal, "question one", "answer one")
    assert compactions(workspace) == []
    before = workspace.session_file().read_bytes()
    terminal.submit("question two")
    screen = terminal.wait_for("Compacted from", 30)
    assert "question two" in screen or "answer two" in screen, "what came before stays readable"
    terminal.wait_for(ESTIMATED)
    ask(terminal, "question three", "answer three")
    terminal.wait_for(lambda screen: not ESTIMATED.search(screen))
    request = sent(fake_llm.bodies()[-1])
    assert "To build a kite" in request and "question three" in request and "question one" not in request
    (entry,) = compactions(workspace)
    assert entry["usage"]["totalTokens"] > 0 and entry["tokensBefore"] > 3_750
    assert {"readFiles", "modifiedFiles"} <= set(entry["details"])
    assert workspace.session_file().read_bytes().startswith(before)
    leave(terminal)


def test_between_two_tools_of_one_run(workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi) -> None:
    workspace.use(fake_llm, contextWindow=8_000, maxTokens=1_000)
    (workspace.project / "notes.md").write_text(LONG)
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "notes.md"}}]}
    fake_llm.script({"rules": [SUMMARISES], "responses": [read, read, read, read, {"text": "all is read"}]})
    terminal = pi_terminal()
    ask(terminal, "read them all", "all is read")
    assert compactions(workspace)
    assert compactions(workspace)[-1]["details"]["readFiles"] == ["notes.md"]
    assert [request["status"] for request in fake_llm.requests()] == [200] * len(fake_llm.requests())
    assert "read them all" in sent(fake_llm.bodies()[-1]), "what was asked for is never lost"
    leave(terminal)


def test_compact_with_a_focus_while_one_goes_on_typing(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.script(
        {
            "rules": [{**SUMMARISES, "first_delay": 1.5}],
            "responses": [{"text": "answer one"}, {"text": "answer two"}, {"text": "answer three"}],
        }
    )
    terminal = pi_terminal()
    ask(terminal, "question one", "answer one")
    ask(terminal, "question two", "answer two")
    terminal.submit("/compact the colour of the tail")
    terminal.wait_for("Compacting")
    terminal.submit("typed meanwhile")
    terminal.wait_for("next: typed meanwhile")
    terminal.wait_for("answer three", 30)
    asked, after = [sent(body) for body in fake_llm.bodies()[-2:]]
    assert "Additional focus: the colour of the tail" in asked
    assert "To build a kite" in after and "typed meanwhile" in after and "question one" not in after
    leave(terminal)


def test_esc_stops_a_compaction_and_gives_back_what_was_typed(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.script(
        {
            "rules": [{**SUMMARISES, "first_delay": 60}],
            "responses": [{"text": "answer one"}, {"text": "answer two"}],
        }
    )
    terminal = pi_terminal()
    ask(terminal, "question one", "answer one")
    ask(terminal, "question two", "answer two")
    before = workspace.session_file().read_bytes()
    terminal.submit("/compact everything")
    terminal.wait_for("Compacting")
    terminal.submit("typed meanwhile")
    terminal.wait_for("next: typed meanwhile")
    terminal.press("escape")
    terminal.wait_for(
        lambda screen: (
            "nothing has changed" in screen and "typed meanwhile" in screen and "next:" not in screen
        )
    )
    assert workspace.session_file().read_bytes() == before
    terminal.press("ctrl+c")
    leave(terminal)


@pytest.mark.parametrize("wire", sorted(PROVIDERS))
def test_a_request_that_is_too_long_is_repaired_before_the_user_sees_an_end(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, wire: str
) -> None:
    workspace.use(fake_llm, provider=wire)
    fake_llm.script(
        {
            "rules": [SUMMARISES],
            "responses": [
                {"text": "answer one"},
                {"text": "answer two"},
                {"error": "overflow"},
                {"text": "answer three"},
            ],
        }
    )
    terminal = pi_terminal()
    ask(terminal, "question one", "answer one")
    ask(terminal, "question two", "answer two")
    ask(terminal, "question three", "answer three")
    edits = [entry for entry in workspace.entries() if entry["type"] == "context_edit"]
    assert [edit["replacement"] for edit in edits] == [None]
    assert len(compactions(workspace)) == 1
    assert "question three" in sent(fake_llm.bodies()[-1])
    leave(terminal)


def test_a_branch_is_left_with_a_summary(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.script(
        {
            "rules": [SUMMARISES],
            "responses": [{"text": "answer one"}, {"text": "answer two"}, {"text": "another answer"}],
        }
    )
    terminal = pi_terminal(columns=100)
    ask(terminal, "question one", "answer one")
    ask(terminal, "question two", "answer two")
    leaf = workspace.entries()[-1]["id"]
    terminal.press("escape")
    terminal.press("escape")
    terminal.wait_for("Session tree")
    terminal.press("up")
    terminal.wait_for(re.compile(r"^❯.*question two", re.MULTILINE))
    terminal.press("enter")
    terminal.wait_for("Summarize with a focus")
    terminal.press("down")
    terminal.wait_for(re.compile(r"^\W*[❯>→].*Summarize\b", re.MULTILINE))
    terminal.press("enter")
    terminal.wait_for("Branch summary of what was left behind", 30)
    terminal.wait_for("question two")
    terminal.press("ctrl+w")
    terminal.submit("twice")
    terminal.wait_for("another answer", 30)
    (summary,) = [entry for entry in workspace.entries() if entry["type"] == "branch_summary"]
    assert summary["fromId"] == leaf and summary["usage"]["totalTokens"] > 0
    assert "To build a kite" in sent(fake_llm.bodies()[-1])
    leave(terminal)


def test_the_demo_shows_a_compaction(workspace: Workspace, pi_terminal: StartPi) -> None:
    (workspace.project / "README.md").write_text(("A line to read. " * 8 + "\n") * 100)
    terminal = pi_terminal("--demo", env={"PI_DEMO_SPEED": "20"})
    for _ in range(8):
        terminal.submit("tour")
        terminal.wait_for("esc to stop")
        screen = terminal.wait_for(
            lambda screen: "esc to stop" not in screen and "esc cancels" not in screen, 30
        )
        if "Compacted from" in screen:
            break
    assert b"Compacted" in terminal.raw
    leave(terminal)
