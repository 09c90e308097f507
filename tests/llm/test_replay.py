import pytest

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.replay import NO_OUTPUT, NO_RESULT, to_wire

CLAUDE = Model(id="claude", provider="anthropic", api="anthropic-messages", input=("text", "image"))
GPT = Model(id="gpt", provider="openai", api="openai-completions")
MISTRAL = Model(id="m", provider="mistral", api="openai-completions")


def said(*blocks: object, model: Model = CLAUDE, stop: str = "stop") -> AssistantMessage:
    content = [TextContent(block) if isinstance(block, str) else block for block in blocks]
    return AssistantMessage(content, model.api, model.provider, model.id, stop_reason=stop)  # type: ignore[arg-type]


def call(call_id: str) -> ToolCall:
    return ToolCall(call_id, "read", {"path": call_id})


def result(call_id: str, text: str = "ok") -> ToolResultMessage:
    return ToolResultMessage(call_id, "read", [TextContent(text)], False)


def shape(*messages: AgentMessage, model: Model = CLAUDE) -> list[str]:
    """Each message in a word: its role, and for tools the ids."""
    words = []
    for message in to_wire(messages, model):
        match message:
            case UserMessage():
                words.append("user")
            case AssistantMessage():
                words.append(" ".join(["assistant", *(one.id for one in message.tool_calls)]))
            case ToolResultMessage():
                words.append(f"result {message.tool_call_id}{' error' if message.is_error else ''}")
    return words


def test_a_call_without_result_gets_one_right_behind_it() -> None:
    wire = to_wire([UserMessage("go"), said(call("a"), call("b")), result("b"), UserMessage("on")], CLAUDE)
    assert [type(message).__name__ for message in wire] == [
        "UserMessage",
        "AssistantMessage",
        "ToolResultMessage",
        "ToolResultMessage",
        "UserMessage",
    ]
    assert wire[2] == ToolResultMessage("a", "read", [TextContent(NO_RESULT)], True)


def test_results_are_put_in_the_order_of_their_calls() -> None:
    assert shape(
        UserMessage("go"), said(call("a"), call("b")), result("b"), UserMessage("x"), result("a")
    ) == [
        "user",
        "assistant a b",
        "result a",
        "result b",
        "user",
    ]


def test_orphans_and_second_results_are_dropped() -> None:
    assert shape(UserMessage("go"), result("z"), said(call("a")), result("a"), result("a")) == [
        "user",
        "assistant a",
        "result a",
    ]


def test_a_failed_response_stays_only_with_calls_that_were_answered() -> None:
    assert shape(UserMessage("go"), said("half", stop="aborted"), UserMessage("on")) == ["user", "user"]
    assert shape(UserMessage("go"), said(call("a"), stop="error"), UserMessage("on")) == ["user", "user"]
    assert shape(
        UserMessage("go"), said(call("a"), call("b"), stop="aborted"), result("a"), UserMessage("on")
    ) == [
        "user",
        "assistant a",
        "result a",
        "user",
    ]


def test_ids_that_come_again_are_told_apart() -> None:
    history = [UserMessage("go"), said(call("0")), result("0", "one"), said(call("0")), result("0", "two")]
    wire = to_wire(history, CLAUDE)
    ids = [message.tool_call_id for message in wire if isinstance(message, ToolResultMessage)]
    assert ids[0] == "0"
    assert ids[1] != "0"
    second = wire[3]
    assert isinstance(second, AssistantMessage)
    assert second.tool_calls[0].id == ids[1]
    assert [message.content[0].text for message in wire if isinstance(message, ToolResultMessage)] == [
        "one",
        "two",
    ]  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("model", "form"),
    [(CLAUDE, r"[a-zA-Z0-9_-]{1,64}"), (GPT, r"[a-zA-Z0-9_-]{1,40}"), (MISTRAL, r"[a-zA-Z0-9]{9}")],
)
def test_ids_fit_the_providers_alphabet_and_length(model: Model, form: str) -> None:
    import re

    long = "call_abc|fc_" + "x" * 70
    first, second = (
        shape(UserMessage("go"), said(call(long + end)), result(long + end), model=model) for end in "12"
    )
    ids = [line.split()[1] for line in first[1:]] + [line.split()[1] for line in second[1:]]
    assert ids[0] == ids[1] != ids[2] == ids[3]
    assert all(re.fullmatch(form, one) for one in ids)


