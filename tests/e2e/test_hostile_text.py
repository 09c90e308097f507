"""Text from tools, models and files can do nothing to the terminal."""

from __future__ import annotations

import re

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.terminal import Terminal
from tests.e2e.waiting import wait_until_idle
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

ESCAPES = (
    "\x1b]0;INJECTED\x07\x1b]2;INJECTED\x1b\\\x1b]52;c;SU5KRUNURUQ=\x07\x1b]8;;file:///INJECTED\x1b\\link\x1b]8;;\x1b\\"
    "\x1b[?1049l\x1b[?25h\x1b[2J\x1b[H\x1b[?1000l\x1b[>4;2m\x1b[20;3t\x1b[5n\x1bPINJECTED\x1b\\\x1b_INJECTED\x1b\\"
    "\x1b[31mred\x1b[0m \x1bc\x1b#8 \x9b2J\x9d0;INJECTED\x9c\x07\x08\x0b\x0c\x0e\x0f\x7f\x05"
)
MARKUP = "[/markup] [bold [red]not a tag[/] [link=file:///x]y[/link] [@click=app.quit]q[/] {braces} %s \\["
LETTERS = "日本語テキスト 中文 한국어 e\u0301 👩‍👩‍👧‍👦 🇪🇺 👍🏽 \u202eabc\u202c \ufeff\u200b ﷽ ก็็็็็็ \ud7ff"
LONG_LINE = "x" * 100_000
HOSTILE = "\n".join([ESCAPES, MARKUP, LETTERS, "a\x00b\x00c", "50%\r100%\rdone", LONG_LINE, "end-of-hostile"])

HARMLESS = {"CSI m", "CSI H", "CSI K", "OSC 8", "CSI ?h", "CSI ?l"}


def check_nothing_leaked(terminal: Terminal, sequences_before: set[str]) -> None:
    assert set(terminal.sequences()) - sequences_before <= HARMLESS
    assert terminal.foreign_controls() == set()
    assert re.findall(rb"\x1b[\]P_^][^\x07\x1b]*(?:INJECTED|SU5KRUNURUQ)", terminal.raw) == []
    assert b"\x1b[2J" not in terminal.raw
    assert terminal.modes.alternate_screen
    assert 25 not in terminal.modes.private or terminal.modes.alternate_screen


def check_alive(terminal: Terminal) -> None:
    wait_until_idle(terminal)
    terminal.send("ok-to-type")
    terminal.wait_for("ok-to-type")
    terminal.press("ctrl+c")
    terminal.wait_for(lambda screen: "ok-to-type" not in screen)
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
    assert terminal.modes.left_on() == []


@pytest.mark.parametrize("expanded", [False, True], ids=["collapsed", "expanded"])
def test_tool_output_with_escapes_markup_nuls_and_endless_lines(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, expanded: bool
) -> None:
    workspace.use(fake_llm)
    (workspace.project / "hostile").write_bytes(HOSTILE.encode() + b"\xff\xfe not UTF-8\n")
    fake_llm.push(
        scripts.call("bash", command="cat hostile"),
        scripts.call("bash", command="cat hostile; exit 3"),
        scripts.call("read", path="hostile"),
        scripts.call("edit", path="hostile", edits=[{"oldText": MARKUP, "newText": f"{MARKUP}{ESCAPES}"}]),
        {"text": "All of it was shown."},
    )
    terminal = pi_terminal()
    before = set(terminal.sequences())
    if expanded:
        terminal.press("ctrl+o")
    terminal.submit("show me")
    screen = terminal.wait_for("All of it was shown.", 40)
    assert "Traceback" not in screen
    for _ in range(3):
        terminal.press("pageup")
    terminal.press("ctrl+o")
    check_nothing_leaked(terminal, before)
    check_alive(terminal)


def test_a_model_whose_words_thoughts_and_arguments_are_hostile(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm, reasoning=True)
    hostile = HOSTILE.replace("\x00", "")
    fake_llm.push(
        {
            "thinking": hostile,
            "text": f"{hostile}\n\n```python\n{hostile}\n```\n\n[{MARKUP}](javascript:alert(1))",
            "tool_calls": [{"name": "bash", "arguments": {"command": f"true '{ESCAPES}{MARKUP}{LETTERS}'"}}],
            "chunk": 4096,
        },
        {"text": "That was all."},
    )
    terminal = pi_terminal()
    before = set(terminal.sequences())
    terminal.submit("go")
    terminal.wait_for("That was all.", 40)
    check_nothing_leaked(terminal, before)
    check_alive(terminal)


def test_a_pasted_prompt_with_escapes_is_sent_as_one_message(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "Understood."})
    terminal = pi_terminal()
    before = set(terminal.sequences())
    pasted = "\n".join(f"line {number} [/markup] \x1b[2J {LETTERS[:9]}" for number in range(40))
    terminal.paste(pasted)
    terminal.wait_for(re.compile(r"\[paste #1 \+\d+ lines\]"))
    terminal.press("enter")
    terminal.wait_for("Understood.", 30)
    (sent,) = [m for m in fake_llm.bodies()[-1]["messages"] if m["role"] == "user"]
    text = sent["content"] if isinstance(sent["content"], str) else sent["content"][0]["text"]
    assert [line.split(" [")[0] for line in text.splitlines()] == [f"line {number}" for number in range(40)]
    check_nothing_leaked(terminal, before)
    check_alive(terminal)


def test_hostile_names_of_folders_and_branches_stay_text_in_the_footer(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    workspace.project = workspace.project / "[red]x[@click=app.quit]y"
    workspace.project.mkdir()
    workspace.run_shell("git init -q -b 'wip]{x}&%s<b>' .")
    terminal = pi_terminal()
    assert "[red]x[@click=app.quit]y" in terminal.screen_text()
    terminal.wait_for("wip]{x}&%s<b>")
    check_alive(terminal)
