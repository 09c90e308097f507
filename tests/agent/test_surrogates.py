import msgspec
import pytest

from pi_tui.agent.surrogates import mended
from pi_tui.llm.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage
from pi_tui.llm.stream import TextDelta


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("plain", "plain"),
        ("naïve 😀", "naïve 😀"),
        ("\ud83d\ude00", "😀"),
        ("a\ud83db", "a\ufffdb"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
        ("\ufeffbom\ud83d", "\ufeffbom\ufffd"),
    ],
)
def test_pairs_are_joined_and_lone_ones_replaced(text, whole):
    assert mended(text) == whole


def test_what_is_whole_comes_back_itself():
    message = AssistantMessage([TextContent("naïve 😀")])
    assert mended(message) is message


def test_every_text_of_a_message_or_event_is_mended_and_the_rest_kept():
    message = AssistantMessage(
        [ToolCall("c\ud800", "run", {"k\ud800": [{"x": "\ud800"}], "n": 1})], timestamp=5
    )
    got = mended(message)
    assert got == AssistantMessage(
        [ToolCall("c\ufffd", "run", {"k\ufffd": [{"x": "\ufffd"}], "n": 1})], timestamp=5
    )
    assert message.content[0].id == "c\ud800"
    assert mended(TextDelta(3, "\ud800")) == TextDelta(3, "\ufffd")
    result = mended(ToolResultMessage("c", "run", [], False, details={"seen": ("\ud800",)}))
    msgspec.json.encode(result)


def test_what_is_no_json_at_all_is_left_to_who_writes_it():
    message = ToolResultMessage("c", "run", [], False, details=object())
    assert mended(message) is message
