"""The official SDKs are the judge of the scripted server."""

import json
from collections.abc import Iterator
from urllib.request import urlopen

import anthropic
import openai
import pytest

from tests.support.fakellm import FakeLLM, in_process, in_thread

RESPONSE = {
    "thinking": "Let me see.",
    "text": "Reading {{last_user}}.",
    "tool_calls": [{"name": "read", "arguments": {"path": "a"}, "id": "call_1"}],
    "usage": {"input": 10, "output": 20, "cache_read": 30},
}
HELLO = [{"role": "user", "content": "hello"}]


@pytest.fixture
def server() -> Iterator[FakeLLM]:
    with in_thread() as running:
        yield running


@pytest.fixture
def claude(server: FakeLLM) -> anthropic.Anthropic:
    return anthropic.Anthropic(base_url=server.url, api_key="k", max_retries=0)


@pytest.fixture
def gpt(server: FakeLLM) -> openai.OpenAI:
    return openai.OpenAI(base_url=server.base_url, api_key="k", max_retries=0)


def test_the_anthropic_sdk_reads_a_stream(server: FakeLLM, claude: anthropic.Anthropic) -> None:
    server.push(RESPONSE)
    with claude.messages.stream(model="m", max_tokens=9, messages=HELLO) as stream:  # type: ignore[arg-type]
        message = stream.get_final_message()
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    assert message.stop_reason == "tool_use"
    assert (message.usage.input_tokens, message.usage.output_tokens) == (10, 20)


def test_the_openai_sdk_reads_a_stream_of_responses(server: FakeLLM, gpt: openai.OpenAI) -> None:
    server.push(RESPONSE)
    with gpt.responses.stream(model="m", input=HELLO, store=False) as stream:  # type: ignore[arg-type]
        response = stream.get_final_response()
    assert [item.type for item in response.output] == ["reasoning", "message", "function_call"]
    assert response.output_text == "Reading hello."
    assert response.output[2].arguments == '{"path": "a"}'  # type: ignore[union-attr]
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.input_tokens_details.cached_tokens) == (40, 30)


def test_the_openai_sdk_reads_a_stream(server: FakeLLM, gpt: openai.OpenAI) -> None:
    server.push(RESPONSE)
    stream = gpt.chat.completions.create(
        model="m",
        messages=HELLO,  # type: ignore[arg-type]
        stream=True,
        stream_options={"include_usage": True},
    )
    chunks = list(stream)  # type: ignore[arg-type]
    texts = [chunk.choices[0].delta.content or "" for chunk in chunks if chunk.choices]
    assert "".join(texts) == "Reading hello."
    assert chunks[-1].usage.prompt_tokens == 40
    assert chunks[-2].choices[0].finish_reason == "tool_calls"


def test_both_sdks_read_whole_answers(
    server: FakeLLM, claude: anthropic.Anthropic, gpt: openai.OpenAI
) -> None:
    server.push(RESPONSE, RESPONSE)
    message = claude.messages.create(model="m", max_tokens=9, messages=HELLO)  # type: ignore[arg-type]
    assert [block.type for block in message.content] == ["thinking", "text", "tool_use"]
    completion = gpt.chat.completions.create(model="m", messages=HELLO)  # type: ignore[arg-type]
    assert json.loads(completion.choices[0].message.tool_calls[0].function.arguments) == {"path": "a"}  # type: ignore


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([{"role": "assistant", "content": "x"}], "first message"),
        ([*HELLO, *HELLO], "roles must alternate"),
        ([{"role": "user", "content": ""}], "non-empty"),
        ([{"role": "user", "content": [{"type": "text", "text": "x", "odd": 1}]}], "odd"),
        (
            [
                *HELLO,
                {
                    "role": "assistant",
                    "content": [{"type": "tool_use", "id": "a", "name": "read", "input": {}}],
                },
            ],
            "without `tool_result`",
        ),
        (
            [{"role": "user", "content": [{"type": "tool_result", "tool_use_id": "a", "content": "x"}]}],
            "unexpected `tool_use_id`",
        ),
    ],
)
def test_what_anthropic_refuses(
    server: FakeLLM, claude: anthropic.Anthropic, messages: list, complaint: str
) -> None:
    server.push({"text": "never"})
    with pytest.raises(anthropic.BadRequestError, match=complaint):
        claude.messages.create(model="m", max_tokens=9, messages=messages)
    assert server.state()["queue"] == 1
    assert server.requests()[0]["end"] == "refused"


@pytest.mark.parametrize(
    ("messages", "complaint"),
    [
        ([*HELLO, {"role": "tool", "tool_call_id": "a", "content": "x"}], "preceding message"),
        (
            [
                *HELLO,
                {
                    "role": "assistant",
                    "tool_calls": [
                        {"id": "a", "type": "function", "function": {"name": "r", "arguments": "{}"}}
                    ],
                },
                {"role": "user", "content": "x"},
            ],
            "must be followed by tool messages",
        ),
        ([*HELLO, {"role": "assistant", "content": None}], "content is required"),
    ],
)
def test_what_openai_refuses(server: FakeLLM, gpt: openai.OpenAI, messages: list, complaint: str) -> None:
    with pytest.raises(openai.BadRequestError, match=complaint):
        gpt.chat.completions.create(model="m", messages=messages)


def test_rules_come_before_the_queue_and_the_default_after(server: FakeLLM, gpt: openai.OpenAI) -> None:
    server.script(
        {
            "responses": [{"text": "queued", "repeat": 2}],
            "rules": [{"when": {"contains": "hello"}, "text": "ruled", "times": 1}],
            "default": {"text": "default"},
        }
    )
    answers = [
        gpt.chat.completions.create(model="m", messages=HELLO).choices[0].message.content  # type: ignore[arg-type]
        for _ in range(4)
    ]
    assert answers == ["ruled", "queued", "queued", "default"]


def test_a_server_of_its_own_process_is_steered_the_same() -> None:
    with in_process("--model", "one", "--model", "two") as server:
        server.push({"text": "x"})
        assert server.state() == {"requests": 0, "queue": 1, "active": 0}
        with urlopen(f"{server.base_url}/models", timeout=10) as answer:
            assert [row["id"] for row in json.load(answer)["data"]] == ["one", "two"]
