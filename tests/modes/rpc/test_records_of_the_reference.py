"""The reference answers the same commands: each field of its records is in ours, but for those named here."""

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.modes.processes import Process, Record, running_command
from tests.support.fakellm import FakeLLM
from tests.support.reference_program import REFERENCE, needs_reference
from tests.support.written_models import PI, write_models

ELSEWHERE = (
    "totalFromProvider",  # Figures only its providers give,
    "reasoning",
    "structuredContent",  # what its tools alone have,
    "constrainedSampling",
    "details",
    "<system>",  # messages that have no events here,
    "<context_edit>",  # entries that it writes where nothing needs one here.
    "<thinking_level_change>",
)
OPTIONS = ("--mode", "rpc", "--model", "test/scripted")


@needs_reference
def test_every_field_of_the_reference_is_there(fake_llm: FakeLLM, tmp_path: Path) -> None:
    found: dict[str, dict[str, set[str]]] = {}
    assert REFERENCE is not None
    for name, command in (("reference", REFERENCE), ("pi", PI)):
        fake_llm.reset()
        call = {"name": "bash", "arguments": {"command": "echo one"}}
        fake_llm.push(
            {"text": "hello"},
            {"thinking": "hm", "text": "a", "tool_calls": [call, call]},
            {"text": "done"},
            {"error": "overloaded"},
            {"text": "late"},
        )
        write_models(fake_llm)
        folder = tmp_path / name
        folder.mkdir()
        with running_command([*command, *OPTIONS], cwd=folder) as process:
            found[name] = _fields(_told(process))
    theirs, ours = found["reference"], found["pi"]
    assert len(theirs) > 25
    missing = {kind: fields - ours.get(kind, set()) for kind, fields in theirs.items()}
    missing = {kind: fields for kind, fields in missing.items() if fields and "<system>" not in kind}
    # It tells there which entry a retry left out; here a projection leaves it out.
    missing.pop("entry_appended", None)
    assert missing == {}


def _told(pi: Process) -> Iterator[Record]:
    for number, message in enumerate(["text", "tools", "retry"]):
        pi.send("prompt", id=f"p{number}", message=message)
        yield from pi.until(lambda record: record["type"] == "agent_settled")
    commands: list[tuple[str, dict[str, Any]]] = [
        ("get_state", {}),
        ("get_messages", {}),
        ("get_entries", {}),
        ("get_tree", {}),
        ("get_session_stats", {}),
        ("get_fork_messages", {}),
        ("get_last_assistant_text", {}),
        ("get_available_models", {}),
        ("set_model", {"provider": "test", "modelId": "thinker"}),
        ("set_thinking_level", {"level": "high"}),
        ("cycle_thinking_level", {}),
        ("cycle_model", {}),
        ("set_session_name", {"name": "kites"}),
        ("bash", {"command": "seq 3"}),
        ("steer", {"message": "left"}),
        ("clear_queue", {}),
        ("set_steering_mode", {"mode": "all"}),
        ("abort", {}),
        ("clone", {}),
        ("new_session", {}),
        ("reboot", {}),
    ]
    for command, fields in commands:
        pi.send(command, id=command, **fields)
        yield from pi.until(lambda record: record["type"] == "response")
    pi.close_input()


def _fields(records: Iterator[Record]) -> dict[str, set[str]]:
    """The paths of the fields, by kind of record."""
    found: dict[str, set[str]] = defaultdict(set)
    for record in records:
        kind = record["type"]
        if kind == "response":
            kind = f"{kind} {record['command']} {record['success']}"
        elif kind == "message_update":
            kind = f"{kind} {record['assistantMessageEvent']['type']}"
        elif kind in ("message_start", "message_end"):
            kind = f"{kind} <{record['message']['role']}>"
        found[kind] |= {path for path in _paths(record) if not any(one in path for one in ELSEWHERE)}
    return found


def _paths(value: Any, path: str = "") -> Iterator[str]:
    """Of lists the kinds of members; of what a model or a tool fills in freely, the name alone."""
    if isinstance(value, dict):
        for name, member in value.items():
            yield f"{path}.{name}"
            if name not in ("args", "arguments", "sections", "parameters", "tree", "models"):
                yield from _paths(member, f"{path}.{name}")
    elif isinstance(value, list):
        for member in value:
            kind = (member.get("role") or member.get("type") or "") if isinstance(member, dict) else ""
            yield from _paths(member, f"{path}<{kind}>")
