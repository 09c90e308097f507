"""Deltas of a growing message, joined for readers that are slow and divided for readers that are careful."""

from msgspec.structs import replace

from pi_tui.agent.events import MessageUpdate
from pi_tui.llm.stream import AssistantEvent, TextDelta, ThinkingDelta, ToolCallDelta
from pi_tui.runtime.events import SessionEvent


def joined_deltas(first: AssistantEvent, second: AssistantEvent) -> AssistantEvent | None:
    """One delta that says what both say; None where they are not deltas of one block."""
    if type(first) is not type(second) or first.content_index != second.content_index:
        return None
    if isinstance(first, TextDelta | ThinkingDelta | ToolCallDelta):
        assert isinstance(second, TextDelta | ThinkingDelta | ToolCallDelta)
        return type(first)(first.content_index, first.delta + second.delta)
    return None


def delta_size(event: SessionEvent) -> int:
    """Characters of text in an event."""
    step = event.assistant_message_event if isinstance(event, MessageUpdate) else None
    return len(step.delta) if isinstance(step, TextDelta | ThinkingDelta) else 0


def split_delta(event: SessionEvent, characters: int) -> tuple[SessionEvent, SessionEvent | None]:
    """An event in two: at most so many characters of text, and the rest, if there is one."""
    if not isinstance(event, MessageUpdate) or delta_size(event) <= characters:
        return event, None
    step = event.assistant_message_event
    assert isinstance(step, TextDelta | ThinkingDelta)
    head, rest = step.delta[:characters], step.delta[characters:]
    return (
        replace(event, assistant_message_event=replace(step, delta=head)),
        replace(event, assistant_message_event=replace(step, delta=rest)),
    )
