"""A session handed on from the real program: written as a file, shared through a `gh` that reaches no network."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest

from tests.e2e.conftest import StartPi
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

KEY = "sk-" + "ant-api03-" + "aB3dE6gH9" * 10
ADDRESS = "https://gist.github.com/someone/0123456789abcdef"


def install_gh(workspace: Workspace, folder: Path) -> Path:
    """Puts a `gh` on the program's path that keeps the page it is given."""
    folder.mkdir()
    page = folder / "page.html"
    command = folder / "gh"
    command.write_text(
        f"#!{sys.executable}\nimport shutil, sys\nshutil.copy(sys.argv[-1], {str(page)!r})\nprint({ADDRESS!r})\n"
    )
    command.chmod(0o755)
    workspace.env["PATH"] = f"{folder}{os.pathsep}{workspace.env['PATH']}"
    return page


@pytest.mark.parametrize(("columns", "rows"), [(120, 40), (80, 24)])
def test_secrets_are_told_asked_about_and_masked(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, tmp_path: Path, columns: int, rows: int
) -> None:
    workspace.use(fake_llm)
    page = install_gh(workspace, tmp_path / "gh")
    fake_llm.push({"text": f"You gave me {KEY}."})
    terminal = pi_terminal(columns=columns, rows=rows)
    terminal.submit("remember my key")
    terminal.wait_for("You gave me")
    terminal.submit("/share")
    asked = terminal.wait_for("do not share")
    assert "Anthropic key" in asked and "in answer" in asked
    terminal.send("masked")
    terminal.wait_for(lambda text: "❯  share with these masked" in text)
    terminal.press("enter")
    terminal.wait_for(ADDRESS, 60)
    assert "You gave me [masked]." in page.read_text()
    assert KEY not in page.read_text()
    terminal.submit("/export my talk.md")
    terminal.wait_for("my talk.md")
    terminal.wait_for("The session is in")
    assert f"You gave me {KEY}." in (workspace.project / "my talk.md").read_text()
    terminal.submit("/export my talk.md")
    terminal.wait_for("Replace the file?")
    terminal.send("n")
    terminal.wait_for("nothing was written")
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert terminal.modes.left_on() == []
