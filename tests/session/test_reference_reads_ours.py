"""The reference opens what is written here and sees the same. Skipped where it, or its Node, is not installed."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from pi_tui.llm.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_tui.session.copying import clone, copy_all, export_jsonl, fork
from pi_tui.session.log import SessionLog
from tests.support.reference_program import ask_reference, needs_reference, said

MODELS = {
    "providers": {
        "local": {
            "baseUrl": "http://127.0.0.1:9/v1",
            "api": "openai-completions",
            "apiKey": "key",
            "models": [
                {"id": name, "reasoning": True, "contextWindow": 100_000, "maxTokens": 4_000}
                for name in ("one", "two")
            ],
        }
    }
}


pytestmark = needs_reference

Ask = Callable[[Path], dict[str, Any]]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    return folder


@pytest.fixture
def reference(project: Path) -> Ask:
    """Opens a session file in the reference and returns what it says of it, by command."""
    return lambda path: ask_reference(path, project, MODELS)


def answer(text: str, model: str = "one") -> AssistantMessage:
    return AssistantMessage(
        [TextContent(text)], api="openai-completions", provider="local", model=model, stop_reason="stop"
    )


@pytest.fixture
def log(project: Path, tmp_path: Path) -> SessionLog:
    """Two branches, labels, a name, a tool call, a compaction, and the place in the tree before the end."""
    log = SessionLog.create(project, tmp_path / "sessions")
    log.append_model_change("local", "one")
    log.append_thinking_level("low")
    first = log.append_message(UserMessage([TextContent("first")]))
    log.append_message(
        AssistantMessage(
            [TextContent("I look."), ToolCall("call_1", "read", {"path": "a"})],
            api="openai-completions",
            provider="local",
            model="one",
            stop_reason="toolUse",
        )
    )
    log.append_message(ToolResultMessage("call_1", "read", [TextContent("content")], is_error=False))
    fork_point = log.append_message(answer("the first answer"))
    log.append_label(first, "old label")
    log.append_message(UserMessage([TextContent("the wrong turn")]))
    log.append_message(answer("gone wrong"))
    log.append_label(first, "turning point")
    log.append_session_info("the name")
    log.move_to(fork_point)
    log.append_model_change("local", "two")
    log.append_thinking_level("high")
    second = log.append_message(UserMessage([TextContent("the right turn")]))
    log.append_message(answer("gone right", "two"))
    log.append_label(second, "better")
    return log


def closed(log: SessionLog) -> Path:
    log.close()
    assert log.path is not None
    return log.path


def labels_in(nodes: list[dict[str, Any]]) -> dict[str, str]:
    """Entry id → label, from the reference's tree."""
    found: dict[str, str] = {}
    waiting = list(nodes)
    while waiting:
        node = waiting.pop()
        if node.get("label"):
            found[node["entry"]["id"]] = node["label"]
        waiting += node["children"]
    return found


def check(path: Path, reference: Ask) -> None:
    """What the reference says of a file is what is read here."""
    before = path.read_bytes()
    theirs = reference(path)
    assert path.read_bytes() == before
    ours = SessionLog.open(path, read_only=True)
    model, level = ours.choices()
    state = theirs["get_state"]
    assert model is not None
    assert (state["model"]["provider"], state["model"]["id"]) == model
    assert state["thinkingLevel"] == level
    assert state.get("sessionName") == ours.name
    assert state["sessionId"] == ours.id
    assert labels_in(theirs["get_tree"]["tree"]) == ours.labels
    assert theirs["get_tree"]["leafId"] == theirs["get_entries"]["leafId"] == ours.leaf_id
    parents = {entry["id"]: entry["parentId"] for entry in theirs["get_entries"]["entries"]}
    assert parents == {entry_id: ours.parent(entry_id) for entry_id in ours.entry_ids}
    expected = json.loads(_encoded(ours.project().messages))
    assert said(theirs["get_messages"]["messages"]) == said(expected)
    ours.close()


def _encoded(messages: list[Any]) -> bytes:
    import msgspec

    return msgspec.json.encode(messages)


def test_branches_labels_name_model_and_level(log: SessionLog, reference: Ask) -> None:
    check(closed(log), reference)


def test_the_place_in_the_tree_before_the_end(log: SessionLog, reference: Ask) -> None:
    wrong = next(entry_id for entry_id in log.entry_ids if b"gone wrong" in log.raw(entry_id))
    log.move_to(wrong)
    path = closed(log)
    check(path, reference)
    assert ("assistant", "gone wrong") in said(reference(path)["get_messages"]["messages"])


def test_a_fork_from_an_earlier_message(log: SessionLog, reference: Ask, tmp_path: Path) -> None:
    wrong = next(entry_id for entry_id in log.entry_ids if b"the wrong turn" in log.raw(entry_id))
    made = fork(log, log.parent(wrong), tmp_path / "sessions")
    path = closed(made)
    check(path, reference)
    assert labels_in(reference(path)["get_tree"]["tree"]) != {}


@pytest.mark.parametrize("copy", ["clone", "whole", "export"])
def test_a_copy(log: SessionLog, reference: Ask, tmp_path: Path, project: Path, copy: str) -> None:
    match copy:
        case "clone":
            path = closed(clone(log, tmp_path / "sessions"))
        case "whole":
            path = closed(copy_all(log, tmp_path / "sessions", cwd=project))
        case _:
            path = tmp_path / "export.jsonl"
            export_jsonl(log, path)
    check(path, reference)


def test_a_compaction_in_a_fork(log: SessionLog, reference: Ask, tmp_path: Path) -> None:
    kept = next(entry_id for entry_id in log.entry_ids if b"the right turn" in log.raw(entry_id))
    log.append_compaction("What happened so far.", kept, 1_000)
    log.append_message(UserMessage([TextContent("after it")]))
    log.append_message(answer("yes", "two"))
    check(closed(clone(log, tmp_path / "sessions")), reference)
