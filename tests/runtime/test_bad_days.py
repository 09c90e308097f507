"""A provider's bad days, over every wire: what is tried again, what is said, stored and sent next."""

import asyncio
import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from pi_tui.runtime.events import AutoRetryStart, Notice
from pi_tui.runtime.session import Session
from tests.support.fakellm import FakeLLM
from tests.support.live_session import WIRES, open_live, retry_at_once
from tests.support.responses import history_in

FINE = {"text": "All is well."}
CALL = {
    "text": "I write it.",
    "tool_calls": [{"name": "write", "arguments": {"path": "x", "content": "y" * 200}}],
}

CONNECTION = "The connection to 127.0.0.1 failed: [Errno 104] Connection reset by peer"
CUT = "The response ended before it was complete."

MALFORMED = "The server sent something malformed: JSON is malformed: object keys must be strings (byte 1)"


class Day(NamedTuple):
    """What the server does, what is said of it, and what is kept of its answer."""

    script: dict[str, Any]
    said: str
    kept: str = ""


def broken_off(script: dict[str, Any], after: int, how: str) -> dict[str, Any]:
    return {**script, "disconnect_after": after, "disconnect_mode": how}


HALF = {"text": "half an answer"}
PASSING: dict[str, Day] = {
    "429 without retry-after": Day({"status": 429, "body": "slow down"}, "429: slow down"),
    "429 with retry-after": Day(
        {"error": "rate_limit", "retry_after": 0}, "429: Rate limit reached for requests"
    ),
    "500": Day({"error": "server"}, "500: Internal server error"),
    "503": Day({"error": "unavailable", "retry_after": 0}, "503: Service unavailable"),
    "529": Day({"error": "overloaded"}, "529: Overloaded"),
    "an HTML error page": Day(
        {"error": "html"}, "502: The server answered with a web page: 502 Bad Gateway."
    ),
    "an overload event in a 200 stream": Day({**HALF, "sse_error_after": 2}, "Overloaded", "half an "),
    "reset in the middle of the text": Day(broken_off(HALF, 2, "rst"), CONNECTION, "half an "),
    "a clean cut in the middle of the text": Day(broken_off(HALF, 2, "clean"), CUT, "half an "),
    "reset in the middle of arguments": Day(broken_off(CALL, 8, "rst"), CONNECTION, "I write it."),
    "a clean cut in the middle of arguments": Day(broken_off(CALL, 8, "clean"), CUT, "I write it."),
    "a malformed event in the middle of the text": Day({**HALF, "garbage_after": 2}, MALFORMED, "half an "),
    "a malformed event in the middle of arguments": Day(
        {**CALL, "garbage_after": 8}, MALFORMED, "I write it."
    ),
    "no stop reason": Day({"text": "an answer", "stop": "none"}, CUT, "an answer"),
    "an empty answer": Day({"text": "", "usage": {"output": 0}}, "The model sent an empty response."),
}

LASTING: dict[str, Day] = {
    "a quota that is used up": Day(
        {"error": "quota"}, "Check plan and billing at {provider}, or choose another model with /model."
    ),
    "a key that is not taken": Day(
        {"error": "auth"}, "Check the key for {provider}: /login stores a new one."
    ),
    "a request that is refused": Day(
        {"error": "bad_request"},
        "{provider}/scripted did not take the request: check models.json, or choose another model.",
    ),
    "429 that asks to wait for an hour": Day(
        {"error": "rate_limit", "retry_after": 3600},
        "The server asks to wait 3600 s, longer than the 60 s allowed (retry.provider.maxRetryDelayMs). "
        "{provider} asks for fewer requests: wait a little, or choose another model.",
    ),
}


def messages(session: Session) -> list[dict[str, Any]]:
    assert session.log.path is not None
    entries = [json.loads(line) for line in session.log.path.read_bytes().splitlines()]
    return [entry["message"] for entry in entries if entry["type"] == "message"]


def text_in(message: dict[str, Any]) -> str:
    return "".join(block["text"] for block in message["content"] if block["type"] == "text")


async def bodies(server: FakeLLM, count: int) -> list[dict[str, Any]]:
    """What the server was sent; it takes a request down when its answer is out, so maybe not yet."""
    async with asyncio.timeout(30):
        while len(server.bodies()) < count:
            await asyncio.sleep(0.01)
    return server.bodies()


