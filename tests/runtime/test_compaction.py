"""Compactions as they happen: over real wires, with a scripted model behind them."""

import asyncio
import json
from pathlib import Path
from typing import Any

import pytest

from pi_tui.agent.events import AgentEnd
from pi_tui.llm.messages import AssistantMessage, text_of
from pi_tui.runtime.compacting import CompactionFailed, CompactionStopped, budgets_of
from pi_tui.runtime.events import AgentSettled, CompactionEnd, CompactionStart
from pi_tui.session.compaction.budgets import Budgets
from pi_tui.session.log import SessionLog
from tests.support.compacted import (
    SUMMARISES,
    SUMMARY,
    compactions,
    ends,
    entries,
    is_summary_request,
    open_with_window,
    requests,
    results,
    said,
)
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown
from tests.support.live_session import use

BOTH = pytest.mark.parametrize("wire", ["openai", "anthropic"])
LONG = markdown(4_000)


@BOTH
async def test_over_the_threshold_the_context_is_compacted_before_a_prompt(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path, wire)
    for number in range(3):
        await session.prompt(f"number {number}: {LONG}")
    session.services.settings.compaction.keep_recent_tokens = 500
    before = entries(session)
    events = session.subscribe()
    # What was measured last is below the threshold; with this prompt it is not.
    await session.prompt(f"the newest {LONG}")
    told = events.take()
    (result,) = results(told)
    assert [type(one).__name__ for one in told if isinstance(one, CompactionStart | AgentSettled)] == [
        "CompactionStart",
        "AgentSettled",
    ]
    assert entries(session)[: len(before)] == before, "everything older is still there"
    (entry,) = [one for one in entries(session) if one["type"] == "compaction"]
    assert entry["summary"].startswith(SUMMARY)
    assert entry["tokensBefore"] == result.tokens_before > result.estimated_tokens_after
    assert entry["usage"]["output"] > 0
    assert entry["details"]["readFiles"] == []
    assert "You are pi" in entry["systemMessage"]["sections"]["preamble"]
    bodies = await requests(fake_llm, 5)
    sent = said(bodies[-1])
    assert "To build a kite" in sent and "the newest" in sent
    assert "number 0" not in sent
    session.close()


async def test_a_model_may_have_budgets_of_its_own(fake_llm: FakeLLM, tmp_path: Path) -> None:
    overrides = {
        "openai/scripted": {"reserveTokens": 15_000},
        "anthropic/scripted": {"reserveTokens": 100, "keepRecentTokens": 7},
    }
    own = {"reserveTokens": 200, "keepRecentTokens": 500, "modelOverrides": overrides}
    session = open_with_window(fake_llm, tmp_path, window=20_000, compaction=own)
    assert budgets_of(session) == Budgets(20_000, 15_000, 500), "each figure falls back on its own"
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "ok"}})
    await session.prompt(LONG)
    await session.prompt(f"more {LONG}")
    assert compactions(session), "over the threshold of this model alone"
    use(session, "anthropic")
    assert (budgets_of(session).reserve, budgets_of(session).keep_recent) == (100, 7)
    use(session, "responses")
    assert (budgets_of(session).reserve, budgets_of(session).keep_recent) == (200, 500)
    session.close()


@BOTH
async def test_between_two_tool_batches_of_one_run(fake_llm: FakeLLM, tmp_path: Path, wire: str) -> None:
    (tmp_path / "long.txt").write_text(LONG * 2)
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "long.txt"}}]}
    fake_llm.script({"rules": [SUMMARISES], "responses": [read, read, read, {"text": "all read"}]})
    session = open_with_window(fake_llm, tmp_path, wire, window=24_000)
    events = session.subscribe()
    await session.prompt("read it three times")
    told = events.take()
    assert results(told)
    assert [one.will_retry for one in told if isinstance(one, AgentEnd)] == [False], "one run"
    answer = session.last_assistant()
    assert answer is not None and answer.text == "all read"
    assert compactions(session)[-1].details["readFiles"] == ["long.txt"]
    assert "read it three times" in said((await requests(fake_llm, 5))[-1]), "the prompt is carried along"
    session.close()


