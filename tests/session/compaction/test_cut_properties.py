"""Whatever was said, and wherever it is cut: what is kept is legal, and nothing gets lost between the halves."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.llm.estimate import estimate_message, estimate_text
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    SystemMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
    text_of,
)
from pi_tui.llm.replay import NO_RESULT, to_wire
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.unicode import valid_json
from pi_tui.llm.wires import anthropic_request, openai_request
from pi_tui.session.compaction.budgets import Budgets
from pi_tui.session.compaction.cut import find_cut, legal_cuts
from pi_tui.session.compaction.prepare import NothingToCompact, prepare
from pi_tui.session.compaction.serialise import serialise
from pi_tui.session.compaction.summary_text import composed
from pi_tui.session.log import SessionLog
from tests.session.compaction.conversations import MODELS, conversations, log_of
from tests.support.fakellm import judge_anthropic, judge_openai

QUICK = settings(max_examples=60, deadline=None)
keeps = st.integers(0, 400)


def sizes_of(messages: list[AgentMessage]) -> list[int]:
    return [estimate_message(message, estimate_text) for message in messages]


def talk(messages: list[AgentMessage]) -> list[AgentMessage]:
    return [message for message in messages if not isinstance(message, SystemMessage)]


def judged(messages: list[AgentMessage]) -> None:
    """Both services take it, and repairing it again changes nothing."""
    for model in MODELS:
        wire = to_wire(messages, model)
        assert to_wire(wire, model) == wire
        context = Context("Be brief.", wire, [ToolSpec("read", "Reads.", {"type": "object"})])
        if model.api == "anthropic-messages":
            judge_anthropic.judge(valid_json(anthropic_request.request_body(model, context, StreamOptions())))
        else:
            judge_openai.judge(valid_json(openai_request.request_body(model, context, StreamOptions())))


def invented(messages: list[AgentMessage]) -> int:
    """Results that had to be made up for a request."""
    return sum(
        isinstance(one, ToolResultMessage) and text_of(one.content) == NO_RESULT
        for one in to_wire(messages, MODELS[1])
    )


@QUICK
@given(conversations())
def test_at_every_legal_cut_calls_and_results_stay_together(messages: list[AgentMessage]) -> None:
    messages = talk(messages)
    made_up = invented(messages)
    for cut in legal_cuts(messages):
        kept = messages[cut:]
        called = {call.id for one in kept if isinstance(one, AssistantMessage) for call in one.tool_calls}
        assert {one.tool_call_id for one in kept if isinstance(one, ToolResultMessage)} <= called
        assert invented(messages[:cut]) + invented(kept) == made_up
        judged(kept)


@QUICK
@given(conversations(), keeps)
def test_what_fits_the_budget_is_kept(messages: list[AgentMessage], keep: int) -> None:
    messages = talk(messages)
    sizes = sizes_of(messages)
    cut = find_cut(messages, sizes, keep)
    if cut is None:
        assert not legal_cuts(messages)
        return
    assert cut in legal_cuts(messages)
    fits = [one for one in legal_cuts(messages) if sum(sizes[one:]) <= min(keep, sum(sizes) // 2)]
    assert cut <= min(fits, default=len(messages))


def test_where_no_cut_keeps_enough_the_one_that_keeps_most_is_taken() -> None:
    call = ToolCall("1", "read", {"path": "a"})
    messages: list[AgentMessage] = [
        UserMessage("a long prompt " * 20),
        AssistantMessage([TextContent("x"), call], stop_reason="toolUse"),
        UserMessage("steering"),
    ]
    assert legal_cuts(messages) == [1, 2]
    assert find_cut(messages, sizes_of(messages), keep=16) == 1


def test_a_tool_result_is_never_the_cut_point() -> None:
    stray = ToolResultMessage("of another", "read", [TextContent("x")], False)
    assert legal_cuts([UserMessage("a"), stray, UserMessage("b")]) == [2]


def test_a_prompt_that_nothing_has_answered_is_never_cut_off() -> None:
    failed = AssistantMessage([TextContent("half")], stop_reason="error")
    talk = [UserMessage("a"), AssistantMessage([TextContent("b")]), UserMessage("c"), failed]
    assert legal_cuts([*talk, BashExecutionMessage("ls", "x")]) == [1, 2]


@pytest.mark.parametrize(
    ("last", "cut"),
    [
        (AssistantMessage([TextContent("long " * 99)], stop_reason="stop"), 2),
        (AssistantMessage([ToolCall("1", "read", {"path": "a"})], stop_reason="toolUse"), 1),
        (AssistantMessage([TextContent("long " * 99)], stop_reason="aborted"), None),
    ],
    ids=["an answer", "a call that waits", "half an answer"],
)
def test_nothing_is_kept_only_behind_a_finished_answer(last: AssistantMessage, cut: int | None) -> None:
    messages: list[AgentMessage] = [UserMessage("a prompt"), last]
    assert find_cut(messages, sizes_of(messages), keep=0, most=0) == cut


@QUICK
@given(conversations(), keeps, st.integers(0, 400))
def test_no_more_than_the_window_takes_is_kept_where_that_is_possible(
    messages: list[AgentMessage], keep: int, most: int
) -> None:
    messages = talk(messages)
    sizes = sizes_of(messages)
    cut = find_cut(messages, sizes, keep, most)
    if (
        cut is not None
        and cut < len(messages)
        and any(sum(sizes[one:]) <= most for one in legal_cuts(messages))
    ):
        assert sum(sizes[cut:]) <= most


@QUICK
@given(conversations(), keeps)
def test_nothing_is_kept_only_of_a_finished_conversation(messages: list[AgentMessage], keep: int) -> None:
    messages = talk(messages)
    if find_cut(messages, sizes_of(messages), keep, most=0) == len(messages):
        last = messages[-1]
        assert isinstance(last, AssistantMessage) and not last.tool_calls
        assert last.stop_reason in ("stop", "length")


@settings(max_examples=80, deadline=None)
@given(st.data(), conversations(least=2), st.integers(1, 4))
def test_chained_compactions_keep_every_request_legal(
    data: st.DataObject, messages: list[AgentMessage], times: int
) -> None:
    log = log_of(messages)
    for number in range(times):
        newest = newest_prompt(log)
        compact(log, data.draw(keeps), f"summary {number}")
        projection = log.project()
        judged(projection.messages)
        said = "\n".join(
            text_of(one.content) if isinstance(one, UserMessage) else getattr(one, "summary", "")
            for one in projection.messages
        )
        assert newest in said, "the newest prompt is never summarised away"
        for message in data.draw(conversations()):
            log.append_message(message)


@QUICK
@given(conversations(least=2), keeps)
def test_everything_is_either_summarised_or_kept(messages: list[AgentMessage], keep: int) -> None:
    log = log_of(messages)
    projection = log.project()
    try:
        made = prepare(projection, sizes_of(projection.messages), Budgets(100_000, 250, keep), log.entry)
    except NothingToCompact:
        return
    kept = projection.entry_ids.index(str(made.first_kept_entry_id))
    assert [*made.history, *made.turn] == serialise(projection.messages[:kept])
    prompts = [one for one in projection.messages[:kept] if isinstance(one, UserMessage)]
    summarised = "\n\n".join([*made.history, *made.turn])
    assert all(text_of(one.content).strip() in summarised for one in prompts)
    kept_texts = [text_of(one.content) for one in projection.messages[kept:] if isinstance(one, UserMessage)]
    assert not any(f"[User]: {text}" in summarised.split("\n\n") for text in kept_texts)


def compact(log: SessionLog, keep: int, summary: str) -> None:
    projection = log.project()
    try:
        made = prepare(projection, sizes_of(projection.messages), Budgets(2_000, 250, keep), log.entry)
    except NothingToCompact:
        return
    log.append_compaction(
        composed(summary, made.files, made.prompt), made.first_kept_entry_id, 1, details=made.files.details
    )


def newest_prompt(log: SessionLog) -> str:
    entries = [log.entry(one) for one in log.branch() if log.role(one) == "user"]
    return text_of(entries[-1].message.content).strip()  # type: ignore[union-attr]
