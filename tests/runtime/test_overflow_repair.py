"""Requests that a provider finds too long, and answers that the window cuts off, over real wires."""

from pathlib import Path

import pytest

from pi_tui.agent.events import AgentEnd
from pi_tui.llm.messages import AssistantMessage
from pi_tui.runtime.compacting import CompactionFailed
from pi_tui.runtime.events import CompactionStart, Notice
from pi_tui.session.entries import ContextEditEntry
from tests.support.compacted import (
    SUMMARISES,
    SUMMARY,
    compactions,
    ends,
    open_with_window,
    requests,
    results,
    said,
)
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown

BOTH = pytest.mark.parametrize("wire", ["openai", "anthropic"])
LONG = markdown(4_000)


@BOTH
async def test_an_overflow_is_repaired_once(fake_llm: FakeLLM, tmp_path: Path, wire: str) -> None:
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": "a"}, {"text": "b"}]})
    session = open_with_window(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second")
    fake_llm.push({"error": "overflow"}, {"text": "it fits now"})
    events = session.subscribe()
    await session.prompt("third")
    told = events.take()
    (end,) = ends(told)
    assert (end.reason, end.will_retry) == ("overflow", True)
    assert [one.will_retry for one in told if isinstance(one, AgentEnd)] == [True, False]
    assert session.last_assistant().text == "it fits now"  # type: ignore[union-attr]
    edits = [session.log.entry(one) for one in session.log.branch()]
    (edit,) = [one for one in edits if isinstance(one, ContextEditEntry)]
    assert edit.replacement is None
    failed = session.log.entry(edit.target_id)
    assert failed.message.stop_reason == "error"  # type: ignore[union-attr]
    assert "third" in said((await requests(fake_llm, 5))[-1])
    session.close()


@BOTH
async def test_an_overflow_between_two_tools_is_repaired_with_their_results(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    (tmp_path / "x").write_text("the content of x")
    read = {"tool_calls": [{"name": "read", "arguments": {"path": "x"}}]}
    fake_llm.script(
        {"rules": [SUMMARISES], "responses": [{"text": "a"}, read, {"error": "overflow"}, {"text": "b"}]}
    )
    session = open_with_window(fake_llm, tmp_path, wire)
    await session.prompt("first")
    events = session.subscribe()
    await session.prompt("second")
    (end,) = ends(events.take())
    assert (end.reason, end.will_retry) == ("overflow", True)
    assert session.last_assistant().text == "b"  # type: ignore[union-attr]
    sent = said((await requests(fake_llm, 5))[-1])
    assert "the content of x" in sent and "second" in sent, "no tool runs twice"
    session.close()


async def test_a_second_overflow_ends_with_advice(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": "a"}]})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    fake_llm.push({"error": "overflow", "repeat": 5})
    events = session.subscribe()
    await session.prompt("second")
    told = events.take()
    assert len(results(told)) == 1
    (notice,) = [one.text for one in told if isinstance(one, Notice)]
    assert "/tree" in notice and "/model" in notice
    assert len(await requests(fake_llm, 4)) == 4, "it does not loop"
    session.close()


async def test_a_summary_request_that_is_too_long_is_made_smaller(fake_llm: FakeLLM, tmp_path: Path) -> None:
    fake_llm.script({"responses": [{"text": "a"}, {"text": "b"}]})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt(f"first {LONG}")
    await session.prompt("second")
    overflows = {"when": {"contains": "<conversation>"}, "error": "overflow", "times": 2}
    fake_llm.script({"rules": [overflows, SUMMARISES]})
    result = await session.compact()
    asked = [said(body) for body in (await requests(fake_llm, 6))[2:]]
    assert [len(one) for one in asked[:3]] == sorted((len(one) for one in asked[:3]), reverse=True)
    assert "<previous-summary>" in asked[-1], "the rest follows, window by window"
    assert result.usage.total_tokens > 0
    session.close()


async def test_a_summary_request_of_next_to_nothing_is_not_sent_again(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script({"responses": [{"text": "a"}, {"text": "b"}], "default": {"error": "overflow"}})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    with pytest.raises(CompactionFailed, match="/model chooses one with a larger window"):
        await session.compact()
    assert len(await requests(fake_llm, 3)) == 3
    session.close()


async def test_an_answer_that_the_window_cut_off_is_asked_for_again(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": "a"}, {"text": "b"}]})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    fake_llm.push({"text": "Th", "stop": "length"}, {"text": "The whole answer"})
    events = session.subscribe()
    await session.prompt("third")
    assert [one.reason for one in ends(events.take())] == ["overflow"]
    texts = [one.text for one in session.log.project().messages if isinstance(one, AssistantMessage)]
    assert "The whole answer" in texts and "Th" not in texts
    session.close()


async def test_an_answer_at_its_own_limit_is_left_alone(fake_llm: FakeLLM, tmp_path: Path) -> None:
    long_answer = {"text": "word " * 400, "stop": "length"}
    fake_llm.script({"rules": [SUMMARISES], "responses": [{"text": "a"}, long_answer]})
    session = open_with_window(fake_llm, tmp_path)
    await session.prompt("first")
    await session.prompt("second")
    assert compactions(session) == []
    session.close()


async def test_switched_off_nothing_is_compacted_and_an_overflow_is_told(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "ok"}})
    session = open_with_window(fake_llm, tmp_path, window=8_000, compaction={"enabled": False})
    await session.prompt(LONG)
    await session.prompt(LONG)
    events = session.subscribe()
    fake_llm.script([{"error": "overflow", "repeat": 3}])
    await session.prompt("more")
    told = events.take()
    assert not any(isinstance(one, CompactionStart) for one in told)
    (notice,) = [one.text for one in told if isinstance(one, Notice)]
    assert "compaction.enabled" in notice and "/compact" in notice
    assert len(await requests(fake_llm, 3)) == 3
    fake_llm.script({"rules": [SUMMARISES]})
    assert (await session.compact()).summary.startswith(SUMMARY)
    session.close()