async def test_a_result_larger_than_what_is_kept_stays_with_its_call(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    (tmp_path / "long.txt").write_text(LONG)
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "long.txt"}}]}
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": LONG}, read, {"text": "done"}]})
    session = open_with_window(
        fake_llm, tmp_path, window=16_000, compaction={"keepRecentTokens": 1_000, "reserveTokens": 8_000}
    )
    await session.prompt("tell me something long")
    await session.prompt("now read")
    bodies = await requests(fake_llm, 4)
    assert session.last_assistant().text == "done"  # type: ignore[union-attr]
    (entry,) = compactions(session)
    first = session.log.entry(entry.first_kept_entry_id)
    assert isinstance(first.message, AssistantMessage) and first.message.tool_calls  # type: ignore[union-attr]
    assert [message["role"] for message in bodies[-1]["messages"]][-2:] == ["assistant", "tool"]
    session.close()


async def test_a_focus_reaches_the_summary_request(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    result = await session.compact("the colour of the kite")
    bodies = await requests(fake_llm, 3)
    assert "Additional focus: the colour of the kite" in said(bodies[-1])
    assert not bodies[-1].get("tools") and "cache_control" not in json.dumps(bodies[-1])
    assert result.summary.startswith(SUMMARY)
    await session.prompt("third")
    sent = said((await requests(fake_llm, 4))[-1])
    assert "To build a kite" in sent and "second" in sent and "first" not in sent
    session.close()


async def test_chained_compactions_bring_the_summary_up_to_date(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path)
    for number in range(3):
        await session.prompt(f"prompt {number} a")
        await session.prompt(f"prompt {number} b")
        await session.compact()
    asked = [said(body) for body in await requests(fake_llm, 9) if is_summary_request(body)]
    assert "<previous-summary>" not in asked[0]
    assert all("<previous-summary>" in one and "To build a kite" in one for one in asked[1:])
    # What a compaction kept is in the next summary.
    assert "prompt 0 b" in asked[1] and "prompt 0 a" not in asked[1]
    assert len(compactions(session)) == 3
    texts = [text_of(one.content) for one in session.log.project().messages if hasattr(one, "content")]
    assert "prompt 2 b" in texts and "prompt 1 b" not in texts
    session.close()


async def test_a_prompt_is_sent_after_one_compaction_that_made_room_for_it(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": LONG}], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path, window=11_500)
    await session.prompt("tell me something long")
    events = session.subscribe()
    await session.prompt(f"and now this {LONG}")
    assert len(results(events.take())) == 1
    session.close()


BAD_SUMMARIES: dict[str, tuple[dict[str, Any], str]] = {
    "a tool call": ({"tool_calls": [{"name": "read", "arguments": {"path": "x"}}]}, "called a tool"),
    "nothing": ({"text": " "}, "empty"),
    "an error": ({"error": "auth"}, "API key"),
    "too long an answer": ({"text": "## Goal", "stop": "length"}, "cut off"),
}


@pytest.mark.parametrize("bad", BAD_SUMMARIES)
async def test_a_bad_summary_changes_nothing_and_says_why(
    fake_llm: FakeLLM, tmp_path: Path, bad: str
) -> None:
    response, why = BAD_SUMMARIES[bad]
    fake_llm.script({"responses": [{"text": "a"}, {"text": "b"}], "default": response})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    before = entries(session)
    events = session.subscribe()
    with pytest.raises(CompactionFailed, match=why):
        await session.compact()
    (end,) = ends(events.take())
    assert isinstance(end.error_message, str) and why in end.error_message and not end.aborted
    assert entries(session) == before
    session.close()


async def test_a_prompt_is_sent_although_there_was_no_summary(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fails = {"when": SUMMARISES["when"], "error": "auth"}
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "x"}}]}
    fake_llm.script({"rules": [fails], "responses": [{"text": LONG}, read], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path, window=11_500)
    await session.prompt("tell me something long")
    before = entries(session)
    events = session.subscribe()
    await session.prompt(f"and now this {LONG}")
    (end,) = ends(events.take())
    assert "API key" in str(end.error_message), "told once, and not tried again in this run"
    assert session.last_assistant().text == "ok"  # type: ignore[union-attr]
    assert entries(session)[: len(before)] == before and compactions(session) == []
    session.close()


async def test_a_summary_that_fails_in_passing_is_tried_again(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script([{"text": "a"}, {"text": "b"}, {"error": "overloaded"}, {"text": SUMMARY}])
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    events = session.subscribe()
    await session.compact()
    names = [str(one.__struct_config__.tag) for one in events.take()]
    assert [one for one in names if one.startswith("summarization")] == [
        "summarization_retry_scheduled",
        "summarization_retry_attempt_start",
        "summarization_retry_finished",
    ]
    session.close()


async def test_esc_during_a_compaction_changes_nothing_and_sends_nothing(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script([{"text": "a"}, {"text": "b"}, {"text": SUMMARY, "first_delay": 30}])
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    before = entries(session)
    events = session.subscribe()
    compacting = asyncio.create_task(session.compact())
    await _begun(session)
    session.steer("typed meanwhile")
    session.abort()
    with pytest.raises(CompactionStopped):
        await compacting
    told = events.take()
    assert [one.aborted for one in ends(told)] == [True]
    assert told[-1] == AgentSettled(True)
    assert entries(session) == before
    assert [one.text for one in session.take_back_queued()] == ["typed meanwhile"]
    session.close()


async def test_what_is_typed_during_a_compaction_is_sent_afterwards(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script([{"text": "a"}, {"text": "b"}, {"text": SUMMARY, "first_delay": 0.3}, {"text": "c"}])
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    compacting = asyncio.create_task(session.compact())
    await _begun(session)
    session.steer("typed meanwhile")
    await compacting
    sent = said((await requests(fake_llm, 4))[-1])
    assert "To build a kite" in sent and "typed meanwhile" in sent
    assert session.last_assistant().text == "c"  # type: ignore[union-attr]
    session.close()


async def test_esc_before_a_prompt_gives_the_prompt_back(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script([{"text": "a"}, {"text": "b"}, {"text": SUMMARY, "first_delay": 30}])
    session = open_with_window(fake_llm, tmp_path, window=10_000)
    await session.prompt(LONG)
    await session.prompt("second")
    before = entries(session)
    prompting = asyncio.create_task(session.prompt(f"third {LONG}"))
    await _begun(session)
    session.abort()
    await prompting
    assert entries(session) == before
    assert [one.text[:5] for one in session.take_back_queued()] == ["third"]
    session.close()


async def test_a_compaction_asked_for_during_a_run_waits_for_the_turn(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "x"}}], "first_delay": 0.2}
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": "a"}, read, {"text": "the whole answer"}]})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    running = asyncio.create_task(session.prompt("second"))
    while not session.running:
        await asyncio.sleep(0)
    result = await session.compact("kites")
    await running
    assert result.summary.startswith(SUMMARY)
    assert session.last_assistant().text == "the whole answer"  # type: ignore[union-attr]
    assert [one["type"] for one in entries(session)].count("compaction") == 1
    session.close()


@BOTH
async def test_a_chinese_session_is_compacted_before_it_overflows(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    chinese = "这个程序需要重新编译才能运行，请先检查配置文件。" * 100
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "好的", "no_usage": True}})
    session = open_with_window(fake_llm, tmp_path, wire, window=9_000)
    for number in range(5):
        await session.prompt(f"{number}{chinese}")
    assert len(chinese) * 5 // 4 < 6_750, "characters / 4 would not have seen it"
    assert compactions(session)
    session.close()


