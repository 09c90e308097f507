"""The rules of the projection, one by one; whole files are compared in the golden tests."""

from typing import Any

import pytest

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    SystemMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.session.context import build_context, project_path, type_of
from pi_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
    ModelChangeEntry,
    ThinkingLevelChangeEntry,
    UnknownEntry,
)


def base(entry_id: str) -> dict[str, Any]:
    return {"id": entry_id, "parent_id": None, "timestamp": "2026-01-02T03:04:05.678Z"}


def message(entry_id: str, given: AgentMessage) -> MessageEntry:
    return MessageEntry(**base(entry_id), message=given)


def user(entry_id: str) -> MessageEntry:
    return message(entry_id, UserMessage(content=entry_id))


def compaction(entry_id: str, kept: str, system: SystemMessage | None = None) -> CompactionEntry:
    return CompactionEntry(
        **base(entry_id),
        summary=f"sum {entry_id}",
        first_kept_entry_id=kept,
        tokens_before=7,
        system_message=system,
    )


def ids(*entries: Entry) -> list[str]:
    return build_context(entries).entry_ids


def test_an_empty_path_gives_an_empty_context() -> None:
    projection = build_context([])
    assert (projection.messages, projection.model, projection.thinking_level) == ([], None, "off")


def test_the_last_compaction_counts_and_older_summaries_are_left_out() -> None:
    path = [user("u1"), compaction("c1", "u1"), user("u2"), compaction("c2", "u1"), user("u3")]
    projection = build_context(path)
    assert projection.entry_ids == ["c2", "u1", "u2", "u3"]
    assert [getattr(one, "summary", None) for one in projection.messages] == ["sum c2", None, None, None]


def test_a_compaction_that_names_itself_keeps_nothing() -> None:
    assert ids(user("u1"), compaction("c1", "c1"), user("u2")) == ["c1", "u2"]


def test_a_first_kept_entry_off_the_path_keeps_nothing_before() -> None:
    assert ids(user("u1"), compaction("c1", "elsewhere"), user("u2")) == ["c1", "u2"]


def test_a_first_kept_entry_after_the_compaction_keeps_nothing_before() -> None:
    assert ids(user("u1"), compaction("c1", "u2"), user("u2")) == ["c1", "u2"]


def test_system_messages_are_kept_after_a_compaction_but_not_before() -> None:
    system = SystemMessage(content="old")
    checkpoint = SystemMessage(content="checkpoint")
    path = [message("s1", system), user("u1"), compaction("c1", "s1", checkpoint), message("s2", system)]
    projection = build_context(path)
    assert projection.entry_ids == ["c1", "c1", "u1", "s2"]
    assert projection.messages[0] == checkpoint


def test_entries_that_are_no_part_of_the_conversation_give_nothing() -> None:
    unknown = UnknownEntry("to_come", "x", None, "", {})
    state = CustomEntry(**base("s"), custom_type="ext", data=1)
    assert ids(user("u1"), unknown, state) == ["u1"]


def test_hidden_custom_messages_and_branch_summaries_are_seen_by_the_model() -> None:
    hidden = CustomMessageEntry(**base("h"), custom_type="ext", content="c", display=False)
    summary = BranchSummaryEntry(**base("b"), from_id="x", summary="s")
    projection = build_context([hidden, summary])
    assert [str(one.__struct_config__.tag) for one in projection.messages] == ["custom", "branchSummary"]
    assert {getattr(one, "timestamp", None) for one in projection.messages} == {1767323045678}


def edit(target: str, replacement: Any) -> ContextEditEntry:
    return ContextEditEntry(**base(f"e-{target}-{replacement}"), target_id=target, replacement=replacement)


def test_the_last_edit_of_a_target_wins() -> None:
    projection = build_context([user("u1"), edit("u1", None), edit("u1", "new")])
    assert projection.messages == [UserMessage(content="new")]


def test_an_edit_on_another_branch_changes_nothing() -> None:
    assert ids(user("u1")) == ["u1"]
    assert ids(user("u1"), edit("u1", None)) == []


def test_a_text_replaces_blocks_where_the_role_has_blocks() -> None:
    answer = AssistantMessage(content=[TextContent("a"), TextContent("b")], model="m")
    result = ToolResultMessage(tool_call_id="c", tool_name="f", content=[], is_error=True)
    path = [message("a", answer), message("r", result), edit("a", "x"), edit("r", {"content": "y"})]
    assert build_context(path).messages == [
        AssistantMessage(content=[TextContent("x")], model="m"),
        ToolResultMessage(tool_call_id="c", tool_name="f", content=[TextContent("y")], is_error=True),
    ]
    assert answer.content == [TextContent("a"), TextContent("b")]


def test_a_replacement_without_sense_changes_nothing() -> None:
    bash = BashExecutionMessage(command="ls", output="")
    path = [user("u1"), message("b", bash), edit("u1", 7), edit("b", "text")]
    assert build_context(path).messages == [UserMessage(content="u1"), bash]


@pytest.mark.parametrize(
    ("path", "model"),
    [
        ([ModelChangeEntry(**base("m"), provider="p", model_id="chosen")], ("p", "chosen")),
        (
            [
                ModelChangeEntry(**base("m"), provider="p", model_id="chosen"),
                message(
                    "a", AssistantMessage(content=[], provider="q", model="answered", stop_reason="error")
                ),
                user("u"),
            ],
            ("q", "answered"),
        ),
        ([user("u")], None),
    ],
)
def test_the_model_is_that_of_the_last_change_or_answer(
    path: list[Entry], model: tuple[str, str] | None
) -> None:
    assert build_context(path).model == model


def test_the_level_is_read_from_before_a_compaction_too() -> None:
    level = ThinkingLevelChangeEntry(**base("t"), thinking_level="high")
    assert build_context([level, compaction("c", "c")]).thinking_level == "high"


def test_what_was_summarised_is_not_decoded() -> None:
    path: list[Entry] = [*(user(f"u{number}") for number in range(100)), compaction("c", "u98")]
    by_id = {entry.id: entry for entry in path}
    asked: list[str] = []

    def entry_of(entry_id: str) -> Entry:
        asked.append(entry_id)
        return by_id[entry_id]

    answer = message("a", AssistantMessage(content=[], provider="p", model="m"))
    path.append(answer)
    by_id["a"] = answer
    project_path([(entry.id, type_of(entry)) for entry in path], entry_of)
    assert set(asked) == {"u98", "u99", "c", "a"}
