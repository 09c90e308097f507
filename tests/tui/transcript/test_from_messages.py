"""A stored conversation becomes blocks, results with their calls."""

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CustomMessage,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.tui.transcript.block import Block, BlockGroup
from pi_tui.tui.transcript.from_messages import LONG_ANSWER, Stored, blocks_for, lazy_blocks_for
from pi_tui.tui.transcript.line import Look
from pi_tui.tui.transcript.tool_block import ToolBlock


def call(call_id: str) -> ToolCall:
    return ToolCall(call_id, "bash", {"command": f"run {call_id}"})


def answer(call_id: str, text: str) -> ToolResultMessage:
    return ToolResultMessage(call_id, "bash", [TextContent(text)], False)


def shown(blocks: list[Block], look: Look) -> list[str]:
    return [line.text.rstrip() for block in blocks for line in block.lines(look)]


def stored(messages: list[AgentMessage]) -> list[Stored]:
    roles = {UserMessage: "user", AssistantMessage: "assistant", ToolResultMessage: "toolResult"}
    return [Stored(roles.get(type(m), "other"), 100, lambda m=m: m) for m in messages]


CONVERSATION: list[AgentMessage] = [
    SystemMessage("hidden"),
    UserMessage("go"),
    AssistantMessage(
        [ThinkingContent("hm"), TextContent("on it"), call("a"), call("b")], stop_reason="toolUse"
    ),
    answer("b", "second"),
    answer("a", "first"),
    AssistantMessage([call("c")], stop_reason="toolUse"),
    answer("c", "third"),
    AssistantMessage([TextContent("done")]),
]


def test_results_stand_with_their_calls_in_the_order_of_the_calls(look: Look) -> None:
    assert shown([BlockGroup(blocks_for(CONVERSATION))], look)[1:] == [
        "▌ go",
        "",
        "  hm",
        "",
        "  on it",
        "",
        "✓ $ run a",
        "  │ first",
        "✓ $ run b",
        "  │ second",
        "✓ $ run c",
        "  │ third",
        "",
        "  done",
    ]


def test_a_call_without_result_says_so(look: Look) -> None:
    (block,) = blocks_for([AssistantMessage([call("a")], stop_reason="toolUse")])
    assert isinstance(block, ToolBlock)
    assert block.state == "interrupted"


def test_a_call_of_a_run_that_goes_on_is_pending() -> None:
    (block,) = blocks_for([AssistantMessage([call("a")], stop_reason="toolUse")], settled=False)
    assert isinstance(block, ToolBlock)
    assert block.state == "pending"


def test_a_result_without_call_is_shown_too(look: Look) -> None:
    assert "  │ alone" in shown(blocks_for([answer("x", "alone")]), look)


def test_messages_that_are_not_for_display_have_no_block() -> None:
    assert blocks_for([SystemMessage("x"), CustomMessage("note", "x", False)]) == []


def test_every_other_kind_has_one() -> None:
    messages: list[AgentMessage] = [
        BashExecutionMessage("ls", "x"),
        CustomMessage("note", "x", True),
        BranchSummaryMessage("x", None),
    ]
    assert len(blocks_for(messages)) == 3


def test_lazy_blocks_show_the_same(look: Look) -> None:
    blocks = lazy_blocks_for(stored(CONVERSATION))
    whole = [line for line in shown(blocks_for(CONVERSATION), look) if line]
    assert [line for line in shown(blocks, look) if line] == whole


def test_lazy_blocks_decode_nothing_before_they_are_shown(look: Look) -> None:
    loaded: list[int] = []

    def load(number: int) -> AgentMessage:
        loaded.append(number)
        return UserMessage(f"prompt {number}")

    blocks = lazy_blocks_for([Stored("user", 10, lambda n=n: load(n)) for n in range(1_000)])
    assert loaded == []
    assert [block.is_prompt for block in blocks] == [True] * 1_000
    assert "▌ prompt 7" in shown([blocks[7]], look)
    assert loaded == [7]


def test_a_lazy_block_far_away_gives_its_content_back(look: Look) -> None:
    loaded: list[int] = []

    def load() -> AgentMessage:
        loaded.append(1)
        return UserMessage("hi")

    (block,) = lazy_blocks_for([Stored("user", 10, load)])
    block.lines(look)
    block.forget()
    block.lines(look)
    assert len(loaded) == 2


def test_results_are_never_parted_from_their_call() -> None:
    messages: list[AgentMessage] = []
    for number in range(40):
        messages += [AssistantMessage([call(str(number))], stop_reason="toolUse"), answer(str(number), "out")]
    blocks = lazy_blocks_for([Stored(s.role, 9_000, s.load) for s in stored(messages)])
    assert len(blocks) > 10
    assert not any("no result" in block.text() for block in blocks)


def test_a_message_that_cannot_be_read_is_left_out(look: Look) -> None:
    (block,) = lazy_blocks_for([Stored("user", 10, lambda: None)])
    assert block.lines(look) == []


def test_a_very_long_answer_is_several_blocks_with_the_same_text(look: Look) -> None:
    text = "\n\n".join(f"paragraph {n} of text\n\n```py\nx = {n}\n\n\ny = 1\n```" for n in range(300))
    assert len(text) > LONG_ANSWER
    blocks = blocks_for([AssistantMessage([TextContent(text)], stop_reason="length")])
    assert len(blocks) >= 2
    rows = shown(blocks, look)
    assert sum("paragraph" in row for row in rows) == 300
    assert sum("│ x =" in row for row in rows) == 300
    assert rows[-1].startswith("■ Cut off")
