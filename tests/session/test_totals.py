"""Tokens, cost and counts over all branches."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_tui.llm.messages import AssistantMessage, Cost, TextContent, ToolResultMessage, Usage, UserMessage
from pi_tui.session import totals as totals_module
from pi_tui.session.log import SessionLog
from pi_tui.session.totals import SessionTotals
from tests.session.conftest import OpenBytes
from tests.session.session_lines import HEADER, entry_line, user_line


def used(tokens: int) -> Usage:
    return Usage(input=tokens, output=1, total_tokens=tokens + 1, cost=Cost(input=0.5, total=0.5))


@pytest.fixture
def log() -> SessionLog:
    return SessionLog.create(Path("/project"), None)


def counted(log: SessionLog) -> SessionTotals:
    totals = SessionTotals(log)
    for _ in totals.update():
        pass
    return totals


def answer(model: str, tokens: int) -> AssistantMessage:
    return AssistantMessage(content=[TextContent("x")], provider="p", model=model, usage=used(tokens))


def test_every_branch_and_every_kind_of_use_counts(log: SessionLog) -> None:
    first = log.append_message(UserMessage(content="hello"))
    log.append_message(answer("a", 10))
    log.append_message(
        ToolResultMessage(tool_call_id="c", tool_name="f", content=[], is_error=False, usage=used(100))
    )
    log.append_compaction("sum", None, 5, usage=used(1_000))
    log.move_to(first)
    log.append_branch_summary("sum", None, usage=used(10_000))
    log.append_message(answer("b", 100_000))
    log.append_usage("cache_warm", "q", "c", used(1_000_000))
    totals = counted(log)
    assert totals.usage.input == 1_111_110
    assert totals.usage.cost.total == pytest.approx(3.0)
    assert {model: usage.input for model, usage in totals.per_model.items()} == {
        "p/a": 1_110,
        "unknown": 10_000,
        "p/b": 100_000,
        "q/c": 1_000_000,
    }
    assert totals.messages == {"user": 1, "assistant": 2, "toolResult": 1}


def test_a_summary_is_put_down_to_the_model_chosen_before_it(log: SessionLog) -> None:
    log.append_model_change("p", "chosen")
    log.append_usage("cache_warm", "q", "other", used(1))
    log.append_compaction("sum", None, 5, usage=used(10))
    assert counted(log).per_model["p/chosen"].input == 10


def test_an_update_counts_only_what_is_new(log: SessionLog, monkeypatch: pytest.MonkeyPatch) -> None:
    log.append_message(answer("a", 1))
    totals = counted(log)
    read: list[bytes] = []
    original = totals_module._read
    monkeypatch.setattr(totals_module, "_read", lambda raw: (read.append(raw), original(raw))[1])
    last = log.append_message(answer("a", 2))
    assert list(totals.update()) == []
    assert read == [log.raw(last)]
    assert totals.usage.input == 3


def test_it_pauses_after_every_slice(log: SessionLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(totals_module, "SLICE_ENTRIES", 10)
    for _ in range(25):
        log.append_message(UserMessage(content="x"))
    totals = SessionTotals(log)
    steps: Iterator[None] = totals.update()
    next(steps)
    assert totals.messages["user"] == 10
    assert len(list(steps)) == 1
    assert totals.messages["user"] == 25
    monkeypatch.setattr(totals_module, "SLICE_BYTES", 1)
    assert len(list(SessionTotals(log).update())) == 25


def test_lines_that_do_not_fit_count_as_far_as_they_can_be_read(open_bytes: OpenBytes) -> None:
    lines = [
        entry_line(
            "message",
            "aaaaaaaa",
            None,
            '"message":{"role":"assistant","provider":"p","model":"a","usage":{"input":3.0,"cost":{"total":"x"}}}',
        ),
        entry_line("message", "bbbbbbbb", "aaaaaaaa", '"message":7'),
        user_line("cccccccc", "bbbbbbbb"),
    ]
    totals = counted(open_bytes(HEADER + b"\n".join(lines) + b"\n"))
    assert totals.usage.input == 3
    assert totals.messages["user"] == 1
