"""A provider's prompt cache holds: what was sent once is the beginning of what is sent next, byte for byte."""

import itertools
import json
from pathlib import Path
from typing import Any

import pytest

from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from tests.support.compacted import SUMMARISES, is_summary_request, requests
from tests.support.fakellm import FakeLLM
from tests.support.live_session import WIRES, open_live, retry_at_once, use

ALL = pytest.mark.parametrize("wire", sorted(WIRES))
READ = {"tool_calls": [{"name": "read", "arguments": {"path": "x"}}]}
SCRIPT = {"rules": [SUMMARISES], "responses": [{"text": "a"}, READ], "default": {"text": "answer {{n}}"}}


def opened(server: FakeLLM, cwd: Path, wire: str) -> Session:
    session = open_live(server, cwd, wire)
    retry_at_once(session)
    return session


def sent(body: dict[str, Any]) -> list[str]:
    """Everything a cache looks at, piece by piece in the order in which it counts; cache marks left out."""
    head = [body.get("tools"), body.get("system"), body.get("instructions")]
    pieces = [json.dumps(_unmarked(part)) for part in head]
    for message in body.get("messages", body.get("input", [])):
        rest = {name: value for name, value in message.items() if name != "content"}
        content = message.get("content")
        blocks = content if isinstance(content, list) else [content]
        pieces += [json.dumps([_unmarked(rest), _unmarked(block)]) for block in blocks]
    return pieces


def goes_on(before: dict[str, Any], after: dict[str, Any]) -> bool:
    one, other = sent(before), sent(after)
    return other[: len(one)] == one and len(other) > len(one)


async def conversation(server: FakeLLM, count: int) -> list[dict[str, Any]]:
    return [body for body in await requests(server, count) if not is_summary_request(body)]


@ALL
async def test_each_request_goes_on_from_the_one_before(fake_llm: FakeLLM, tmp_path: Path, wire: str) -> None:
    fake_llm.script(SCRIPT)
    session = opened(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second, with a tool")
    session.steer("said meanwhile")
    await session.prompt("third")
    await session.prompt(session.written("/skill:pi-sessions what is in a file?"))
    bodies = await conversation(fake_llm, 5)
    assert [goes_on(*pair) for pair in itertools.pairwise(bodies)] == [True] * (len(bodies) - 1)
    session.close()


@ALL
async def test_only_a_compaction_changes_what_was_sent_before(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    fake_llm.script(SCRIPT)
    session = opened(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second, with a tool")
    await session.compact()
    await session.prompt("third")
    await session.prompt("fourth")
    bodies = await conversation(fake_llm, 6)
    assert [goes_on(*pair) for pair in itertools.pairwise(bodies)] == [True, True, False, True]
    assert sent(bodies[2])[:3] == sent(bodies[3])[:3], "the prompt and the tools stay even then"
    session.close()


@ALL
async def test_a_summary_request_writes_nothing_to_the_cache_and_does_not_think(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    fake_llm.script(SCRIPT)
    session = opened(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second, with a tool")
    await session.compact()
    *asked, summary = [json.dumps(body) for body in await requests(fake_llm, 4)]
    marks = {"anthropic": '"cache_control"', "responses": '"prompt_cache_key"'}
    if wire in marks:
        assert marks[wire] in asked[0] and marks[wire] not in summary
    assert not any(word in summary for word in ('"thinking"', '"reasoning_effort"', '"tools"'))
    session.close()


@ALL
async def test_a_session_that_is_opened_again_goes_on_where_it_was(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    fake_llm.script(SCRIPT)
    session = opened(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second, with a tool")
    await session.compact()
    await session.prompt("third")
    path = session.log.path
    session.close()
    session = open_session(Launch(cwd=tmp_path, session=str(path), offline=True))
    await session.prompt("fourth")
    bodies = await conversation(fake_llm, 6)
    assert goes_on(bodies[-2], bodies[-1])
    session.close()


@pytest.mark.parametrize(("wire", "other"), list(itertools.permutations(sorted(WIRES), 2)))
async def test_a_model_that_comes_back_finds_what_it_was_sent(
    fake_llm: FakeLLM, tmp_path: Path, wire: str, other: str
) -> None:
    thinking = {"thinking": "hm", "signature": "c2ln", "text": "a"}
    fake_llm.script({"responses": [thinking, READ], "default": {"text": "answer {{n}}"}})
    session = opened(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second, with a tool")
    use(session, other)
    await session.prompt("asked of another")
    use(session, wire)
    await session.prompt("and back")
    bodies = await conversation(fake_llm, 5)
    assert goes_on(bodies[2], bodies[4])
    session.close()


@ALL
async def test_a_branch_that_is_gone_back_to_is_sent_as_before(
    fake_llm: FakeLLM, tmp_path: Path, wire: str
) -> None:
    fake_llm.script(SCRIPT)
    session = opened(fake_llm, tmp_path, wire)
    await session.prompt("first")
    await session.prompt("second, with a tool")
    leaf = session.log.leaf_id
    session.log.move_to(session.log.branch()[0])
    await session.prompt("elsewhere")
    session.log.move_to(leaf)
    await session.prompt("third")
    bodies = await conversation(fake_llm, 5)
    assert goes_on(bodies[2], bodies[4])
    session.close()


def _unmarked(part: Any) -> Any:
    """Without the cache marks, which move to the newest message."""
    if isinstance(part, dict):
        return {name: _unmarked(value) for name, value in part.items() if name != "cache_control"}
    return [_unmarked(one) for one in part] if isinstance(part, list) else part
