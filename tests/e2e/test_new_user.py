"""A new user in a fresh home and a repository that brings one of everything."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.workspace import READY_SECONDS, Workspace
from tests.support.fakellm import FakeLLM
from tests.support.opened_files import opened_below

pytestmark = pytest.mark.pi_terminal

SHIPPED_DARK = Path(__file__).parents[2] / "themes" / "dark.json"
FILES = {
    "AGENTS.md": "Rule of the repository: tabs.",
    ".pi/settings.json": json.dumps({"theme": "harbour", "defaultTools": ["+grep"], "madeUp": 1}),
    ".pi/skills/deploy/SKILL.md": "---\nname: deploy\ndescription: Deploys to the house server.\n---\nRun it.\n",
    ".pi/skills/broken/SKILL.md": "---\nname: broken\nlicense: MIT\n---\nNo description.\n",
    ".pi/prompts/review.md": "---\ndescription: Look through\nargument-hint: <what>\n---\nReview $1 for ${2:-bugs}.",
    ".pi/prompts/plan.md": "Plan it.",
    ".pi/prompts/tidy.md": "Tidy $@.",
    ".pi/themes/harbour.json": SHIPPED_DARK.read_text().replace('"name": "dark"', '"name": "harbour"'),
}


@pytest.fixture
def repository(workspace: Workspace, fake_llm: FakeLLM) -> Path:
    workspace.use(fake_llm)
    for name, text in FILES.items():
        path = workspace.project / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    keys = {"app.session.new": "ctrl+p", "app.nothing": "f2"}
    (workspace.agent_dir / "keybindings.json").write_text(json.dumps(keys))
    subprocess.run(["git", "init", "-q"], cwd=workspace.project, check=True)
    return workspace.project


@pytest.fixture
def asked(workspace: Workspace, repository: Path, terminals: ExitStack) -> Terminal:
    terminal = terminals.enter_context(workspace.terminal(workspace.command()))
    terminal.wait_for("Load them?", READY_SECONDS)
    return terminal


def answered(terminal: Terminal, answer: str) -> None:
    terminal.wait_for(lambda screen: answer in screen and "to stop" not in screen)


def told(fake_llm: FakeLLM) -> str:
    """The system prompt of the last request."""
    return str(fake_llm.bodies()[-1]["messages"][0]["content"])


def test_what_is_loaded_is_on_screen_and_in_the_request(
    asked: Terminal, fake_llm: FakeLLM, repository: Path
) -> None:
    asked.send("1\r")
    screen = asked.wait_for("Problems", READY_SECONDS)
    for name in ("~/project/AGENTS.md", "deploy", "pi-extend", "/plan", "/review", "/tidy", "harbour"):
        assert name in screen
    unwrapped = "".join(screen.split())
    assert "agent/settings.json,~/project/.pi/settings.json" in unwrapped
    assert ".pi/skills/broken/SKILL.md:1:description:ismissing" in unwrapped
    assert "Ctrl+Pisthekeyofapp.session.newandofapp.model.cycleForward" in unwrapped
    assert "keybindings.json:1:app.nothing:thereisnosuchaction" in unwrapped
    fake_llm.push({"text": "Ready now"}, {"text": "Ready again"})
    asked.submit("/review parser")
    answered(asked, "Ready now")
    prompt = told(fake_llm)
    parts = ["- grep:", "Deploys to the house server.", "pi-extend", "Rule of the repository: tabs."]
    assert [prompt.find(part) for part in parts] == sorted(prompt.find(part) for part in parts)
    assert -1 not in [prompt.find(part) for part in parts]
    assert "broken" not in prompt
    assert "Review parser for bugs." in json.dumps(fake_llm.bodies()[-1]["messages"][-1])

    (repository / "AGENTS.md").write_text("Rule of the repository: blanks.")
    skill = repository / ".pi/skills/broken/SKILL.md"
    skill.write_text(skill.read_text().replace("license: MIT", "description: Mended."))
    asked.submit("/reload")
    asked.wait_for("reloaded")
    asked.submit("once more")
    answered(asked, "Ready again")
    assert "Rule of the repository: blanks." in told(fake_llm)
    assert "Rule of the repository: tabs." not in json.dumps(fake_llm.bodies()[-1]["messages"][-3:])
    assert "Mended." in json.dumps(fake_llm.bodies()[-1])


@pytest.mark.skipif(sys.platform != "linux", reason="the Linux kernel tells what is opened")
def test_refused_nothing_of_it_is_opened(
    workspace: Workspace, repository: Path, fake_llm: FakeLLM, terminals: ExitStack
) -> None:
    with opened_below(repository / ".pi") as opened:
        terminal = terminals.enter_context(workspace.terminal(workspace.command()))
        terminal.wait_for("Load them?", READY_SECONDS)
        terminal.send("4\r")
        terminal.wait_for("is not trusted", READY_SECONDS)
        fake_llm.push({"text": "Ready now"})
        terminal.submit("hello")
        answered(terminal, "Ready now")
        terminal.submit("/reload")
        terminal.wait_for("reloaded")
        terminal.press("ctrl+d")
        assert terminal.wait_for_exit() == 0
        assert opened.paths() == set()
        (repository / ".pi" / "prompts" / "plan.md").read_text()
        assert opened.paths() == {repository / ".pi" / "prompts" / "plan.md"}
    assert "Rule of the repository" in told(fake_llm)
    assert "house server" not in json.dumps(fake_llm.bodies())
