"""Esc at random moments of random tool runs: nothing is left running, and both wires take what comes next."""

import asyncio
import os
import random
from pathlib import Path
from typing import Any

import pytest

from pi_tui.agent.tools import limits, live_commands, process_tree
from pi_tui.runtime.session import Session
from tests.support.fakellm import FakeLLM
from tests.support.live_session import WIRES, open_live, use

ROUNDS = int(os.environ.get("PI_TEST_ABORTS", "40"))
ROUNDS_PER_SESSION = 10
LATEST_MOMENT = 0.25
"""Seconds after the prompt; by then every kind of call has been under way."""

COMMANDS = (
    "echo begun; sleep 30",
    "sleep 30 & sleep 30",
    "trap '' TERM; echo stubborn; sleep 30; sleep 30",
    "setsid sleep 30 & (sleep 30 &) ; sleep 30",
    "yes | head -c 3000000",
    "seq 20000; sleep 30",
    "nohup sleep 30 > /dev/null 2>&1 & wait",
    "printf 'half a line'; exit 3",
    "cat",
)


def random_calls(chance: random.Random) -> list[dict[str, Any]]:
    kinds: list[dict[str, Any]] = [
        {"name": "bash", "arguments": {"command": chance.choice(COMMANDS)}},
        {"name": "bash", "arguments": {"command": chance.choice(COMMANDS), "timeout": 0.1}},
        {"name": "read", "arguments": {"path": "large.txt", "offset": 1_000}},
        {"name": "edit", "arguments": {"path": "small.txt", "oldText": "one", "newText": "one"}},
        {"name": "write", "arguments": {"path": f"new/{chance.random()}", "content": "x" * 10_000}},
        {"name": "grep", "arguments": {"pattern": "line 9+$"}},
        {"name": "find", "arguments": {"pattern": "*.txt"}},
        {"name": "ls", "arguments": {}},
        {"name": "nosuch", "arguments": {}},
        {"name": "read", "arguments_raw": '{"path": "sm'},
    ]
    return chance.choices(kinds, k=chance.randint(1, 5))


@pytest.fixture
def marks(monkeypatch: pytest.MonkeyPatch) -> set[str]:
    """The marks of this test's commands; those of tests beside it are none of ours."""
    made: set[str] = set()
    new_mark = live_commands.new_mark

    def remembered() -> str:
        mark = new_mark()
        made.add(mark)
        return mark

    monkeypatch.setattr(live_commands, "new_mark", remembered)
    return made


def children(marks: set[str]) -> set[int]:
    """What runs below this process or has the mark of one of its commands, but for the guardian."""
    guardian = live_commands._guardian
    own = {guardian._process.pid} if guardian is not None and guardian._process is not None else set()
    everything = process_tree.processes()
    below = {pid for pid, process in everything.items() if process.parent == os.getpid()}
    marked = {pid for pid in everything if process_tree.mark_of(pid) in marks}
    return (below | marked) - own - {os.getpid()}


async def abort_at(session: Session, seconds: float) -> None:
    running = asyncio.create_task(session.prompt("Do the work."))
    moment = asyncio.get_running_loop().call_later(seconds, session.abort)
    await running
    moment.cancel()


@pytest.mark.parametrize("first", range(0, ROUNDS, ROUNDS_PER_SESSION))
async def test_nothing_is_left_and_both_wires_go_on(
    fake_llm: FakeLLM, tmp_path: Path, first: int, monkeypatch: pytest.MonkeyPatch, marks: set[str]
) -> None:
    monkeypatch.setattr(limits, "KILL_GRACE_SECONDS", 0.1)
    (tmp_path / "large.txt").write_text("".join(f"line {n}\n" for n in range(200_000)))
    (tmp_path / "small.txt").write_text("one\n")
    before = children(marks)
    session = open_live(
        fake_llm, tmp_path, defaultTools=["read", "bash", "edit", "write", "grep", "find", "ls"]
    )
    for number in range(first, first + ROUNDS_PER_SESSION):
        chance = random.Random(number)
        use(session, chance.choice(list(WIRES)))
        fake_llm.script(
            [
                {
                    "text": "I begin. " * 20,
                    "rate": chance.choice((0, 400)),
                    "tool_calls": random_calls(chance),
                },
                {"text": "And more.", "tool_calls": random_calls(chance)},
                {"text": "Done."},
            ]
        )
        await abort_at(session, chance.uniform(0, LATEST_MOMENT))
        assert children(marks) - before == set()
        for provider in WIRES:
            use(session, provider)
            fake_llm.script([{"text": "I go on."}])
            await session.prompt("Go on.")
            answer = session.last_assistant()
            assert answer is not None
            assert (answer.stop_reason, answer.text) == ("stop", "I go on."), answer.error_message
    assert (tmp_path / "small.txt").read_text() == "one\n"
    session.close()
