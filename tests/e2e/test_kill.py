"""`kill -9` of the whole program at any moment: what had been stored is there, and the run can go on.

What must be stored is judged from the model's side: nothing that a request has told the model may be missing
from the file afterwards.
"""

from __future__ import annotations

import json
import os
import random
import signal
from typing import Any

import pytest

from tests.e2e import scripts
from tests.e2e.conftest import StartPi
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

pytestmark = pytest.mark.pi_terminal

MOMENTS = int(os.environ.get("PI_TEST_KILL_MOMENTS", "5"))
"""How many moments are tried; a longer check sets more."""
BYTES_OF_A_RUN = 60_000
"""About what the client writes from the prompt to the end of the scripted run; moments are drawn from it."""


def script(workspace: Workspace) -> list[scripts.Response]:
    answers = scripts.read_edit_run_answer(workspace.project)
    for number, answer in enumerate(answers):
        answer["text"] = f"answer {number} " + scripts.numbered_lines(12)
        answer["rate"] = 600
    return answers


def told(body: dict[str, Any]) -> list[tuple[str, str]]:
    """What a request told the model, in order: user texts, calls and results by id."""
    facts: list[tuple[str, str]] = []
    for message in body["messages"]:
        match message["role"]:
            case "user":
                content = message["content"]
                facts.append(("user", content if isinstance(content, str) else content[0]["text"]))
            case "assistant":
                facts += [("call", call["id"]) for call in message.get("tool_calls", [])]
            case "tool":
                facts.append(("result", message["tool_call_id"]))
    return facts


def stored(lines: list[bytes]) -> list[tuple[str, str]]:
    """The same facts from the lines of a session file."""
    facts: list[tuple[str, str]] = []
    for line in lines:
        message = json.loads(line).get("message", {})
        match message.get("role"):
            case "user":
                content = message["content"]
                facts.append(("user", content if isinstance(content, str) else content[0]["text"]))
            case "assistant":
                facts += [("call", b["id"]) for b in message["content"] if b["type"] == "toolCall"]
            case "toolResult":
                facts.append(("result", message["toolCallId"]))
    return facts


@pytest.mark.parametrize("moment", range(MOMENTS))
def test_killed_at_any_moment_nothing_stored_is_lost_and_the_run_goes_on(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, moment: int
) -> None:
    workspace.use(fake_llm)
    fake_llm.push(*script(workspace))
    terminal = pi_terminal()
    start = terminal.written
    terminal.submit("do the work")
    after = random.Random(moment).randrange(BYTES_OF_A_RUN)
    terminal.wait_until(
        lambda: terminal.written - start > after or "answer 3" in terminal.screen_text(),
        30,
        "moment to kill at",
    )
    terminal.signal(signal.SIGKILL)
    terminal.wait_for_exit()
    terminal.close()

    files = workspace.session_files()
    requests = fake_llm.bodies()
    if not files:
        assert requests == [], "the model was asked before the prompt was stored"
        return
    before = files[0].read_bytes()
    *whole, torn = before.split(b"\n")
    facts = stored(whole)
    for body in requests:
        asked = told(body)
        assert facts[: len(asked)] == asked

    fake_llm.reset()
    fake_llm.push({"text": "I go on."})
    result = workspace.run("-p", "-c", "go on")
    assert (result.returncode, result.stdout.strip()) == (0, "I go on.")
    assert workspace.session_files() == files
    after_bytes = files[0].read_bytes()
    assert after_bytes.startswith(before)
    (request,) = fake_llm.bodies()
    sent = told(request)
    # Two user messages in a row are sent as one: the first was never answered.
    assert sent[-1][0] == "user"
    assert sent[-1][1].endswith("go on")
    assert [f for f in sent if f[0] == "call"] == [f for f in facts if f[0] == "call"]
    assert all(any(text in said for kind, said in sent if kind == "user") for k, text in facts if k == "user")
    assert all(("result", call) in sent for kind, call in facts if kind == "call")
    assert len(after_bytes[len(before) :].splitlines()) >= 2
    assert torn == b"" or after_bytes[len(before) : len(before) + 1] == b"\n"
