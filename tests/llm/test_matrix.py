"""Every wire, every kind of answer, after every other wire: the request is legal, nothing is lost, all can go on.

The request goes to a server that refuses what the services refuse; the file is written and read back; what is
in it is then replayed to all three services.
"""

import asyncio
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from msgspec import Struct

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.llm.replay import to_wire
from pi_tui.llm.stream import Context, MessageAssembler, StreamOptions, TextDelta
from pi_tui.llm.wires import anthropic_request, openai_request, responses_request
from pi_tui.llm.wires.registry import stream_function
from pi_tui.session.entries import MessageEntry
from pi_tui.session.log import SessionLog
from tests.support.fakellm import FakeLLM, in_thread, judge_anthropic, judge_openai, judge_responses
from tests.support.responses import APIS, READ, respond

PIXEL = ImageContent("iVBORw0KGgo=", "image/png")
LONG = 'Zeile mit ä und "Zeichen"\n' * 400
BODIES: dict[str, tuple[Callable[..., dict[str, Any]], Callable[[dict[str, Any]], None]]] = {
    "anthropic-messages": (anthropic_request.request_body, judge_anthropic.judge),
    "openai-completions": (openai_request.request_body, judge_openai.judge),
    "openai-responses": (responses_request.request_body, judge_responses.judge),
}


pytestmark = pytest.mark.asyncio(loop_scope="module")


class Case(Struct):
    answer: dict[str, Any]
    content: list[Any] = []
    """What must come: texts, thoughts as tuples of one, calls as pairs of name and arguments."""
    stop: str = "stop"
    prompt: UserMessage | None = None
    results: list[Any] = []
    """One per call."""
    failure: ErrorKind | None = None
    abort_at: str | None = None
    """Stop when this delta has come."""


def call(path: str = "a", **more: Any) -> dict[str, Any]:
    return {"name": "read", "arguments": {"path": path, **more}}


CASES = {
    "text": Case({"text": "Grüße aus 東京 🎉"}, ["Grüße aus 東京 🎉"]),
    "thinking": Case({"thinking": "Let me see.", "text": "Yes."}, [("Let me see.",), "Yes."]),
    "one tool": Case(
        {"tool_calls": [call()]}, [("read", {"path": "a"})], "toolUse", results=[TextContent("content")]
    ),
    "parallel tools": Case(
        {"thinking": "Both.", "text": "Reading.", "tool_calls": [call("a"), call("b", n=2)]},
        [("Both.",), "Reading.", ("read", {"path": "a"}), ("read", {"path": "b", "n": 2})],
        "toolUse",
        results=[TextContent("one"), TextContent("two")],
    ),
    "image in": Case({"text": "A dot."}, ["A dot."], prompt=UserMessage([TextContent("look"), PIXEL])),
    "image in a tool result": Case(
        {"tool_calls": [call("a.png")]}, [("read", {"path": "a.png"})], "toolUse", results=[PIXEL]
    ),
    "long arguments": Case(
        {"tool_calls": [call("a", content=LONG)], "chunk": 7},
        [("read", {"path": "a", "content": LONG})],
        "toolUse",
        results=[TextContent("")],
    ),
    "empty text": Case({"thinking": "Nothing to say.", "text": ""}, [("Nothing to say.",)]),
    "refusal": Case({"text": "I cannot", "stop": "filter"}, failure=ErrorKind.CONTENT_FILTER),
    "length": Case(
        {"thinking": "Long.", "text": "cut he", "stop": "length"}, [("Long.",), "cut he"], "length"
    ),
    "length in a call": Case(
        {"tool_calls": [{"name": "read", "arguments_raw": '{"path": "/etc/pa'}], "stop": "length"},
        [("read", {})],
        "length",
        results=[TextContent("not run")],
    ),
    "abort": Case({"text": "one two three", "hang_after": 2}, abort_at="two "),
    "abort after thinking": Case({"thinking": "Well.", "text": "one two", "hang_after": 3}, abort_at="one "),
    "rate limit": Case({"error": "rate_limit"}, failure=ErrorKind.RATE_LIMIT),
    "overloaded": Case({"error": "overloaded"}, failure=ErrorKind.OVERLOADED),
    "overflow": Case({"error": "overflow"}, failure=ErrorKind.CONTEXT_OVERFLOW),
    "quota": Case({"error": "quota"}, failure=ErrorKind.QUOTA),
    "bad request": Case({"error": "bad_request"}, failure=ErrorKind.INVALID_REQUEST),
    "server trouble": Case({"error": "server"}, failure=ErrorKind.OVERLOADED),
    "web page": Case({"error": "html"}, failure=ErrorKind.OVERLOADED),
    "no answer at all": Case({"text": "x", "disconnect_after": 0}, failure=ErrorKind.NETWORK),
    "key refused": Case({"error": "auth"}, failure=ErrorKind.AUTHENTICATION),
    "error inside the stream": Case(
        {"thinking": "Hm, hm.", "text": "abc", "sse_error_after": 1}, failure=ErrorKind.OVERLOADED
    ),
    "cut inside a call": Case(
        {"text": "I read.", "tool_calls": [call("abcdefgh")], "disconnect_after": 4},
        failure=ErrorKind.NETWORK,
    ),
}
BROKEN_OFF = ("abort", "abort after thinking", "error inside the stream", "cut inside a call", "overflow")


