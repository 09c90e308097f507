"""A project that brings its own: the question on the normal screen, and what the model is told after it."""

from __future__ import annotations

import json
from contextlib import ExitStack

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.workspace import READY_SECONDS, Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

SKILL = "---\nname: deploy\ndescription: Deploys to the house server.\n---\nRun it.\n"


def project_with_a_skill(workspace: Workspace) -> None:
    folder = workspace.project / ".pi" / "skills" / "deploy"
    folder.mkdir(parents=True)
    (folder / "SKILL.md").write_text(SKILL)


def asked(workspace: Workspace, terminals: ExitStack) -> Terminal:
    terminal = terminals.enter_context(workspace.terminal(workspace.command()))
    terminal.wait_for("Load them?", READY_SECONDS)
    assert "deploy" not in terminal.screen_text()
    return terminal


def test_yes_is_remembered_and_loads_what_the_project_brings(
    workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    project_with_a_skill(workspace)
    terminal = asked(workspace, terminals)
    terminal.send("1\r")
    terminal.wait_for("~/project", READY_SECONDS)
    terminal.wait_for("deploy")
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert terminal.modes.left_on() == []
    assert json.loads((workspace.agent_dir / "trust.json").read_text()) == {str(workspace.project): True}
    again = terminals.enter_context(workspace.terminal(workspace.command()))
    again.wait_for("~/project", READY_SECONDS)
    assert "Load them?" not in again.screen_text()


def test_no_leaves_it_out(workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack) -> None:
    workspace.use(fake_llm)
    project_with_a_skill(workspace)
    terminal = asked(workspace, terminals)
    terminal.send("5\r")
    terminal.wait_for("is not trusted", READY_SECONDS)
    assert "deploy" not in terminal.screen_text()
    assert not (workspace.agent_dir / "trust.json").exists()


@pytest.mark.parametrize(("option", "loaded"), [((), False), (("--approve",), True)])
def test_without_a_terminal_nobody_is_asked(
    workspace: Workspace, fake_llm: FakeLLM, option: tuple[str, ...], loaded: bool
) -> None:
    workspace.use(fake_llm)
    project_with_a_skill(workspace)
    fake_llm.push({"text": "done"})
    result = workspace.run("-p", *option, "hello")
    assert result.returncode == 0
    assert ("house server" in json.dumps(fake_llm.bodies()[-1])) is loaded
    assert ("is not trusted" in result.stderr) is not loaded


def test_the_folder_of_a_session_from_elsewhere_is_asked_about(
    workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    project_with_a_skill(workspace)
    time = "2026-05-04T10:00:00.000Z"
    header = {"type": "session", "version": 3, "id": "s-1", "timestamp": time, "cwd": str(workspace.project)}
    entry = {"type": "session_info", "id": "0000000a", "parentId": None, "timestamp": time, "name": "stored"}
    stored = workspace.home / "stored.jsonl"
    stored.write_text("".join(json.dumps(line) + "\n" for line in (header, entry)))
    workspace.project = workspace.home / "elsewhere"
    workspace.project.mkdir()
    command = workspace.command("--session", str(stored))
    terminal = terminals.enter_context(workspace.terminal(command))
    asked = terminal.wait_for("Load them?", READY_SECONDS)
    assert "home/project brings" in "".join(asked.splitlines())
    terminal.send("3\r")
    terminal.wait_for("~/project", READY_SECONDS)
    terminal.wait_for("deploy")
