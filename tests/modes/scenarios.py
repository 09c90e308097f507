"""Ten things that happen in a session, told by every front end in the same way.

A scenario is a script for the model server and what a user does; `Driver` does it through one front end.
"""

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Protocol

from tests.support.fakellm.markdown import markdown

SUMMARISES = {"when": {"system_contains": "write summaries of conversations"}, "text": "They built a kite."}
HANGS = {"text": "half of it and never more", "chunk": 4, "hang_after": 2, "hang": 60}


class Driver(Protocol):
    """What a user can do, whatever the front end."""

    async def prompt(self, text: str) -> None:
        """Sends a prompt and returns while it is being worked on."""

    async def steer(self, text: str) -> None: ...
    async def follow_up(self, text: str) -> None: ...
    async def abort(self) -> None: ...
    async def compact(self) -> None: ...
    async def bash(self, command: str) -> None: ...
    async def told(self, kind: str, count: int = 1) -> None:
        """Returns when so many events of a kind have been told."""


Deeds = Callable[[Driver, Path], Awaitable[None]]


class Scenario(NamedTuple):
    name: str
    script: Any
    deeds: Deeds
    settings: Mapping[str, Any] = MappingProxyType({})
    window: int = 200_000
    must_tell: tuple[str, ...] = ()
    """Kinds without which the scenario was not what it is meant to be."""


async def _one_prompt(driver: Driver, _: Path) -> None:
    await driver.prompt("go")
    await driver.told("agent_settled")


async def _abort(driver: Driver, _: Path) -> None:
    await driver.prompt("go")
    await driver.told("message_update")
    await driver.abort()
    await driver.told("agent_settled")


async def _steer(driver: Driver, cwd: Path) -> None:
    await driver.prompt("go")
    await driver.told("tool_execution_start")
    await driver.steer("left")
    await driver.told("queue_update")
    (cwd / "go").touch()
    await driver.told("agent_settled")


async def _queue(driver: Driver, cwd: Path) -> None:
    await driver.prompt("go")
    await driver.told("tool_execution_start")
    await driver.follow_up("then this")
    await driver.follow_up("then that")
    await driver.told("queue_update", 2)
    (cwd / "go").touch()
    await driver.told("agent_settled")


async def _compact(driver: Driver, _: Path) -> None:
    for number in range(3):
        await driver.prompt(f"number {number}")
        await driver.told("agent_settled", number + 1)
    await driver.compact()
    await driver.told("agent_settled", 4)


async def _overflow(driver: Driver, _: Path) -> None:
    for number in range(3):
        await driver.prompt(f"number {number}")
        await driver.told("agent_settled", number + 1)


async def _bash(driver: Driver, _: Path) -> None:
    await driver.bash("echo one; sleep 0.3; echo two")
    await driver.told("bash_execution_end")
    await driver.prompt("what was it?")
    await driver.told("agent_settled")


def _call(command: str) -> dict[str, Any]:
    return {"name": "bash", "arguments": {"command": command}}


WAITS = _call("while [ ! -e go ]; do sleep 0.02; done")
LONG = markdown(1_000)

SCENARIOS = [
    Scenario(
        "text", [{"thinking": "hm", "text": "The kite is red."}], _one_prompt, must_tell=("message_update",)
    ),
    Scenario(
        "tools in parallel",
        [{"text": "look", "tool_calls": [_call("echo one"), _call("sleep 0.3; echo two")]}, {"text": "done"}],
        _one_prompt,
        must_tell=("tool_execution_end",),
    ),
    Scenario("abort", [HANGS], _abort, must_tell=("message_update",)),
    Scenario(
        "retry",
        [{"error": "overloaded"}, {"text": "late"}],
        _one_prompt,
        must_tell=("auto_retry_start", "auto_retry_end"),
    ),
    Scenario(
        "overflow repair",
        {
            "rules": [SUMMARISES],
            "responses": [{"text": LONG}, {"text": LONG}, {"error": "overflow"}, {"text": "fits now"}],
        },
        _overflow,
        settings={"compaction": {"keepRecentTokens": 500}},
        must_tell=("compaction_start", "compaction_end"),
    ),
    Scenario("steering", [{"tool_calls": [WAITS]}, {"text": "turned"}], _steer, must_tell=("queue_update",)),
    Scenario(
        "queue",
        [{"tool_calls": [WAITS]}, {"text": "a"}, {"text": "b"}, {"text": "c"}],
        _queue,
        must_tell=("queue_update",),
    ),
    Scenario(
        "compaction",
        {"rules": [SUMMARISES], "default": {"text": LONG}},
        _compact,
        settings={"compaction": {"keepRecentTokens": 500}},
        must_tell=("compaction_start", "compaction_end"),
    ),
    Scenario("error", [{"error": "bad_request"}], _one_prompt, must_tell=("notice",)),
    Scenario("command", [{"text": "one, two"}], _bash, must_tell=("bash_execution_update",)),
]


def sequence(records: list[dict[str, Any]]) -> list[str]:
    """Kinds in order. How often a growing thing was told of is a matter of pace: neighbours of one kind count once,
    and what a tool had to show meanwhile does not count."""
    found: list[str] = []
    for record in records:
        kind = _kind(record)
        if record["type"] == "tool_execution_update" or (
            found and found[-1] == kind and kind.endswith(GROWS)
        ):
            continue
        found.append(kind)
    return found


GROWS = ("_delta", "bash_execution_update")


def _kind(record: dict[str, Any]) -> str:
    kind: str = record["type"]
    if kind == "message_update":
        step = record["assistantMessageEvent"]
        return f"{kind} {step['contentIndex']} {step['type']}"
    if kind in ("message_start", "message_end"):
        return f"{kind} {record['message']['role']}"
    if kind.startswith("tool_execution"):
        return f"{kind} {record['toolCallId'].rpartition('_')[2]}"
    return kind
