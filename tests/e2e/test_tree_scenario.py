"""Ten turns in the wrong direction, back to the wrong sentence, and a new branch from there."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.e2e.conftest import StartPi
from tests.e2e.terminal import Terminal
from tests.e2e.waiting import leave, wait_until_idle
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

TURNS = 10
WRONG = "step 3 goes wrong"
RIGHT = "step 3 goes right"
LABEL = "turning point"
PLACE = re.compile(r" (\d+)/\d+$", re.MULTILINE)
COLUMNS = 100
"""Too few for the preview, which would have the same words."""


def prompt_of(turn: int) -> str:
    return WRONG if turn == 3 else f"step {turn} goes on"


def open_tree(terminal: Terminal) -> str:
    wait_until_idle(terminal)
    terminal.press("escape")
    terminal.press("escape")
    return terminal.wait_for("Session tree")


def select(terminal: Terminal, text: str) -> None:
    """Goes up, a row at a time, until the selected row has a text in it."""
    chosen = re.compile(rf"^❯.*{re.escape(text)}", re.MULTILINE)
    found = PLACE.search(terminal.wait_for(PLACE))
    assert found is not None
    for place in range(int(found[1]), 0, -1):
        screen = terminal.wait_for(
            lambda screen, place=place: f" {place}/" in screen and "\n❯" in screen  # type: ignore[misc]
        )
        if chosen.search(screen):
            return
        terminal.press("up")
    raise AssertionError(f"no row with {text!r}:\n{terminal.describe()}")


def sent(body: dict[str, Any]) -> str:
    return json.dumps([one for one in body["messages"] if one["role"] != "system"])


def path_to(entries: list[dict[str, Any]], leaf: str) -> list[str]:
    parents = {entry["id"]: entry["parentId"] for entry in entries}
    path = [leaf]
    while (above := parents[path[-1]]) is not None:
        path.append(above)
    return path


def test_a_wrong_sentence_is_written_anew_and_nothing_is_lost(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    terminal = pi_terminal(columns=COLUMNS)
    for turn in range(1, TURNS + 1):
        fake_llm.push({"text": f"answer number {turn}."})
        terminal.submit(prompt_of(turn))
        terminal.wait_for(f"answer number {turn}.", 30)
        wait_until_idle(terminal)
    before = workspace.session_file().read_bytes()

    open_tree(terminal)
    select(terminal, WRONG)
    terminal.press("enter")
    terminal.wait_for("No summary")
    terminal.press("enter")
    terminal.wait_for(lambda screen: WRONG in screen and "answer number 3." not in screen)
    terminal.press("ctrl+w")
    terminal.wait_for(lambda screen: "step 3 goes" in screen and WRONG not in screen)
    fake_llm.push({"text": "That is better."})
    terminal.send("right")
    terminal.wait_for(RIGHT)
    terminal.press("enter")
    terminal.wait_for("That is better.", 30)

    request = sent(fake_llm.bodies()[-1])
    assert [prompt_of(turn) in request for turn in range(1, TURNS + 1)] == [True, True] + [False] * 8
    assert RIGHT in request
    assert workspace.session_file().read_bytes().startswith(before)
    messages = {
        entry["id"]: json.dumps(entry["message"]["content"])
        for entry in workspace.entries()
        if entry["type"] == "message"
    }
    (wrong,) = [one for one, content in messages.items() if WRONG in content]
    (right,) = [one for one, content in messages.items() if RIGHT in content]
    (last,) = [one for one, content in messages.items() if f"answer number {TURNS}." in content]
    assert wrong in path_to(workspace.entries(), last)
    assert wrong not in path_to(workspace.entries(), right)

    open_tree(terminal)
    terminal.wait_for(re.compile(r"├─▾ user: step 3 goes right.*└─▾ user: step 3 goes wrong", re.DOTALL))
    select(terminal, RIGHT)
    terminal.send("L")
    terminal.wait_for("Label of this entry")
    terminal.submit(LABEL)
    terminal.wait_for(f"[{LABEL}] user: {RIGHT}")
    select(terminal, "answer number 2.")
    terminal.press("enter")
    terminal.wait_for("No summary")
    terminal.press("enter")
    terminal.wait_for(lambda screen: "answer number 2." in screen and RIGHT not in screen)
    leave(terminal)

    *_, label, position = workspace.entries()
    assert (label["type"], label["targetId"], label["label"]) == ("label", right, LABEL)
    (second,) = [one for one, content in messages.items() if "answer number 2." in content]
    assert (position["customType"], position["parentId"]) == ("pi.position", second)

    terminal = pi_terminal("-c", columns=COLUMNS)
    terminal.wait_for(
        lambda screen: (
            "answer number 2." in screen
            and not any(text in screen for text in (RIGHT, WRONG, "answer number 3."))
        )
    )
    open_tree(terminal)
    terminal.wait_for(re.compile(r"● assistant: answer number 2\..*here"))
    terminal.wait_for(f"[{LABEL}]")
    terminal.press("escape")
    terminal.wait_for(lambda screen: "Session tree" not in screen)
    fake_llm.push({"text": "On we go."})
    terminal.submit("step 4 another way")
    terminal.wait_for("On we go.", 30)
    assert RIGHT not in sent(fake_llm.bodies()[-1])
    leave(terminal)


def test_a_run_goes_on_while_the_tree_is_read(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm)
    fake_llm.push({"text": "first answer."}, {"text": "slowly " * 8_000, "rate": 20})
    terminal = pi_terminal(columns=COLUMNS)
    terminal.submit("first question")
    terminal.wait_for("first answer.", 30)
    terminal.submit("second question")
    terminal.wait_for("slowly", 30)
    terminal.submit("/tree")
    terminal.wait_for("Session tree")
    select(terminal, "first question")
    terminal.press("enter")
    terminal.wait_for("A run is going")
    terminal.send("n")
    terminal.wait_for(lambda screen: "A run is going" not in screen)
    assert [message["role"] for message in workspace.messages()] == ["user", "assistant", "user"]
    terminal.press("enter")
    terminal.wait_for("A run is going")
    terminal.send("y")
    terminal.wait_for("No summary")
    terminal.press("enter")
    terminal.wait_for(lambda screen: "Session tree" not in screen and "slowly" not in screen)
    roles = [message["role"] for message in workspace.messages()]
    assert roles == ["user", "assistant", "user", "assistant"]
    assert workspace.messages()[-1]["stopReason"] == "aborted"
    terminal.press("ctrl+c")
    leave(terminal)