async def play(session: Session, server: FakeLLM, *responses: dict[str, Any]) -> list[Any]:
    server.script(list(responses))
    events = session.subscribe()
    await session.prompt("do it")
    return events.take()


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize("day", PASSING)
async def test_what_passes_is_tried_again_and_left_out_of_the_next_request(
    fake_llm: FakeLLM, tmp_path: Path, provider: str, day: str
) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    retry_at_once(session)
    told = await play(session, fake_llm, PASSING[day].script, FINE)
    (retry,) = [event for event in told if isinstance(event, AutoRetryStart)]
    assert (retry.attempt, retry.max_attempts, retry.error_message) == (1, 3, PASSING[day].said)
    assert [event for event in told if isinstance(event, Notice)] == []
    stored = messages(session)
    assert [message["role"] for message in stored] == ["system", "user", "assistant", "assistant"]
    assert (stored[2]["stopReason"], stored[2]["errorMessage"]) == ("error", PASSING[day].said)
    assert text_in(stored[2]) == PASSING[day].kept
    assert (stored[3]["stopReason"], text_in(stored[3])) == ("stop", "All is well.")
    first, second = await bodies(fake_llm, 2)
    assert history_in(first) == history_in(second)
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize("day", LASTING)
async def test_what_lasts_is_not_tried_again_and_the_user_is_told_what_to_do(
    fake_llm: FakeLLM, tmp_path: Path, provider: str, day: str
) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    retry_at_once(session)
    told = await play(session, fake_llm, LASTING[day].script, FINE)
    assert not [event for event in told if isinstance(event, AutoRetryStart)]
    (notice,) = [event for event in told if isinstance(event, Notice)]
    assert notice.text == LASTING[day].said.format(provider=provider)
    stored = messages(session)
    assert [message["role"] for message in stored] == ["system", "user", "assistant"]
    assert (stored[2]["stopReason"], text_in(stored[2])) == ("error", "")
    assert "sk-test" not in stored[2]["errorMessage"]
    assert len(await bodies(fake_llm, 1)) == 1
    await session.prompt("and now?")
    _, after = await bodies(fake_llm, 2)
    said = json.dumps(history_in(after))
    assert said.count("do it") == said.count("and now?") == 1
    assert stored[2]["errorMessage"] not in said
    assert text_in(messages(session)[-1]) == "All is well."


@pytest.mark.parametrize("provider", WIRES)
async def test_what_the_server_asks_to_wait_is_waited_and_esc_ends_it(
    fake_llm: FakeLLM, tmp_path: Path, provider: str
) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    fake_llm.script([{"error": "rate_limit", "retry_after": 40}, FINE])
    events = session.subscribe()
    running = asyncio.create_task(session.prompt("do it"))
    async for event in events:
        if isinstance(event, AutoRetryStart):
            assert event.delay_ms == 40_000
            break
    session.abort()
    await asyncio.wait_for(running, 5)
    assert [message["role"] for message in messages(session)] == ["system", "user", "assistant"]
    assert len(await bodies(fake_llm, 1)) == 1


@pytest.mark.parametrize("provider", WIRES)
async def test_after_three_retries_it_is_given_up(fake_llm: FakeLLM, tmp_path: Path, provider: str) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    retry_at_once(session)
    told = await play(session, fake_llm, *[{"error": "overloaded"}] * 4, FINE)
    assert [event.attempt for event in told if isinstance(event, AutoRetryStart)] == [1, 2, 3]
    assert "Given up after 3 retries" in next(e.text for e in told if isinstance(e, Notice))
    assert len(await bodies(fake_llm, 4)) == 4


@pytest.mark.parametrize("provider", WIRES)
async def test_a_call_cut_at_the_output_limit_is_answered_for_and_not_run(
    fake_llm: FakeLLM, tmp_path: Path, provider: str
) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    cut = {
        "tool_calls": [{"name": "write", "arguments_raw": '{"path": "x", "content": "yyy'}],
        "stop": "length",
    }
    await play(session, fake_llm, cut, FINE)
    result = messages(session)[3]
    assert (result["role"], result["isError"]) == ("toolResult", True)
    assert "reached its output limit" in result["content"][0]["text"]
    assert not (tmp_path / "x").exists()


@pytest.mark.parametrize("provider", WIRES)
@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ('{"path": 1}', "path: must be of type string, not 1"),
        ('{"paht": "x"}', "path: missing"),
        ('{"path": "x", "edits": "[{]"}', "edits: must be of type array"),
        ('["x"]', "was not run"),
    ],
)
async def test_wrong_arguments_go_back_to_the_model_by_the_name_of_the_field(
    fake_llm: FakeLLM, tmp_path: Path, provider: str, arguments: str, said: str
) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    await play(session, fake_llm, {"tool_calls": [{"name": "edit", "arguments_raw": arguments}]}, FINE)
    assert said in messages(session)[3]["content"][0]["text"]
    assert said in json.dumps((await bodies(fake_llm, 2))[1], ensure_ascii=False)


@pytest.mark.parametrize("provider", WIRES)
async def test_what_is_nearly_right_is_repaired(fake_llm: FakeLLM, tmp_path: Path, provider: str) -> None:
    (tmp_path / "x").write_text("one\ntwo\n")
    session = open_live(fake_llm, tmp_path, provider)
    as_text = json.dumps({"path": "x", "edits": json.dumps([{"oldText": "one", "newText": "1"}])})
    as_one = json.dumps({"path": "x", "edits": {"oldText": "two", "newText": "2"}})
    calls = [{"name": "edit", "arguments_raw": as_text}, {"name": "edit", "arguments_raw": as_one}]
    await play(session, fake_llm, {"tool_calls": calls}, FINE)
    assert (tmp_path / "x").read_text() == "1\n2\n"


@pytest.mark.parametrize("mode", ["one-at-a-time", "all"])
async def test_the_queue_modes_come_from_the_settings(fake_llm: FakeLLM, tmp_path: Path, mode: str) -> None:
    session = open_live(fake_llm, tmp_path, steeringMode=mode, followUpMode=mode)
    assert (session.queue.steering_mode, session.queue.follow_up_mode) == (mode, mode)
    for text in ("a", "b"):
        session.follow_up(text)
    await play(session, fake_llm, FINE, FINE, FINE)
    texts = [m["content"][0]["text"] for m in messages(session) if m["role"] == "user"]
    assert texts == ["do it", "a", "b"]
    wanted = 3 if mode == "one-at-a-time" else 2
    assert len(await bodies(fake_llm, wanted)) == wanted
