"""What real servers sent, read by the wire formats."""

import json
from pathlib import Path

import pytest

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import AssistantMessage, TextContent, ThinkingContent, ToolCall
from tests.support.fakellm import FakeLLM
from tests.support.responses import model_at, respond

RECORDINGS = Path(__file__).parents[1] / "fixtures" / "wire"


async def replayed(fake_llm: FakeLLM, name: str) -> AssistantMessage:
    """The message that a recorded answer becomes."""
    head, _, body = (RECORDINGS / f"{name}.txt").read_text("utf-8").replace("\r\n", "\n").partition("\n\n")
    status = int(head.split()[1])
    if "event-stream" in head:
        fake_llm.push({"raw": body})
    else:
        fake_llm.push({"status": status, "body": body})
    wires = {"-anth-": "anthropic-messages", "-responses-": "openai-responses", "-oai-": "openai-completions"}
    api = next((wire for part, wire in wires.items() if part in name), "openai-completions")
    return (await respond(model_at(fake_llm.base_url, api))).message


@pytest.mark.parametrize(
    ("name", "stop", "text"),
    [
        ("aimock-anth-stream", "stop", "Hello there, friend."),
        ("aimock-oai-stream", "stop", "Hello there, friend."),
        ("aimock-anth-think", "stop", "Four."),
        ("aimock-oai-think", "stop", "Four."),
        ("aimock-anth-slow", "stop", " ".join(["drip"] * 7)),
        ("aimock-oai-slow", "stop", " ".join(["drip"] * 7)),
        ("llama-anth-stream-thinkingparam", "stop", "4"),
        ("llama-anth-stream-toolresult", "stop", "Printing hello."),
    ],
)
async def test_text(fake_llm: FakeLLM, name: str, stop: str, text: str) -> None:
    message = await replayed(fake_llm, name)
    assert (message.stop_reason, message.text) == (stop, text)


@pytest.mark.parametrize(
    ("name", "stop", "raw"),
    [
        ("llama-anth-stream", "stop", "end_turn"),
        ("llama-anth-stream-maxtokens", "length", "max_tokens"),
        ("llama-anth-stream-stopseq", "stop", "end_turn"),
        ("llama-anth-ctx-reached", "stop", "end_turn"),
        ("llama-oai-chat-stream", "stop", "stop"),
        ("llama-oai-chat-stream-length", "length", "length"),
        ("llama-oai-chat-toolresult-stream", "stop", "stop"),
        ("llama-oai-chat-stream-usage", "stop", "stop"),
        ("llama-responses-stream", "stop", "completed"),
        # OpenAI itself says `response.incomplete` there.
        ("llama-responses-stream-length", "stop", "completed"),
        ("llama-responses-stream-toolresult", "stop", "completed"),
    ],
)
async def test_stop_reasons(fake_llm: FakeLLM, name: str, stop: str, raw: str) -> None:
    message = await replayed(fake_llm, name)
    assert (message.stop_reason, message.raw_stop_reason) == (stop, raw)
    assert message.text


@pytest.mark.parametrize("name", ["aimock-anth-think", "aimock-oai-think"])
async def test_thinking(fake_llm: FakeLLM, name: str) -> None:
    message = await replayed(fake_llm, name)
    assert isinstance(message.content[0], ThinkingContent)
    assert message.content[0].thinking == "2+2 is 4, surely."


@pytest.mark.parametrize(
    "name", ["llama-anth-thinking-stream", "llama-oai-reasoning-stream", "llama-responses-reasoning-stream"]
)
async def test_thinking_of_a_local_model(fake_llm: FakeLLM, name: str) -> None:
    message = await replayed(fake_llm, name)
    assert isinstance(message.content[0], ThinkingContent)
    assert message.content[0].thinking.strip()


@pytest.mark.parametrize(
    ("name", "calls"),
    [
        ("aimock-anth-stream-tools", [("read", "hello.py"), ("read", "b.py")]),
        ("aimock-oai-stream-tools", [("read", "hello.py"), ("read", "b.py")]),
        ("llama-anth-stream-tools", [("read", "hello.py")]),
        ("llama-fence-oai-stream-tools", [("read", "hello.py")]),
        ("llama-fence-anth-stream-tools", [("read", "hello.py")]),
        ("llama-oai-chat-stream-tools", [("read", "hello.py")]),
        ("llama-oai-chat-stream-tools-required", [("read", "hello.py")]),
        ("llama-oai-chat-stream-tools-parallel", [("read", "a.py"), ("read", "b.py")]),
        ("aimock-responses-stream-tools", [("read", "hello.py"), ("read", "b.py")]),
        ("llama-responses-stream-tools", [("read", "hello.py")]),
    ],
)
async def test_tool_calls(fake_llm: FakeLLM, name: str, calls: list[tuple[str, str]]) -> None:
    message = await replayed(fake_llm, name)
    assert message.stop_reason == "toolUse"
    assert [(call.name, call.arguments["path"]) for call in message.tool_calls] == calls


def plain(message: AssistantMessage) -> list[object]:
    """What is in a message, without what only its own service understands."""
    found: list[object] = [message.stop_reason]
    for block in message.content:
        match block:
            case TextContent():
                found.append(block.text)
            case ThinkingContent():
                found.append(("thought", block.thinking))
            case ToolCall():
                found.append((block.name, block.arguments))
    return found


