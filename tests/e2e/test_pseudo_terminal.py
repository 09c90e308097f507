"""The instrument itself: what it answers, what it notices, what it shows."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable
from contextlib import ExitStack

import pytest

from tests.e2e.terminal import Terminal
from tests.e2e.terminal_protocol import ScreenSwitch, TerminalProtocol
from tests.e2e.workspace import Workspace


@pytest.fixture
def protocol() -> TerminalProtocol:
    return TerminalProtocol(size=lambda: (80, 24), cursor=lambda: (3, 7), background="fbfaf7")


@pytest.fixture
def python(workspace: Workspace, terminals: ExitStack) -> Callable[[str], Terminal]:
    """Runs a Python program in a terminal."""
    return lambda code: terminals.enter_context(workspace.terminal([sys.executable, "-c", code]))


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        (b"\x1b[c", b"\x1b[?62;22c"),
        (b"\x1b[6n", b"\x1b[3;7R"),
        (b"\x1b[?2026$p", b"\x1b[?2026;2$y"),
        (b"\x1b[?2048$p", b"\x1b[?2048;0$y"),
        (b"\x1b[?u", b"\x1b[?0u"),
        (b"\x1b]11;?\x1b\\", b"\x1b]11;rgb:fbfb/fafa/f7f7\x1b\\"),
        (b"\x1b]11;?\x07", b"\x1b]11;rgb:fbfb/fafa/f7f7\x1b\\"),
        (b"\x1b[18t", b"\x1b[8;24;80t"),
        (b"\x1b]0;a title\x07", b""),
    ],
)
def test_questions_are_answered_also_when_they_come_in_pieces(
    protocol: TerminalProtocol, question: bytes, answer: bytes
) -> None:
    answers = [protocol.feed(question[i : i + 1])[1] for i in range(len(question))]
    assert b"".join(answers) == answer


def test_what_is_left_on_is_named(protocol: TerminalProtocol) -> None:
    protocol.feed(b"\x1b[?1049h\x1b[?1006h\x1b[?25l\x1b[>25u\x1b[>4;2m")
    assert protocol.modes.left_on() == [
        "alternate screen (?1049)",
        "mouse reporting (?1006)",
        "cursor hidden",
        "kitty keyboard (depth 1)",
        "modifyOtherKeys 2",
    ]
    protocol.feed(b"\x1b[<u\x1b[?1049l\x1b[?1006l\x1b[?25h\x1b[>4m")
    assert protocol.modes.left_on() == []


def test_a_screen_switch_keeps_its_place_between_cells(protocol: TerminalProtocol) -> None:
    cells, _ = protocol.feed(b"before\x1b[?1049hinside\x1b[?1049lafter")
    assert cells == [b"before", ScreenSwitch.ALTERNATE, b"inside", ScreenSwitch.MAIN, b"after"]


def test_the_program_has_a_controlling_terminal_of_the_given_size(
    workspace: Workspace, terminals: ExitStack
) -> None:
    terminal = terminals.enter_context(workspace.terminal(["bash", "--norc", "-i"], columns=61, rows=9))
    terminal.send("stty size < /dev/tty; pwd\r")
    terminal.wait_for("9 61")
    terminal.wait_for(str(workspace.project)[:40])
    terminal.resize(90, 12)
    terminal.send("stty size\r")
    terminal.wait_for("12 90")


def test_status_tells_exit_codes_from_signals(python: Callable[[str], Terminal]) -> None:
    assert python("raise SystemExit(3)").wait_for_exit() == 3
    terminal = python("print('up', flush=True); input()")
    terminal.wait_for("up")
    terminal.signal(signal.SIGKILL)
    assert terminal.wait_for_exit() == -signal.SIGKILL


def test_leaving_the_alternate_screen_shows_what_was_there_before(python: Callable[[str], Terminal]) -> None:
    terminal = python(
        "print('first'); print('\\x1b[?1049hsecond', end='', flush=True); input(); print('\\x1b[?1049l')"
    )
    terminal.wait_for("second")
    assert "first" not in terminal.screen_text()
    terminal.press("enter")
    terminal.wait_for_exit()
    assert "first" in terminal.screen_text()
    assert "second" not in terminal.screen_text()


def test_a_frame_is_seen_whole_or_not_at_all(python: Callable[[str], Terminal]) -> None:
    terminal = python(
        "print('old\\x1b[?2026h\\x1b[2Jhalf', flush=True); input(); print('whole\\x1b[?2026l', flush=True); input()"
    )
    terminal.wait_for_output("half")
    assert "old" in terminal.screen_text()
    assert "half" not in terminal.screen_text()
    terminal.press("enter")
    assert "half" in terminal.wait_for("whole")


def test_a_program_that_ends_within_a_frame_shows_what_it_drew(python: Callable[[str], Terminal]) -> None:
    terminal = python("print('\\x1b[?2026hlast words')")
    terminal.wait_for_exit()
    assert "last words" in terminal.screen_text()


def test_escapes_let_through_are_seen(python: Callable[[str], Terminal]) -> None:
    terminal = python(r"print('\x1b[31mred\x1b[0m \x1b]52;c;QQ==\x07 \x00 \x9b')")
    terminal.wait_for_exit()
    assert terminal.sequences() == {"CSI m": 2, "OSC 52": 1}
    assert terminal.foreign_controls() == {b"\x00", b"\xc2\x9b"}


def test_waiting_for_output_tells_when_it_came(python: Callable[[str], Terminal]) -> None:
    terminal = python("print('one', flush=True); input(); print('two')")
    one = terminal.wait_for_output("one")
    mark = terminal.written
    terminal.send("one\r")
    assert terminal.started < one < terminal.wait_for_output("two", since=mark)


def test_a_wait_fails_with_the_screen_once_the_program_has_left(python: Callable[[str], Terminal]) -> None:
    with pytest.raises(TimeoutError, match=r"(?s)'never' \(the program left with 0\).*\|goodbye"):
        python("print('goodbye')").wait_for("never", timeout=60)
