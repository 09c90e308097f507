"""Whatever a history holds, all services take what is made of it."""

from hypothesis import given, settings
from hypothesis import strategies as st

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    ToolSpec,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.replay import to_wire
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.unicode import valid_json
from pi_tui.llm.wires import anthropic_request, openai_request, responses_request
from tests.support.fakellm import judge_anthropic, judge_openai, judge_responses

MODELS = [
    Model(id="a", provider="p", api="anthropic-messages", reasoning=True, input=("text", "image")),
    Model(id="a", provider="p", api="openai-completions", reasoning=True, input=("text", "image")),
    Model(id="b", provider="mistral", api="openai-completions"),
    Model(id="a", provider="p", api="openai-responses", reasoning=True, input=("text", "image")),
]
TOOLS = [ToolSpec("read", "Reads.", {"type": "object"})]

words = st.sampled_from(["", " ", "hm", "zwei\nZeilen", "\ud83d", "日本"])
ids = st.sampled_from(["", "1", "2", "call|3", "call|fc_3", "call_2|fc_3", "x" * 90])
images = st.builds(ImageContent, st.sampled_from(["", "QUJD"]), st.sampled_from(["image/png", "image/tiff"]))
said_by_user = st.lists(st.builds(TextContent, words) | images, max_size=3)
calls = st.builds(
    ToolCall, ids, st.sampled_from(["read", "", "a.b", "n" * 80]), st.dictionaries(words, words, max_size=1)
)
REASONING = '{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"sealed"}'
thoughts = st.builds(ThinkingContent, words, st.sampled_from([None, "", "sig", REASONING]), st.booleans())
said = st.builds(TextContent, words, st.sampled_from([None, "sig", '{"v":1,"id":"msg_1"}']))
origins = st.sampled_from([(model.api, model.provider, model.id) for model in MODELS])


@st.composite
def answers(draw: st.DrawFn) -> AssistantMessage:
    content = draw(st.lists(st.one_of(said, thoughts, calls, calls), max_size=4))
    api, provider, model = draw(origins)
    stop = draw(st.sampled_from(["stop", "toolUse", "toolUse", "length", "error", "aborted", "pending"]))
    return AssistantMessage(content, api, provider, model, stop_reason=stop)


messages = st.one_of(
    st.builds(UserMessage, words | said_by_user),
    answers(),
    answers(),
    answers(),
    st.builds(ToolResultMessage, ids, st.just("read"), said_by_user, st.booleans()),
    st.builds(ToolResultMessage, ids, st.just("read"), said_by_user, st.booleans()),
    st.builds(CustomMessage, st.just("note"), words | said_by_user, st.booleans()),
    st.builds(CompactionSummaryMessage, words, st.just(1)),
    st.builds(BranchSummaryMessage, words, st.none()),
    st.builds(BashExecutionMessage, words, words),
)
histories = st.lists(messages, max_size=4) | st.lists(messages, min_size=4, max_size=12)


@settings(max_examples=120, deadline=None)
@given(histories, st.sampled_from(MODELS))
def test_the_strict_judge_takes_every_repaired_history(history: list[AgentMessage], model: Model) -> None:
    wire = to_wire(history, model)
    if not wire:
        return
    context = Context("Be brief.", wire, TOOLS)
    options = StreamOptions(thinking_level="high")
    if model.api == "openai-responses":
        judge_responses.judge(valid_json(responses_request.request_body(model, context, options)))
    elif model.api == "anthropic-messages":
        judge_anthropic.judge(valid_json(anthropic_request.request_body(model, context, options)))
    else:
        judge_openai.judge(valid_json(openai_request.request_body(model, context, options)))


@settings(max_examples=80, deadline=None)
@given(histories, st.sampled_from(MODELS))
def test_repairing_twice_changes_nothing(history: list[AgentMessage], model: Model) -> None:
    once = to_wire(history, model)
    assert to_wire(once, model) == once


@settings(max_examples=40, deadline=None)
@given(histories, st.sampled_from(MODELS))
def test_the_history_itself_is_not_touched(history: list[AgentMessage], model: Model) -> None:
    before = repr(history)
    to_wire(history, model)
    assert repr(history) == before