@pytest.mark.parametrize(
    "names",
    [
        ("aimock-anth-stream", "aimock-oai-stream"),
        ("aimock-anth-think", "aimock-oai-think"),
        ("aimock-anth-slow", "aimock-oai-slow"),
        ("aimock-anth-stream-tools", "aimock-oai-stream-tools", "aimock-responses-stream-tools"),
        ("llama-anth-stream-tools", "llama-oai-chat-stream-tools", "llama-responses-stream-tools"),
        ("llama-fence-anth-stream-tools", "llama-fence-oai-stream-tools"),
        ("llama-fence-anth-tools-cut-by-max_tokens", "llama-fence-oai-tools-cut-by-max_tokens"),
    ],
)
async def test_one_answer_is_the_same_message_on_every_wire(
    fake_llm: FakeLLM, names: tuple[str, ...]
) -> None:
    first, *others = [plain(await replayed(fake_llm, name)) for name in names]
    assert len(first) > 1
    assert others == [first] * len(others)


async def test_every_recording_is_read() -> None:
    """None lies there unread: its name is in this file, or in that of the servers on this machine."""
    tests = "".join((Path(__file__).parent / name).read_text("utf-8") for name in READERS)
    unread = [path.stem for path in RECORDINGS.glob("*.txt") if f'"{path.stem}"' not in tests]
    assert unread == []


READERS = ("test_wire_recordings.py", "test_local_servers.py")


@pytest.mark.parametrize(
    "name", ["llama-fence-anth-tools-cut-by-max_tokens", "llama-fence-oai-tools-cut-by-max_tokens"]
)
async def test_a_call_cut_by_the_limit_keeps_no_half_arguments(fake_llm: FakeLLM, name: str) -> None:
    message = await replayed(fake_llm, name)
    assert message.stop_reason == "length"
    assert message.tool_calls[0].arguments == {}


async def test_usage_in_a_chunk_without_choices(fake_llm: FakeLLM) -> None:
    usage = (await replayed(fake_llm, "llama-fence-oai-tools-cut-by-max_tokens")).usage
    assert (usage.input, usage.cache_read, usage.output) == (1, 225, 14)


async def test_usage_with_the_cached_part_apart(fake_llm: FakeLLM) -> None:
    usage = (await replayed(fake_llm, "llama-anth-stream-tools")).usage
    assert (usage.input, usage.cache_read, usage.output, usage.total_tokens) == (1, 330, 24, 355)


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("aimock-anth-429", ErrorKind.RATE_LIMIT),
        ("aimock-oai-429", ErrorKind.RATE_LIMIT),
        ("aimock-anth-529", ErrorKind.OVERLOADED),
        ("aimock-anth-chaos-malformed", ErrorKind.OVERLOADED),
        ("aimock-anth-cutms", ErrorKind.NETWORK),
        ("aimock-oai-cutms", ErrorKind.NETWORK),
        ("llama-anth-serverkilled", ErrorKind.NETWORK),
        ("llama-anth-401", ErrorKind.AUTHENTICATION),
        ("llama-oai-401", ErrorKind.AUTHENTICATION),
        ("llama-anth-loading", ErrorKind.OVERLOADED),
        ("llama-oai-loading-503", ErrorKind.OVERLOADED),
        ("llama-anth-overflow-stream", ErrorKind.CONTEXT_OVERFLOW),
        ("llama-oai-chat-overflow-stream", ErrorKind.CONTEXT_OVERFLOW),
        ("llama-anth-overflow", ErrorKind.CONTEXT_OVERFLOW),
        ("llama-oai-chat-overflow", ErrorKind.CONTEXT_OVERFLOW),
        ("llama-anth-abort", ErrorKind.NETWORK),
        ("llama-oai-chat-abort", ErrorKind.NETWORK),
        ("llama-anth-badjson", ErrorKind.INVALID_REQUEST),
        ("llama-oai-chat-badjson", ErrorKind.INVALID_REQUEST),
        ("llama-oai-chat-nomessages", ErrorKind.INVALID_REQUEST),
        ("aimock-anth-chaos-drop", ErrorKind.OVERLOADED),
        ("llama-404", ErrorKind.INVALID_REQUEST),
        ("llama-oai-chat-image", ErrorKind.INVALID_REQUEST),
        ("llama-fence-oai-broken-args-in-history", ErrorKind.INVALID_REQUEST),
        ("llama-responses-overflow", ErrorKind.CONTEXT_OVERFLOW),
    ],
)
async def test_errors(fake_llm: FakeLLM, name: str, kind: ErrorKind) -> None:
    with pytest.raises(ProviderError) as caught:
        await replayed(fake_llm, name)
    assert caught.value.kind is kind, caught.value


async def test_reasoning_of_a_local_model_is_kept_as_it_came(fake_llm: FakeLLM) -> None:
    message = await replayed(fake_llm, "llama-responses-reasoning-stream")
    thought = message.content[0]
    assert isinstance(thought, ThinkingContent)
    assert thought.thinking == "17 + 25 = 42"
    assert json.loads(thought.thinking_signature or "")["content"] == [
        {"text": "17 + 25 = 42", "type": "reasoning_text"}
    ]


async def test_a_call_keeps_both_of_its_ids(fake_llm: FakeLLM) -> None:
    message = await replayed(fake_llm, "llama-responses-stream-tools")
    both = "call_J58pILvQ7qT4laRi4IPKMibkGWLIEsHS|fc_J58pILvQ7qT4laRi4IPKMibkGWLIEsHS"
    assert [call.id for call in message.tool_calls] == [both]
    assert (message.usage.input, message.usage.cache_read, message.usage.output) == (1, 330, 24)
