"""Formats v1 and v2: what the golden files say of real ones, and how they are written anew."""

import gzip
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_tui.llm.messages import AssistantMessage, CustomMessage, TextContent, UserMessage
from pi_tui.session.entries import MessageEntry
from pi_tui.session.log import SessionLog
from tests.session.golden import FIXTURES, differences
from tests.session.session_lines import entry_line

REAL = sorted((FIXTURES / "real-v1").glob("*.jsonl.gz"))
GLUED_AT = {"03": 440, "04": 1013}
"""File → the line on which two entries stand."""


class Opened:
    def __init__(self, packed: Path, folder: Path) -> None:
        self.number = packed.name[:2]
        path = folder / "old.jsonl"
        path.write_bytes(gzip.decompress(packed.read_bytes()))
        self.log = SessionLog.open(path, read_only=True)
        golden = packed.with_name(packed.name.replace(".jsonl.gz", ".golden.json.gz"))
        self.golden: Any = json.loads(gzip.decompress(golden.read_bytes()))

    def given(self, place: int) -> list[tuple[int, str]]:
        """Place and role of every message that the model sees at the entry at `place`."""
        order = {entry_id: at for at, entry_id in enumerate(self.log.entry_ids)}
        projection = self.log.project(self.log.entry_ids[place])
        return [
            (order[entry_id], str(message.__struct_config__.tag))
            for entry_id, message in zip(projection.entry_ids, projection.messages, strict=True)
        ]


def only(*numbers: str) -> pytest.MarkDecorator:
    files = [path for path in REAL if path.name[:2] in numbers]
    return pytest.mark.parametrize("opened", files, indirect=True, ids=lambda path: path.name[:2])


@pytest.fixture
def opened(request: pytest.FixtureRequest, tmp_path: Path) -> Opened:
    return Opened(request.param, tmp_path)


