"""Options about resources, in the real program."""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.workspace import READY_SECONDS, Workspace
from tests.support.fakellm import FakeLLM

THEMES = Path(__file__).parents[2] / "themes"


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill(folder: Path, name: str) -> Path:
    return write(folder / name / "SKILL.md", f"---\nname: {name}\ndescription: Does {name}.\n---\nBody.\n")


@pytest.fixture
def home(workspace: Workspace, fake_llm: FakeLLM) -> Path:
    workspace.use(fake_llm)
    write(workspace.agent_dir / "AGENTS.md", "The user's rule.")
    write(workspace.agent_dir / "prompts" / "ask.md", "Asked: $1")
    skill(workspace.agent_dir / "skills", "mine")
    write(workspace.project / "more" / "told.md", "Told: $1")
    skill(workspace.project / "more", "named")
    return workspace.home


def sent(fake_llm: FakeLLM) -> tuple[str, str]:
    """System prompt and user message of the last request."""
    first, *_, last = fake_llm.bodies()[-1]["messages"]
    return str(first["content"]), json.dumps(last["content"])


def test_without_options_what_is_found_is_loaded(home: Path, workspace: Workspace, fake_llm: FakeLLM) -> None:
    assert workspace.run("-p", "/ask x").returncode == 0
    prompt, asked = sent(fake_llm)
    assert all(text in prompt for text in ("You are pi", "Does mine.", "pi-sessions", "The user's rule."))
    assert "Asked: x" in asked


def test_options_leave_out_what_is_found_and_load_what_they_name(
    home: Path, workspace: Workspace, fake_llm: FakeLLM
) -> None:
    without = ("-ns", "-np", "-nc", "--no-themes")
    named = ("--skill", "more", "--prompt-template", "more", "--append-system-prompt", "Mind the gap.")
    result = workspace.run("-p", *without, *named, "--system-prompt", "You are a parrot.", "/told x")
    assert result.returncode == 0
    prompt, asked = sent(fake_llm)
    assert all(text in prompt for text in ("You are a parrot.", "Does named.", "Mind the gap."))
    assert not any(text in prompt for text in ("You are pi", "Does mine.", "pi-sessions", "The user's rule."))
    assert "Told: x" in asked


def test_what_options_name_comes_on_top_and_what_is_not_there_is_named(
    home: Path, workspace: Workspace, fake_llm: FakeLLM
) -> None:
    named = ("--skill", "more/named/SKILL.md", "--skill", "nowhere", "--prompt-template", "no-file.md")
    result = workspace.run("-p", *named, "/ask x")
    assert result.returncode == 0
    prompt, asked = sent(fake_llm)
    assert all(text in prompt for text in ("Does named.", "Does mine.", "pi-sessions"))
    assert "Asked: x" in asked
    assert f"{workspace.project}/nowhere: is not there: no skill is loaded from it" in result.stderr
    assert f"{workspace.project}/no-file.md: is not there: no template is loaded from it" in result.stderr


def test_a_theme_of_an_option_is_used_and_the_users_are_left_out(
    home: Path, workspace: Workspace, terminals: ExitStack
) -> None:
    dark = (THEMES / "dark.json").read_text()
    accent = '"accent": "#52d0c6"'
    assert accent in dark
    for name, folder in (("harbour", workspace.project), ("mine", workspace.agent_dir / "themes")):
        text = dark.replace('"name": "dark"', f'"name": "{name}"').replace(accent, '"accent": "#123456"')
        write(folder / f"{name}.json", text)
    command = workspace.command("--no-themes", "--theme", "harbour.json", "--use-theme", "harbour")
    terminal = terminals.enter_context(workspace.terminal(command))
    terminal.wait_for("~/project", READY_SECONDS)
    terminal.wait_until(
        lambda: any(cell.fg == "123456" for row in terminal.screen_cells() for cell in row), 10, "its accent"
    )
    terminal.submit("/theme")
    screen = terminal.wait_for("high-contrast")
    assert "harbour" in screen
    assert "mine" not in screen.partition("Theme")[2]