def model_of(api: str, base_url: str = "http://127.0.0.1:9/v1") -> Model:
    return Model(
        id=f"of-{api}", provider=api, api=api, base_url=base_url, reasoning=True, input=("text", "image")
    )


@pytest.fixture(scope="module")
def server() -> Iterator[FakeLLM]:
    """One server for all, so that no id in an answer comes twice."""
    with in_thread() as server:
        yield server


@pytest.fixture
def fake_llm(server: FakeLLM) -> FakeLLM:
    server.reset()
    return server


async def said_before(fake_llm: FakeLLM, api: str) -> list[AgentMessage]:
    """A conversation with all that is peculiar to a wire: thinking, parallel calls, images, an abort."""
    model = model_of(api, fake_llm.base_url)
    fake_llm.push(
        {"thinking": "Two files.", "text": "Reading.", "tool_calls": [call("x"), call("y.png")]},
        {"thinking": "Fine.", "text": "Both read."},
    )
    history: list[AgentMessage] = [UserMessage([TextContent("compare"), PIXEL])]
    first = (await respond(model, *history, thinking_level="high")).message
    results = [
        ToolResultMessage(one.id, one.name, [block], False)
        for one, block in zip(first.tool_calls, (TextContent("x"), PIXEL), strict=True)
    ]
    history += [first, *results]
    history.append((await respond(model, *history, thinking_level="high")).message)
    broken = AssistantMessage(
        [ThinkingContent("unsigned"), ToolCall("lost|fc_lost", "read", {})],
        api=api,
        provider=api,
        model=model.id,
        stop_reason="aborted",
    )
    return [*history, UserMessage("go on"), broken]


async def answered(model: Model, history: list[AgentMessage], case: Case) -> AssistantMessage:
    """The message as the loop would store it, whatever became of the request."""
    assembler = MessageAssembler(model, "high")
    context = Context("Be brief.", to_wire(history, model), [READ])
    stream = stream_function(model.api)(
        model, context, StreamOptions(api_key="k" * 20, thinking_level="high", session_id="s"), assembler
    )
    reached = asyncio.Event()

    async def read() -> None:
        async for event in stream:
            if isinstance(event, TextDelta) and event.delta == case.abort_at:
                reached.set()

    task = asyncio.create_task(read())
    if case.abort_at:
        await reached.wait()
        task.cancel()
        await asyncio.wait([task])
        return assembler.aborted()
    try:
        await task
        return assembler.finish()
    except ProviderError as error:
        assert error.kind is case.failure, error
        return assembler.failed(error.message)


def plain(message: AssistantMessage) -> list[Any]:
    found: list[Any] = []
    for block in message.content:
        match block:
            case ThinkingContent():
                found.append((block.thinking,))
            case ToolCall():
                found.append((block.name, block.arguments))
            case _:
                found.append(block.text)
    return found


