"""Session files as the reference reads them: the golden files beside them say how."""

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_tui.llm.messages import AgentMessage
from pi_tui.session.log import SessionLog
from tests.session.golden import FIXTURES, differences

DAMAGED = "14-corrupt-middle-line"
PLAIN = sorted(path for folder in ("reference", "synthetic") for path in (FIXTURES / folder).glob("*.jsonl"))
WHOLE = [path for path in PLAIN if path.stem != DAMAGED]


def golden_of(path: Path) -> Any:
    return json.loads(path.with_suffix(".golden.json").read_text())


@pytest.fixture(params=WHOLE, ids=lambda path: path.stem)
def case(request: pytest.FixtureRequest) -> tuple[SessionLog, Any]:
    return SessionLog.open(request.param, read_only=True), golden_of(request.param)


def roles_of(log: SessionLog, leaf: str) -> list[tuple[str, list[str]]]:
    projection = log.project(leaf)
    given: list[tuple[str, list[str]]] = []
    for entry_id, message in zip(projection.entry_ids, projection.messages, strict=True):
        role = str(message.__struct_config__.tag)
        if given and given[-1][0] == entry_id:
            given[-1][1].append(role)
        else:
            given.append((entry_id, [role]))
    return given


def test_every_projection_gives_the_same_entries_and_roles(case: tuple[SessionLog, Any]) -> None:
    log, golden = case
    for projection in golden["projections"]:
        wanted = [(entry["id"], entry["roles"]) for entry in projection["entries"]]
        assert roles_of(log, projection["leaf"]) == wanted, projection["leaf"]


def test_every_projection_gives_the_same_model_and_level(case: tuple[SessionLog, Any]) -> None:
    log, golden = case
    for projection in golden["projections"]:
        ours = log.project(projection["leaf"])
        model = projection["model"]
        assert ours.model == ((model["provider"], model["modelId"]) if model else None), projection["leaf"]
        assert ours.thinking_level == projection["thinkingLevel"], projection["leaf"]


def test_the_messages_at_the_leaf_are_the_same(case: tuple[SessionLog, Any]) -> None:
    log, golden = case
    ours = msgspec.to_builtins(log.project().messages)
    assert differences(ours, golden["messages"]) == []


def test_each_golden_message_decodes_to_ours(case: tuple[SessionLog, Any]) -> None:
    log, golden = case
    assert log.project().messages == msgspec.convert(golden["messages"], list[AgentMessage])


def test_header_name_labels_leaf_and_tips_are_the_same(case: tuple[SessionLog, Any]) -> None:
    log, golden = case
    assert differences(msgspec.to_builtins(log.header), golden["header"]) == []
    assert log.name == golden["name"]
    assert log.labels == golden["labels"]
    assert log.leaf_id == golden["leaf"]
    assert len(log.entry_ids) == golden["entryCount"]
    assert sorted(one for one in log.entry_ids if not log.children(one)) == sorted(golden["tips"])
    assert log.notices == []


def test_every_tip_is_among_the_golden_projections(case: tuple[SessionLog, Any]) -> None:
    log, golden = case
    leaves = {projection["leaf"] for projection in golden["projections"]}
    assert {one for one in log.entry_ids if not log.children(one)} <= leaves


def test_what_lies_before_a_damaged_line_stays_in_every_context() -> None:
    """The reference loses it: its contexts are the ends of ours, at each of its leaves."""
    path = next(one for one in PLAIN if one.stem == DAMAGED)
    log, golden = SessionLog.open(path, read_only=True), golden_of(path)
    before = roles_of(log, log.entry_ids[log.entry_ids.index("3511dd7c") - 1])
    assert len(before) == 2
    behind = 0
    for projection in golden["projections"]:
        ours = roles_of(log, projection["leaf"])
        theirs = [(entry["id"], entry["roles"]) for entry in projection["entries"]]
        if ours != theirs:
            assert ours == before + theirs
            behind += 1
    assert behind == len(golden["projections"]) - 4, "all that follow the damaged line"
