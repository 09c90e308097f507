"""Leaving a branch with a summary of it."""

import asyncio
from pathlib import Path

import pytest

from pi_tui.llm.messages import UserMessage, text_of
from pi_tui.runtime.branch_summary import BranchSummaryStopped, summarise_branch
from pi_tui.runtime.events import BranchSummaryEnd, BranchSummaryStart
from pi_tui.runtime.navigation import destination, move_to
from pi_tui.runtime.session import Session
from pi_tui.runtime.summarising import SummaryFailed
from pi_tui.session.entries import BranchSummaryEntry, MessageEntry
from pi_tui.session.totals import SessionTotals
from tests.support.compacted import SUMMARISES, SUMMARY, entries, open_with_window, requests, said
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown


def prompt_id(session: Session, text: str) -> str:
    prompts = (one for one in session.log.entry_ids if session.log.role(one) == "user")
    return next(one for one in prompts if text_of(message_of(session, one).content).startswith(text))


def message_of(session: Session, entry_id: str) -> UserMessage:
    entry = session.log.entry(entry_id)
    assert isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage)
    return entry.message


async def leave(session: Session, entry_id: str, focus: str = "") -> None:
    summary = await summarise_branch(session, destination(session.log, entry_id).leaf_id, focus)
    move_to(session, entry_id, summary)


@pytest.mark.parametrize("wire", ["openai", "anthropic"])
async def test_the_summary_stands_where_the_conversation_goes_on(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "kite.txt"}}]}
    fake_llm.script(
        {
            "rules": [SUMMARISES],
            "responses": [{"text": "one"}, read, {"text": "two"}],
            "default": {"text": "x"},
        }
    )
    session = open_with_window(fake_llm, tmp_path, wire)
    await session.prompt("the trunk")
    await session.prompt("the question of the branch")
    left = session.log.leaf_id
    before = entries(session)
    cost_before = total(session)
    events = session.subscribe()
    await leave(session, prompt_id(session, "the question"), "the tail")
    assert [type(one) for one in events.take() if isinstance(one, BranchSummaryStart | BranchSummaryEnd)] == [
        BranchSummaryStart,
        BranchSummaryEnd,
    ]
    asked = said((await requests(fake_llm, 4))[-1])
    assert "the question of the branch" in asked and "the trunk" not in asked
    assert "Additional focus: the tail" in asked
    entry = session.log.entry(str(session.log.leaf_id))
    assert isinstance(entry, BranchSummaryEntry)
    assert entry.from_id == left and entry.summary.startswith(SUMMARY)
    assert entry.details == {"readFiles": ["kite.txt"], "modifiedFiles": []}
    assert (
        session.log.parent(entry.id) == destination(session.log, prompt_id(session, "the question")).leaf_id
    )
    assert entries(session)[: len(before)] == before
    assert total(session) > cost_before, "the cost is in the total"
    await session.prompt("another way")
    sent = said((await requests(fake_llm, 5))[-1])
    assert "To build a kite" in sent and "the trunk" in sent and "the question of the branch" not in sent
    session.close()


async def test_a_branch_that_begins_behind_its_question_is_summarised_with_it(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "a"}}]}
    fake_llm.script({"rules": [SUMMARISES], "responses": [read, read, {"text": "done"}]})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("the question")
    path = session.log.branch()
    first_result = next(one for one in path if session.log.role(one) == "toolResult")
    await leave(session, first_result)
    asked = said((await requests(fake_llm, 4))[-1])
    assert "the question" in asked and "done" in asked
    session.close()


async def test_a_long_branch_is_summarised_by_its_newest_part(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": markdown(1_500)}})
    session = open_with_window(fake_llm, tmp_path, window=200_000)
    await session.prompt("trunk")
    for number in range(5):
        await session.prompt(f"step {number}")
    assert session.model is not None
    session.services.settings.branch_summary.reserve_tokens = 194_000
    await leave(session, prompt_id(session, "step 0"))
    asked = said((await requests(fake_llm, 7))[-1])
    assert "step 0" in asked and "step 4" in asked and "step 1" not in asked
    session.close()


async def test_esc_leaves_everything_as_it_was(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script([{"text": "a"}, {"text": "b"}, {"text": SUMMARY, "first_delay": 30}])
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    before, leaf = entries(session), session.log.leaf_id
    events = session.subscribe()
    leaving = asyncio.create_task(leave(session, prompt_id(session, "second")))
    async for event in events:
        if isinstance(event, BranchSummaryStart):
            break
    session.abort()
    with pytest.raises(BranchSummaryStopped):
        await leaving
    assert (entries(session), session.log.leaf_id) == (before, leaf)
    assert not session.running
    session.close()


async def test_a_failed_summary_leaves_everything_as_it_was(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"responses": [{"text": "a"}, {"text": "b"}], "default": {"error": "auth"}})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    before, leaf = entries(session), session.log.leaf_id
    with pytest.raises(SummaryFailed, match="/login"):
        await leave(session, prompt_id(session, "second"))
    assert (entries(session), session.log.leaf_id) == (before, leaf)
    session.close()


def total(session: Session) -> int:
    totals = SessionTotals(session.log)
    for _ in totals.update():
        pass
    return totals.usage.total_tokens
