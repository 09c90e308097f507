"""A stored conversation as blocks."""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from pi_tui.agent.events import PartialResult
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantBlock,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    TextContent,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.tui.transcript.ansi import clean
from pi_tui.tui.transcript.answer_block import AnswerBlock
from pi_tui.tui.transcript.bash_block import BashBlock
from pi_tui.tui.transcript.block import Block, BlockGroup, LazyBlock
from pi_tui.tui.transcript.note_blocks import CustomBlock, SummaryBlock
from pi_tui.tui.transcript.prompt_block import PromptBlock
from pi_tui.tui.transcript.tool_block import ToolBlock

LONG_ANSWER = 8_000
"""Characters of text beyond which a stored answer is shown as several blocks."""
MAX_GROUP_MESSAGES = 12
MAX_GROUP_BYTES = 32 * 1024
"""Answers and results that follow one another are decoded together up to these."""


class Stored(NamedTuple):
    """A message that has not been decoded."""

    role: str
    size: int
    """Bytes."""
    load: Callable[[], AgentMessage | None]
    """Decodes it; None for one that cannot be read."""
    may_say: Callable[[str], bool] = lambda phrase: True
    """False if a phrase in lower case is surely not in it."""


def blocks_for(messages: Iterable[AgentMessage], *, settled: bool = True) -> list[Block]:
    """The blocks of messages in order, results with their calls.

    Args:
        settled: True if no result will come any more: a call without one says so.
    """
    blocks: list[Block] = []
    calls: dict[str, ToolBlock] = {}
    for message in messages:
        match message:
            case UserMessage():
                blocks.append(PromptBlock(message))
            case AssistantMessage():
                blocks += _answer(message, calls)
            case ToolResultMessage():
                blocks += _result(message, calls)
            case BashExecutionMessage():
                blocks.append(BashBlock.stored(message))
            case CustomMessage():
                if message.display:
                    blocks.append(CustomBlock(message))
            case CompactionSummaryMessage() | BranchSummaryMessage():
                blocks.append(SummaryBlock(message))
    if settled:
        for call in calls.values():
            call.interrupt()
    return blocks


def lazy_blocks_for(stored: Sequence[Stored]) -> list[Block]:
    """Blocks that decode their messages when they come near the screen, an answer with its tools' results."""
    return [_lazy(group) for group in _groups(stored)]


def _answer(message: AssistantMessage, calls: dict[str, ToolBlock]) -> list[Block]:
    blocks: list[Block] = []
    answers = [AnswerBlock(part) for part in _parts(message)]
    blocks += [answer for answer in answers if not answer.empty]
    for call in message.tool_calls:
        block = ToolBlock(call.id, call.name, call.arguments)
        calls[call.id] = block
        blocks.append(block)
    return blocks


def _parts(message: AssistantMessage) -> list[AssistantMessage]:
    """A message whose text is very long as several: only those on screen need to be rendered."""
    if (
        sum(len(content.text) for content in message.content if isinstance(content, TextContent))
        <= LONG_ANSWER
    ):
        return [message]
    from pi_tui.tui.transcript.markdown_split import sections

    contents: list[AssistantBlock] = []
    for content in message.content:
        if isinstance(content, TextContent):
            contents += [TextContent(part) for part in sections(clean(content.text), LONG_ANSWER)]
        else:
            contents.append(content)
    parts = [AssistantMessage([content]) for content in contents]
    ending = AssistantMessage([], stop_reason=message.stop_reason, error_message=message.error_message)
    return [*parts, ending]


def _result(message: ToolResultMessage, calls: dict[str, ToolBlock]) -> list[Block]:
    """Gives a result to its call; a result whose call is not there gets a block of its own."""
    call = calls.pop(message.tool_call_id, None)
    alone = call is None
    if call is None:
        call = ToolBlock(message.tool_call_id, message.tool_name, {})
    call.finish(PartialResult(list(message.content), message.details), message.is_error, message.duration_ms)
    return [call] if alone else []


def _groups(stored: Sequence[Stored]) -> Iterable[list[Stored]]:
    """Stretches that are decoded together; results always with their calls."""
    group: list[Stored] = []
    size = 0
    for item in stored:
        full = len(group) >= MAX_GROUP_MESSAGES or size + item.size > MAX_GROUP_BYTES
        goes_on = item.role == "toolResult" or (
            item.role == "assistant"
            and not full
            and group[-1:]
            and group[-1].role in ("assistant", "toolResult")
        )
        if group and not goes_on:
            yield group
            group, size = [], 0
        group.append(item)
        size += item.size
    if group:
        yield group


def _lazy(group: list[Stored]) -> LazyBlock:
    def build() -> Block:
        messages = [message for item in group if (message := item.load()) is not None]
        return BlockGroup(blocks_for(messages))

    size = sum(item.size for item in group)

    def may_say(phrase: str) -> bool:
        return any(item.may_say(phrase) for item in group)

    return LazyBlock(size, build, is_prompt=group[0].role == "user", may_say=may_say)
