from hypothesis import given
from hypothesis import strategies as st

from pi_tui.agent.events import AgentStart, MessageUpdate
from pi_tui.llm.messages import Usage
from pi_tui.llm.stream import TextDelta, ToolCallDelta
from pi_tui.runtime.deltas import delta_size, joined_deltas, split_delta


@given(st.text(), st.integers(min_value=1, max_value=50))
def test_the_parts_of_a_delta_are_the_delta(text: str, characters: int) -> None:
    rest: object = MessageUpdate(Usage(), TextDelta(3, text))
    joined = TextDelta(3, "")
    while rest is not None:
        head, rest = split_delta(rest, characters)  # type: ignore[arg-type]
        assert isinstance(head, MessageUpdate)
        assert delta_size(head) <= characters
        joined = joined_deltas(joined, head.assistant_message_event)  # type: ignore[assignment]
    assert joined == TextDelta(3, text)


def test_what_is_no_text_is_not_divided() -> None:
    call = MessageUpdate(Usage(), ToolCallDelta(0, "x" * 100))
    assert split_delta(call, 10) == (call, None)
    assert split_delta(AgentStart(), 10) == (AgentStart(), None)