def sampled(golden: Any) -> list[tuple[int, Any]]:
    """The golden projections with their places: evenly spread over the entries that the reference has."""
    count = golden["entryCount"]
    return list(zip(range(0, count, count // 12), golden["projections"][1:], strict=True))


def assert_golden(opened: Opened, projections: list[tuple[int, Any]]) -> None:
    """Ids are generated, so each golden id must stand for one of our entries, everywhere the same."""
    place_of: dict[str, int] = {}
    for place, projection in projections:
        wanted = [(entry["id"], role) for entry in projection["entries"] for role in entry["roles"]]
        given = opened.given(place)
        assert [role for _, role in given] == [role for _, role in wanted]
        for (golden_id, _), (at, _) in zip(wanted, given, strict=True):
            assert place_of.setdefault(golden_id, at) == at
        assert place_of.setdefault(projection["leaf"], place) == place
        ours = opened.log.project(opened.log.entry_ids[place])
        model = projection["model"]
        assert ours.model == ((model["provider"], model["modelId"]) if model else None)
        assert ours.thinking_level == projection["thinkingLevel"]
    assert len(set(place_of.values())) == len(place_of)


@only("01", "02")
def test_every_projection_of_a_v1_file_is_the_golden_one(opened: Opened) -> None:
    golden = opened.golden
    assert len(opened.log.entry_ids) == golden["entryCount"]
    assert opened.log.notices == []
    assert_golden(opened, [(golden["entryCount"] - 1, golden["projections"][0]), *sampled(golden)])


@only("01", "02")
def test_the_messages_of_a_v1_file_are_the_golden_ones(opened: Opened) -> None:
    ours = msgspec.to_builtins(opened.log.project().messages)
    assert differences(ours, opened.golden["messages"]) == []


@only("03", "04")
def test_both_entries_of_a_glued_line_are_kept(opened: Opened) -> None:
    assert len(opened.log.entry_ids) == opened.golden["entryCount"] + 2
    line = GLUED_AT[opened.number]
    assert opened.log.notices == [f"Line {line} holds 2 entries without a line break; all were read."]


@only("03", "04")
def test_what_lies_before_a_glued_line_is_as_in_the_golden_file(opened: Opened) -> None:
    before = [(place, one) for place, one in sampled(opened.golden) if place < GLUED_AT[opened.number] - 2]
    assert len(before) >= 12
    assert_golden(opened, before)


@only("03")
def test_the_context_has_the_two_messages_that_the_reference_loses(opened: Opened) -> None:
    ours = msgspec.to_builtins(opened.log.project().messages)
    theirs = opened.golden["messages"]
    at = next(place for place, one in enumerate(theirs) if differences(ours[place], one))
    assert differences(ours[:at] + ours[at + 2 :], theirs) == []


@only("04")
def test_the_compaction_on_a_glued_line_counts(opened: Opened) -> None:
    """Its index names the compaction itself, so that nothing before it is kept."""
    assert [role for _, role in opened.given(1012)] == ["compactionSummary"]
    assert (
        differences(
            msgspec.to_builtins(opened.log.project(opened.log.entry_ids[1010]).messages),
            opened.golden["messages"],
        )
        == []
    )


V1 = (
    b'{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/p","extra":1,'
    b'"branchedFrom":"/p/parent.jsonl"}\n'
    b'{"type":"message","timestamp":"2025-01-01T00:00:01.000Z","message":{"role":"user","content":"one"},'
    b'"mine":{"b": 1}}\n'
    b"\0\0\0\n"
    b'{"type":"message","timestamp":"2025-01-01T00:00:02.000Z","message":{"role":"hookMessage","customType":"h",'
    b'"content":"two","display":true}}\n'
    b'{"type":"compaction","timestamp":"2025-01-01T00:00:03.000Z","summary":"s",'
    b'"firstKeptEntryIndex":3,"tokensBefore":9}\n'
    b'{"type":"message","time'
)


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "old.jsonl"
    path.write_bytes(V1)
    return path


def test_opening_an_old_file_leaves_its_bytes(old: Path) -> None:
    log = SessionLog.open(old)
    assert [type(one).__name__ for one in log.project().messages] == [
        "CompactionSummaryMessage",
        "CustomMessage",
    ]
    log.close()
    assert old.read_bytes() == V1
    assert [one.name for one in old.parent.iterdir()] == ["old.jsonl"]


def test_an_old_file_has_the_same_ids_each_time_it_is_opened(old: Path) -> None:
    first = SessionLog.open(old, read_only=True)
    assert first.entry_ids == SessionLog.open(old, read_only=True).entry_ids


def test_the_first_append_writes_an_old_file_anew_and_keeps_the_old_one(old: Path) -> None:
    log = SessionLog.open(old)
    ids = log.entry_ids
    appended = log.append_message(UserMessage(content="three"))
    log.close()
    assert old.with_name("old.jsonl.bak").read_bytes() == V1
    assert sorted(one.name for one in old.parent.iterdir()) == ["old.jsonl", "old.jsonl.bak"]
    assert old.stat().st_mode & 0o777 == 0o600
    lines = old.read_bytes().split(b"\n")
    assert json.loads(lines[0]) == {
        "type": "session", "id": "old", "timestamp": "2025-01-01T00:00:00.000Z", "cwd": "/p", "extra": 1,
        "branchedFrom": "/p/parent.jsonl", "parentSession": "/p/parent.jsonl", "version": 3,
    }  # fmt: skip
    assert lines[2] == b"\0\0\0"
    assert lines[5] == b'{"type":"message","time'
    assert b'"mine":{"b": 1}' in lines[1]
    assert lines[7] == b""
    again = SessionLog.open(old)
    assert again.entry_ids == [*ids, appended]
    assert again.branch() == [*ids, appended]
    entry = again.entry(ids[1])
    assert isinstance(entry, MessageEntry)
    assert entry.message == CustomMessage(custom_type="h", content="two", display=True)
    again.append_message(AssistantMessage(content=[TextContent("four")]))
    again.close()
    assert old.read_bytes().count(b"\n") == 8


def test_a_second_old_file_does_not_take_the_name_of_the_first(old: Path) -> None:
    old.with_name("old.jsonl.bak").write_text("something else")
    log = SessionLog.open(old)
    log.append_message(UserMessage(content="three"))
    log.close()
    assert old.with_name("old.jsonl.bak").read_text() == "something else"
    assert old.with_name("old.jsonl.bak2").read_bytes() == V1


def test_in_a_v2_file_only_the_renamed_role_changes(tmp_path: Path) -> None:
    header = b'{"type":"session","version":2,"id":"two","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/p"}'
    user = entry_line(
        "message", "aaaaaaaa", None, r'"message":{"role":"user","content":"say \"hookMessage\" "}'
    )
    old = '"message":{ "role" : "hookMessage","customType":"h","content":"c","display":false}'
    hook = entry_line("message", "bbbbbbbb", "aaaaaaaa", old)
    path = tmp_path / "two.jsonl"
    path.write_bytes(header + b"\n" + user + b"\n" + hook + b"\n")
    log = SessionLog.open(path)
    log.append_label("aaaaaaaa", "here")
    log.close()
    lines = path.read_bytes().split(b"\n")
    assert lines[0] == header.replace(b'"version":2', b'"version":3')
    assert lines[1] == user
    assert lines[2] == hook.replace(b"hookMessage", b"custom")