async def test_one_message_that_fills_the_window_is_named(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"default": {"error": "overflow"}})
    session = open_with_window(fake_llm, tmp_path)
    events = session.subscribe()
    await session.prompt(f"this is the one {LONG * 3}")
    told = events.take()
    assert any("this is the one" in str(one.error_message) for one in ends(told))
    assert len(await requests(fake_llm, 1)) == 1
    session.close()


async def test_the_size_after_a_compaction_is_an_estimate_until_the_next_answer(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt(LONG)
    await session.prompt("second")
    counted = session.context_size.known()
    assert counted is not None and not counted.estimated
    result = await session.compact()
    after = session.context_size.known()
    assert after is not None and after.estimated
    assert after.tokens == result.estimated_tokens_after < counted.tokens
    await session.prompt("third")
    again = session.context_size.known()
    assert again is not None and not again.estimated
    # Our estimate was near what the provider counts.
    assert abs(after.tokens - again.tokens) < 0.3 * again.tokens
    path = session.log.path
    session.close()
    assert path is not None
    log = SessionLog.open(path)
    log.close()


async def test_nothing_at_all_is_nothing_to_compact(fake_llm: FakeLLM, tmp_path: Path) -> None:
    session = open_with_window(fake_llm, tmp_path)
    with pytest.raises(CompactionFailed, match="nothing to compact yet"):
        await session.compact()
    assert not session.running
    session.close()


async def _begun(session: Any) -> None:
    async for event in session.subscribe():
        if isinstance(event, CompactionStart):
            return
        assert not isinstance(event, CompactionEnd)
