"""The screen follows the terminal's size, also in the middle of an answer."""

from __future__ import annotations

from contextlib import ExitStack

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.pseudo_terminal import PATIENCE
from tests.e2e.terminal import Terminal
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal


def resize_and_wait_for_repaint(terminal: Terminal, columns: int, rows: int) -> None:
    before = terminal.written
    terminal.resize(columns, rows)
    terminal.wait_until(lambda: terminal.written > before, PATIENCE, f"repaint at {columns}×{rows}")


def test_resizing_from_large_to_tiny_and_back_while_an_answer_streams(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    wide = "| name | meaning |\n|---|---|\n" + "| a cell | some words in a row of a table |\n" * 4
    code = "```python\n" + "value = [1, 2, 3]  # a comment that is wider than twenty columns\n" * 6 + "```\n"
    text = f"{wide}\n{code}\n{scripts.numbered_lines(150)}\n\nThe very end."
    fake_llm.push({"text": text, "rate": 250}, {"text": "Still here."})
    terminal = pi_terminal(columns=200, rows=60)
    terminal.submit("stream")
    terminal.wait_for(scripts.LATER_ROW)
    for columns, rows in [(20, 5), (200, 60), (20, 5), (121, 40), (20, 5)]:
        resize_and_wait_for_repaint(terminal, columns, rows)
    terminal.resize(200, 60)
    screen = terminal.wait_for(lambda screen: "The very end." in screen and "row 0150" in screen, 60)
    assert "Traceback" not in screen
    wait_until_idle(terminal)
    terminal.submit("still there?")
    terminal.wait_for("Still here.")
    leave(terminal)


def test_a_terminal_of_20_by_5_can_be_typed_in(
    workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "small"})
    terminal = terminals.enter_context(workspace.terminal(workspace.command(), columns=20, rows=5))
    terminal.wait_until(lambda: terminal.modes.alternate_screen, 20, "full screen")
    terminal.send("tiny words")
    terminal.wait_for("tiny words", 20)
    terminal.press("enter")
    terminal.wait_for("small", 30)
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
