"""Searching the conversation, with the keys a real terminal sends."""

from __future__ import annotations

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

F3 = "\x1bOR"
CTRL_SHIFT_F = "\x1b[102;6u"
"""As terminals with the kitty protocol send it."""


@pytest.mark.parametrize("key", [F3, CTRL_SHIFT_F], ids=["F3", "Ctrl+Shift+F"])
def test_an_early_row_is_found_and_escape_comes_back(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, key: str
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": scripts.numbered_lines(200)})
    terminal = pi_terminal(kitty_keyboard=key == CTRL_SHIFT_F)
    terminal.submit("count")
    terminal.wait_for("row 0200")
    wait_until_idle(terminal)
    terminal.send(key)
    terminal.wait_for("back to where you were")
    terminal.send("row 0003")
    terminal.wait_for(lambda screen: "1 of 1" in screen and "row 0004" in screen)
    terminal.press("escape")
    terminal.wait_for(lambda screen: "Find" not in screen and "row 0200" in screen)
    leave(terminal)
