"""A provider's bad days, over every wire: what is tried again, what is said, stored and sent next."""

import asyncio
import json
from pathlib import Path
from typing import Any

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

PASSING: dict[str, dict[str, Any]] = {
    "429 without retry-after": {"status": 429, "body": "slow down"},
    "429 with retry-after": {"error": "rate_limit", "retry_after": 0},
    "500": {"error": "server"},
    "503": {"error": "unavailable", "retry_after": 0},
    "529": {"error": "overloaded"},
    "an HTML error page": {"error": "html"},
    "an overload event in a 200 stream": {"text": "half an answer", "sse_error_after": 2},
    "reset in the middle of the text": {
        "text": "half an answer",
        "disconnect_after": 2,
        "disconnect_mode": "rst",
    },
    "a clean cut in the middle of the text": {
        "text": "half an answer",
        "disconnect_after": 2,
        "disconnect_mode": "clean",
    },
    "reset in the middle of arguments": {**CALL, "disconnect_after": 8, "disconnect_mode": "rst"},
    "a clean cut in the middle of arguments": {**CALL, "disconnect_after": 8, "disconnect_mode": "clean"},
    "no stop reason": {"text": "an answer", "stop": "none"},
    "an empty answer": {"text": "", "usage": {"output": 0}},
}

LASTING: dict[str, dict[str, Any]] = {
    "a quota that is used up": {"error": "quota"},
    "a key that is not taken": {"error": "auth"},
    "a request that is refused": {"error": "bad_request"},
    "429 that asks to wait for an hour": {"error": "rate_limit", "retry_after": 3600},
}


def messages(session: Session) -> list[dict[str, Any]]:
    assert session.log.path is not None
    entries = [json.loads(line) for line in session.log.path.read_bytes().splitlines()]
    return [entry["message"] for entry in entries if entry["type"] == "message"]


async def bodies(server: FakeLLM, count: int) -> list[dict[str, Any]]:
    """What the server was sent; it takes a request down when its answer is out, so maybe not yet."""
    async with asyncio.timeout(10):
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
    told = await play(session, fake_llm, PASSING[day], FINE)
    (retry,) = [event for event in told if isinstance(event, AutoRetryStart)]
    assert retry.error_message
    assert "<" not in retry.error_message
    assert "sk-test" not in retry.error_message
    stored = messages(session)
    assert [message["role"] for message in stored] == ["system", "user", "assistant", "assistant"]
    assert stored[2]["stopReason"] == "error"
    assert stored[2]["errorMessage"] == retry.error_message
    assert [block["text"] for block in stored[3]["content"]] == ["All is well."]
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
    told = await play(session, fake_llm, LASTING[day], FINE)
    assert not [event for event in told if isinstance(event, AutoRetryStart)]
    (notice,) = [event for event in told if isinstance(event, Notice)]
    assert notice.text.endswith(".")
    assert messages(session)[-1]["stopReason"] == "error"
    assert len(await bodies(fake_llm, 1)) == 1


@pytest.mark.parametrize("provider", WIRES)
async def test_a_malformed_event_among_good_ones_is_no_reason_to_lose_the_answer_or_to_run_half_of_it(
    fake_llm: FakeLLM, tmp_path: Path, provider: str
) -> None:
    session = open_live(fake_llm, tmp_path, provider)
    retry_at_once(session)
    await play(session, fake_llm, {**CALL, "garbage_after": 8}, FINE, FINE)
    written = (tmp_path / "x").read_text() if (tmp_path / "x").exists() else None
    assert written in (None, "y" * 200)
    assert [block["text"] for block in messages(session)[-1]["content"]] == ["All is well."]


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
