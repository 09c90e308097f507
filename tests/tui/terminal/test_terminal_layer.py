"""The terminal layer in a real pseudo-terminal."""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path

import pytest

from tests.e2e.terminal import Terminal

ROOT = Path(__file__).parents[3]
APP = [sys.executable, str(Path(__file__).parent / "small_app.py")]
SHELL_STATE = {"echo": True, "canonical": True, "signals": True, "cr to nl": True}


class Starter:
    def __init__(self, stack: ExitStack, home: Path) -> None:
        self._stack = stack
        self._environment = {
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "TERM": "xterm-256color",
            "LANG": "C.UTF-8",
            "PYTHONPATH": str(ROOT),
            "PS1": "shell> ",
            "BASH_SILENCE_DEPRECATION_WARNING": "1",
        }

    def __call__(self, command: list[str] = APP, **options: object) -> Terminal:
        terminal = Terminal(command, columns=80, rows=24, cwd=ROOT, env=self._environment, **options)
        return self._stack.enter_context(terminal)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Starter]:
    with ExitStack() as stack:
        yield Starter(stack, tmp_path)


def assert_given_back(terminal: Terminal) -> None:
    assert terminal.modes.left_on() == []
    assert terminal.line_discipline() == SHELL_STATE


@pytest.mark.parametrize("kitty", [True, False], ids=["kitty", "xterm"])
def test_keys_that_terminals_send_differently_arrive_alike(start: Starter, kitty: bool):
    terminal = start(kitty_keyboard=kitty)
    terminal.wait_for(f"kitty={kitty}")
    for key in ("shift+enter", "alt+enter", "ctrl+j", "alt+up", "escape"):
        terminal.press(key)
        terminal.wait_for(f"key {key}.")
    terminal.send("\x11" if not kitty else "\x1b[113;5u")
    assert terminal.wait_for_exit() == 0
    assert_given_back(terminal)


def test_what_is_typed_during_the_start_is_not_lost(start: Starter):
    terminal = start(background="ffffff")
    terminal.send("hi")
    terminal.wait_for("background=(255, 255, 255)")
    terminal.wait_for("key h.\nkey i.")
    assert "]11;" not in terminal.screen_text()


@pytest.mark.parametrize(
    ("way", "status"),
    [
        ("\x11", 0),
        ("\x1b[20~", 1),
        ("\x1b[21~", 7),
        (signal.SIGTERM, 143),
        (signal.SIGHUP, 129),
        (signal.SIGINT, 130),
    ],
    ids=["leave", "crash", "sys.exit", "SIGTERM", "SIGHUP", "SIGINT"],
)
def test_the_terminal_is_given_back_however_the_program_ends(start: Starter, way, status):
    terminal = start()
    terminal.wait_for("ready")
    assert terminal.modes.alternate_screen
    if isinstance(way, str):
        terminal.send(way)
    else:
        terminal.signal(way)
    assert terminal.wait_for_exit() == status
    assert_given_back(terminal)


def test_the_program_ends_when_its_terminal_does(start: Starter):
    terminal = start()
    terminal.wait_for("ready")
    terminal.hang_up()
    terminal.wait_for_exit()


def test_ctrl_z_gives_the_terminal_to_the_shell_and_fg_takes_it_again(start: Starter):
    terminal = start(["bash", "--norc", "--noprofile", "--noediting", "-i"])
    terminal.wait_for("shell>")
    terminal.send(" ".join(APP) + "\r")
    terminal.wait_for("ready")
    for _ in range(2):
        terminal.send("\x1a")
        terminal.wait_for("Stopped")
        terminal.wait_until(lambda: not terminal.modes.alternate_screen, 5, "main screen")
        assert terminal.modes.left_on() == []
        terminal.send("stty -a\r")
        terminal.wait_for(" icanon")
        terminal.send("fg\r")
        terminal.wait_until(lambda: terminal.modes.alternate_screen, 5, "alternate screen")
        terminal.wait_for("ready")
        terminal.press("shift+enter")
        terminal.wait_for("key shift+enter.")
        assert {1003, 2004} <= set(terminal.modes.private)
    terminal.send("\x11")
    terminal.wait_until(lambda: not terminal.modes.alternate_screen, 5, "main screen")


def test_bg_leaves_the_terminal_to_the_shell(start: Starter):
    terminal = start(["bash", "--norc", "--noprofile", "--noediting", "-i"])
    terminal.wait_for("shell>")
    terminal.send(" ".join(APP) + "\r")
    terminal.wait_for("ready")
    terminal.send("\x1a")
    terminal.wait_for("Stopped")
    terminal.send("bg\r")
    terminal.send("echo $((40+2))-here\r")
    terminal.wait_for("42-here")
    assert terminal.modes.left_on() == []
    terminal.send("fg\r")
    terminal.wait_for("ready")
    terminal.press("alt+up")
    terminal.wait_for("key alt+up.")


def test_modes_are_asserted_again_when_the_focus_comes_back(start: Starter):
    terminal = start()
    terminal.wait_for("ready")
    before = terminal.written
    terminal.send("\x1b[I")
    terminal.wait_for("focus True.")
    terminal.wait_for_output("\x1b[?2004h", since=before)


def test_a_change_of_the_colour_scheme_is_told(start: Starter):
    terminal = start()
    terminal.wait_for("ready")
    terminal.send("\x1b[?997;2n")
    terminal.wait_for("appearance light.")
