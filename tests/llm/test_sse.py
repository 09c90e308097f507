import pytest
from hypothesis import given
from hypothesis import strategies as st

from pi_tui.llm.sse import SseDecoder, SseError


def decode(*chunks: bytes) -> list[bytes]:
    decoder = SseDecoder()
    return [event for chunk in chunks for event in decoder.feed(chunk)] + decoder.close()


def test_an_event_is_its_data() -> None:
    assert decode(b'event: ping\nid: 7\ndata: {"a":1}\n\n: comment\n\ndata:[DONE]\n\n') == [
        b'{"a":1}',
        b"[DONE]",
    ]


def test_lines_may_end_with_cr_lf() -> None:
    assert decode(b"data: a\r\n\r\ndata: b\r\n\r\n") == [b"a", b"b"]


def test_several_data_lines_are_one_event() -> None:
    assert decode(b"data: a\ndata: b\n\n") == [b"a\nb"]


def test_separators_that_only_unicode_knows_are_content() -> None:
    content = "one\u2028two\u2029three\u0085four".encode()
    assert decode(b"data: " + content + b"\n\n") == [content]


def test_the_last_event_may_lack_its_empty_line() -> None:
    assert decode(b"data: a\n\ndata: [DONE]") == [b"a", b"[DONE]"]


@given(st.lists(st.text(st.characters(exclude_characters="\r\n"), min_size=1)), st.integers(1, 7))
def test_how_the_network_cuts_a_stream_makes_no_difference(contents: list[str], size: int) -> None:
    expected = [content.encode() for content in contents]
    stream = b"".join(b"data: " + content + b"\n\n" for content in expected)
    assert decode(*(stream[at : at + size] for at in range(0, len(stream), size))) == expected


@pytest.mark.parametrize("stream", [b"data: " + b"x" * 40, b"data: xxxxxxxxxxxx\n" * 4])
def test_an_event_without_end_is_an_error_not_a_full_memory(stream: bytes) -> None:
    with pytest.raises(SseError, match="more than 32 bytes"):
        SseDecoder(max_event_bytes=32).feed(stream)