def stored(folder: Path, messages: list[AgentMessage]) -> list[AgentMessage]:
    """The messages after they have been to a session file and back."""
    log = SessionLog.create(folder, folder)
    for message in messages:
        log.append_message(message)
    path = log.path
    log.close()
    assert path is not None
    again = SessionLog.open(path, read_only=True)
    entries = [again.entry(entry_id) for entry_id in again.entry_ids]
    again.close()
    return [entry.message for entry in entries if isinstance(entry, MessageEntry)]


def signed_elsewhere(body: dict[str, Any]) -> list[str]:
    """Signatures in a request that its service did not make: it would refuse them, the judge cannot know."""
    signatures = re.findall(r'"(?:signature|encrypted_content)": "([^"]*)"', json.dumps(body))
    made = "sealed-" if "input" in body else "sig-"
    return [one for one in signatures if not one.startswith(made)]


@pytest.mark.parametrize("before", ["fresh", *APIS])
@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("api", APIS)
async def test_any_answer_on_any_wire_after_any_other(
    fake_llm: FakeLLM, tmp_path: Path, api: str, name: str, before: str
) -> None:
    case, model = CASES[name], model_of(api, fake_llm.base_url)
    history = await said_before(fake_llm, before) if before != "fresh" else []
    history.append(case.prompt or UserMessage("well?"))
    fake_llm.push(case.answer)
    message = await answered(model, history, case)
    history.append(message)
    if case.failure is None and case.abort_at is None:
        assert (plain(message), message.stop_reason) == (case.content, case.stop)
    history += [
        ToolResultMessage(one.id, one.name, [block], False)
        for one, block in zip(message.tool_calls, case.results, strict=case.failure is None)
    ]
    read_back = stored(tmp_path, history)
    assert read_back == history
    assert [request["end"] for request in fake_llm.requests() if request["end"] == "refused"] == []
    assert [one for body in fake_llm.bodies() for one in signed_elsewhere(body)] == []
    for other in APIS:
        make, judge = BODIES[other]
        wire = to_wire([*read_back, UserMessage("and now?")], model_of(other))
        body = make(model_of(other), Context("Be brief.", wire, [READ]), StreamOptions(thinking_level="high"))
        judge(body)
        assert signed_elsewhere(body) == []


@pytest.mark.parametrize("then", APIS)
@pytest.mark.parametrize("name", BROKEN_OFF)
@pytest.mark.parametrize("api", APIS)
async def test_a_stored_session_goes_on_after_what_broke_off_on_any_wire(
    fake_llm: FakeLLM, tmp_path: Path, api: str, name: str, then: str
) -> None:
    """Aborted, refused or cut: the session is opened from its file, and the next request is answered."""
    case = CASES[name]
    history: list[AgentMessage] = [case.prompt or UserMessage("well?")]
    fake_llm.push(case.answer)
    history.append(await answered(model_of(api, fake_llm.base_url), history, case))
    history = [*stored(tmp_path, history), UserMessage("go on")]
    fake_llm.push({"thinking": "Where was I?", "text": "There."})
    message = (await respond(model_of(then, fake_llm.base_url), *history, thinking_level="high")).message
    assert plain(message) == [("Where was I?",), "There."]
    assert fake_llm.requests()[-1]["end"] == "ok"


@pytest.mark.parametrize("api", APIS)
async def test_there_and_back_again(fake_llm: FakeLLM, api: str) -> None:
    """Thinking, images and parallel calls of three services in one session, each taking its turn twice."""
    history: list[AgentMessage] = []
    place = APIS.index(api)
    for one in [*APIS[place:], *APIS[:place]] * 2:
        history += (await said_before(fake_llm, one))[:-2] if not history else []
        fake_llm.push({"thinking": "Again.", "tool_calls": [call("a"), call("b")]}, {"text": "Done."})
        model = model_of(one, fake_llm.base_url)
        history.append(UserMessage([TextContent("again"), PIXEL]))
        message = (await respond(model, *history, thinking_level="high")).message
        history.append(message)
        history += [ToolResultMessage(each.id, "read", [PIXEL], False) for each in message.tool_calls]
        history.append((await respond(model, *history, thinking_level="high")).message)
    assert {request["end"] for request in fake_llm.requests()} == {"ok"}
    assert [one for body in fake_llm.bodies() for one in signed_elsewhere(body)] == []