def test_thinking_stays_signed_for_its_own_model_and_is_text_for_another() -> None:
    history = [UserMessage("go"), said(ThinkingContent("hm", "sig"), "yes"), UserMessage("on")]
    assert to_wire(history, CLAUDE)[1].content[0] == ThinkingContent("hm", "sig")
    assert to_wire(history, GPT)[1].content[0] == TextContent("hm")


def test_redacted_thinking_is_for_its_own_model_alone() -> None:
    history = [UserMessage("go"), said(ThinkingContent("", "data", True), "yes"), UserMessage("on")]
    assert to_wire(history, CLAUDE)[1].content[0] == ThinkingContent("", "data", True)
    assert to_wire(history, GPT)[1].content == [TextContent("yes")]


def test_unsigned_thinking_is_text_unless_the_server_takes_it() -> None:
    history = [UserMessage("go"), said(ThinkingContent("hm", ""), "yes"), UserMessage("on")]
    assert to_wire(history, CLAUDE)[1].content[0] == TextContent("hm")
    lenient = Model(
        id="claude", provider="anthropic", api="anthropic-messages", compat={"allowEmptySignature": True}
    )
    assert to_wire(history, lenient)[1].content[0] == ThinkingContent("hm", "")


def test_empty_blocks_and_messages_are_left_out() -> None:
    assert shape(
        UserMessage("go"), said("", ThinkingContent(" ")), UserMessage(" \n"), UserMessage("on")
    ) == [
        "user",
        "user",
    ]


def test_a_silent_result_says_so() -> None:
    silent = ToolResultMessage("a", "bash", [TextContent("")], False)
    wire = to_wire([UserMessage("go"), said(call("a")), silent], CLAUDE)
    assert wire[2].content == [TextContent(NO_OUTPUT)]


def test_a_history_that_begins_with_an_answer_gets_a_beginning() -> None:
    assert shape(said("so"), UserMessage("on")) == ["user", "assistant", "user"]


def test_images_of_a_kind_no_provider_takes_become_a_note() -> None:
    shown = UserMessage([TextContent("see"), ImageContent("QUJD", "application/pdf")])
    assert all(isinstance(block, TextContent) for block in to_wire([shown], CLAUDE)[0].content)


def test_tool_names_a_model_made_up_are_made_legal() -> None:
    odd = ToolCall("a", "functions.read file", {})
    wire = to_wire([UserMessage("go"), said(odd), UserMessage("on")], CLAUDE)
    assert wire[1].content[0].name == "functions_read_file"  # type: ignore[union-attr]


def test_summaries_become_user_messages_with_the_summary_in_tags() -> None:
    for message in (CompactionSummaryMessage("the summary", 1000), BranchSummaryMessage("the summary", "x")):
        wire = to_wire([message], GPT)
        assert isinstance(wire[0], UserMessage)
        assert str(wire[0].content).endswith("<summary>\nthe summary\n</summary>")


def test_the_users_own_command_is_told_with_output_and_code() -> None:
    ran = BashExecutionMessage(
        "make", "```\nboom\n", exit_code=2, truncated=True, full_output_path="/tmp/full"
    )
    told = to_wire([ran], GPT)[0].content
    assert "`make`" in told
    assert "````\n```\nboom\n````" in told
    assert "Exit code: 2" in told
    assert "/tmp/full" in told


def test_a_command_without_output_or_that_was_stopped_says_so() -> None:
    told = to_wire([BashExecutionMessage("sleep 9", "", cancelled=True)], GPT)[0].content
    assert "(no output)" in told
    assert "(command cancelled)" in told


def test_what_is_not_for_the_model_does_not_reach_it() -> None:
    hidden = BashExecutionMessage("ls", "x", exit_code=0, exclude_from_context=True)
    assert to_wire([SystemMessage("s"), hidden, CustomMessage("note", "hi", False)], GPT) == [
        UserMessage("hi")
    ]
