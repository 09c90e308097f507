"""What a summary of a branch is made from."""

from pathlib import Path

from pi_tui.llm.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_tui.session.compaction.branch import BranchSpan, branch_span
from pi_tui.session.log import SessionLog


def span(log: SessionLog, common: int, budget: int = 10_000) -> BranchSpan:
    return branch_span(log.path_items(), common, log.reader(), budget, len)


def test_summaries_inside_the_branch_count_as_its_content_with_their_files() -> None:
    log = SessionLog.create(Path("/project"), None)
    log.append_message(UserMessage("trunk"))
    question = log.append_message(UserMessage("the question"))
    log.append_branch_summary("tried on a branch of the branch", "x", details={"readFiles": ["b.txt"]})
    log.append_message(AssistantMessage([ToolCall("1", "write", {"path": "w.txt"})], stop_reason="toolUse"))
    log.append_message(ToolResultMessage("1", "write", [TextContent("written")], False))
    log.append_compaction("compacted there", question, 9, details={"modifiedFiles": ["c.txt"]})
    log.append_branch_summary("an extension's", "x", details={"readFiles": ["never.txt"]}, from_hook=True)
    found = span(log, common=1)
    said = "\n".join(found.parts)
    assert found.parts[0] == "[User]: the question" and "trunk" not in said
    assert all(text in said for text in ("tried on a branch", "compacted there", "an extension's", "written"))
    assert (found.files.read, found.files.modified) == (["b.txt"], ["c.txt", "w.txt"])


def test_what_is_older_than_fits_is_left_out_but_never_the_question() -> None:
    log = SessionLog.create(Path("/project"), None)
    log.append_message(UserMessage("the question"))
    for number in range(9):
        log.append_message(AssistantMessage([TextContent(f"answer {number}")]))
    found = span(log, common=0, budget=70)
    assert found.parts == ["[User]: the question", "[Assistant]: answer 7", "[Assistant]: answer 8"]


def test_what_was_edited_out_is_not_told() -> None:
    log = SessionLog.create(Path("/project"), None)
    log.append_message(UserMessage("the question"))
    failed = log.append_message(AssistantMessage([TextContent("not meant to be")]))
    log.append_context_edit(failed, None)
    log.append_message(AssistantMessage([TextContent("the answer")]))
    assert span(log, common=0).parts == ["[User]: the question", "[Assistant]: the answer"]
