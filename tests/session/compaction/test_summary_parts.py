"""What goes into a summary request and what is stored of the answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.llm.messages import (
    AssistantMessage,
    BashExecutionMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.session.compaction.branch import common_length
from pi_tui.session.compaction.budgets import budgets_for
from pi_tui.session.compaction.files import FileLists, file_lists
from pi_tui.session.compaction.instructions import BRANCH, FIRST, UPDATE, question
from pi_tui.session.compaction.serialise import MAX_RESULT, serialise
from pi_tui.session.compaction.summary_text import composed, joined, taken_apart
from pi_tui.session.compaction.windows import take_window
from pi_tui.session.entries import BranchSummaryEntry, CompactionEntry


def test_a_conversation_is_told_as_text() -> None:
    call = ToolCall("1", "read", {"path": "foo.ts"})
    other = ToolCall("2", "edit", {"path": "bar.ts", "edits": [1]})
    told = serialise(
        [
            UserMessage([TextContent("Look"), ImageContent("AAAA", "image/png")]),
            AssistantMessage(
                [ThinkingContent("hm"), TextContent("I look."), call, other], stop_reason="toolUse"
            ),
            ToolResultMessage("1", "read", [TextContent("const x")], False),
            ToolResultMessage("2", "edit", [TextContent("no match")], True),
            BashExecutionMessage("ls", "a.txt\n"),
            BashExecutionMessage("secret", "x", exclude_from_context=True),
            AssistantMessage([TextContent("half")], stop_reason="aborted"),
        ]
    )
    assert told == [
        "[User]: Look\n(an image)",
        "[Assistant]: I look.",
        '[Assistant tool calls]: read(path="foo.ts"); edit(path="bar.ts", edits=[1])',
        "[Tool result]: const x",
        "[Tool result]: (failed) no match",
        "[User]: I ran `ls`:\na.txt",
    ]


def test_a_long_result_keeps_its_head_and_its_tail() -> None:
    output = "begins " + "x" * 9_000 + " Error: at the end"
    (told,) = serialise([ToolResultMessage("1", "bash", [TextContent(output)], False)])
    assert "begins" in told and told.endswith("Error: at the end")
    assert len(told) < MAX_RESULT + 100
    assert f"{len(output) - MAX_RESULT:,} characters left out" in told


def test_files_are_gathered_and_carried_on_but_not_from_foreign_summaries() -> None:
    head = {"id": "1", "parent_id": None, "timestamp": ""}
    earlier = CompactionEntry(
        **head,
        summary="s",
        first_kept_entry_id="0",
        tokens_before=1,
        details={"readFiles": ["old.txt", "a.txt"], "modifiedFiles": ["b.txt"]},
    )
    foreign = BranchSummaryEntry(
        **head, from_id=None, summary="s", from_hook=True, details={"readFiles": ["never.txt"]}
    )
    broken = BranchSummaryEntry(
        **head, from_id=None, summary="s", details={"readFiles": [1], "modifiedFiles": 2}
    )
    calls = [
        ToolCall("1", "read", {"path": "b.txt"}),
        ToolCall("2", "write", {"path": "a.txt"}),
        ToolCall("3", "bash", {"command": "rm -r x"}),
        ToolCall("4", "edit", {"path": 7}),
    ]
    lists = file_lists([AssistantMessage(calls)], [earlier, foreign, broken])
    assert lists == FileLists(["old.txt"], ["a.txt", "b.txt"])


def test_a_stored_summary_can_be_taken_apart() -> None:
    files = FileLists(["a b.txt", "c.txt"], ["d.txt"])
    stored = composed(joined("## Goal\nKites", "## Request\nA tail"), files, "make the <b>tail</b>\nlonger")
    parts = taken_apart(stored)
    assert parts.files == files
    assert parts.prompt == "make the <b>tail</b>\nlonger"
    assert parts.text.startswith("## Goal\nKites") and parts.text.endswith("A tail")
    assert "<read-files>\na b.txt\nc.txt\n</read-files>" in stored
    foreign = taken_apart("just a text")
    assert (foreign.text, foreign.prompt, foreign.files) == ("just a text", None, FileLists([], []))


@given(st.lists(st.text("ab \n", min_size=1, max_size=60), max_size=12), st.integers(1, 40))
def test_windows_hold_everything_once_and_in_order(parts: list[str], budget: int) -> None:
    taken = []
    left = parts
    while left:
        size = sum(map(len, left))
        text, left = take_window(left, budget, len)
        assert text and len(text) <= budget + 2 * len(parts)
        assert sum(map(len, left)) < size
        taken.append(text)
    everything = "".join(taken).replace("\n", "")
    assert everything == "".join(parts).replace("\n", "")


@pytest.mark.parametrize(
    ("window", "reserve", "keep", "expected"),
    [
        (200_000, None, None, (16_384, 20_000)),
        (8_192, None, None, (2_048, 3_072)),
        (32_768, None, None, (8_192, 12_288)),
        (8_192, 6_000, None, (6_000, 1_096)),
        (8_192, 16_384, 20_000, (16_384, 20_000)),
    ],
)
def test_default_budgets_shrink_with_the_window(
    window: int, reserve: int | None, keep: int | None, expected: tuple[int, int]
) -> None:
    budgets = budgets_for(window, reserve, keep)
    assert (budgets.reserve, budgets.keep_recent) == expected


def test_a_summary_that_is_brought_up_to_date_is_asked_for_as_such() -> None:
    assert question("c", FIRST).endswith(FIRST)
    again = question("c", FIRST, "earlier", "kites")
    assert "<previous-summary>\nearlier\n</previous-summary>" in again and UPDATE in again
    assert again.endswith("Additional focus: kites")
    assert BRANCH in question("c", BRANCH, "the first window")


def test_paths_have_their_beginning_in_common() -> None:
    assert common_length("abc", "abd") == 2
    assert common_length("ab", "abd") == 2
    assert common_length("abc", "") == 0
