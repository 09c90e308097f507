"""Terminals without colours, with few of them, without Unicode, and without a screen."""

from contextlib import ExitStack

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

ANSWER = "# Title\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n- point\n\n```python\nreturn 1\n```\n"
ANSI = {"default", "black", "red", "green", "brown", "blue", "magenta", "cyan", "white"}


@pytest.fixture
def start(workspace: Workspace, fake_llm: FakeLLM, terminals: ExitStack):
    workspace.use(fake_llm)
    fake_llm.push({"text": ANSWER})

    def start(**env: str) -> Terminal:
        without = {"COLORTERM": ""}
        terminal = workspace.terminal(workspace.command(), env=without | env)
        terminals.enter_context(terminal)
        terminal.wait_for("~/project", 20)
        terminal.submit("hello")
        terminal.wait_for("return 1", 20)
        return terminal

    return start


def inks(terminal: Terminal) -> set[str]:
    return {colour for row in terminal.screen_cells() for cell in row for colour in (cell.fg, cell.bg)}


def reversed_text(terminal: Terminal) -> str:
    rows = terminal.screen_cells()
    return "\n".join("".join(cell.data for cell in row if cell.reverse) for row in rows)


def test_without_colours_what_is_chosen_is_reversed(start) -> None:
    terminal = start(NO_COLOR="1", COLORTERM="truecolor")
    terminal.submit("/theme")
    terminal.wait_for("high-contrast")
    terminal.wait_until(lambda: "system" in reversed_text(terminal), 10, "the chosen theme reversed")
    assert inks(terminal) == {"default"}
    terminal.press("escape")


def test_with_256_colours_the_theme_keeps_its_hues(start) -> None:
    terminal = start(TERM="xterm-256color")
    assert len(inks(terminal)) > 5


def test_with_16_colours_the_terminals_own_are_used(start) -> None:
    terminal = start(TERM="vt100", LANG="C.UTF-8")
    assert inks(terminal) <= ANSI
    assert len(inks(terminal)) > 2


def test_without_unicode_all_is_ascii(start) -> None:
    terminal = start(TERM="vt100", LANG="C", LC_ALL="C")
    screen = terminal.screen_text()
    assert screen.isascii()
    assert "* point" in screen
    assert "-" * 20 in screen


def test_a_terminal_without_a_screen_gets_print_mode(workspace: Workspace, terminals: ExitStack) -> None:
    terminal = workspace.terminal(
        workspace.command("--demo", "hello"), env={"TERM": "dumb", "PI_DEMO_SPEED": "inf"}
    )
    terminals.enter_context(terminal)
    assert terminal.wait_for_exit(20) == 0
    assert not terminal.modes.alternate_screen


def test_and_is_told_so_without_a_prompt(workspace: Workspace, terminals: ExitStack) -> None:
    terminal = workspace.terminal(workspace.command("--demo"), env={"TERM": "dumb"})
    terminals.enter_context(terminal)
    assert terminal.wait_for_exit(20) == 2
    assert "TERM=dumb" in terminal.screen_text()
