"""A live session with a window of a given size, and what is looked for after a compaction."""

import asyncio
import json
from pathlib import Path
from typing import Any

from msgspec import structs

from pi_tui.runtime.events import CompactionEnd, CompactionResult, CompactionStart
from pi_tui.runtime.session import Session
from pi_tui.session.entries import CompactionEntry
from tests.support.fakellm import FakeLLM
from tests.support.live_session import open_live, retry_at_once

SUMMARY = "## Goal\nTo build a kite.\n\n## Critical Context\n- The tail is 3 m long."
SUMMARISES = {"when": {"system_contains": "write summaries of conversations"}, "text": SUMMARY}
WINDOW = 20_000


def open_with_window(
    server: FakeLLM, cwd: Path, provider: str = "openai", window: int = WINDOW, **settings: Any
) -> Session:
    session = open_live(server, cwd, provider, **settings)
    assert session.model is not None
    session.model = structs.replace(session.model, context_window=window, max_tokens=2_000)
    retry_at_once(session)
    return session


def entries(session: Session) -> list[dict[str, Any]]:
    """What is in the file, header left out."""
    assert session.log.path is not None
    return [json.loads(line) for line in session.log.path.read_bytes().splitlines()][1:]


def compactions(session: Session) -> list[CompactionEntry]:
    found = [session.log.entry(one) for one in session.log.branch()]
    return [entry for entry in found if isinstance(entry, CompactionEntry)]


def ends(events: list[Any]) -> list[CompactionEnd]:
    """How the compactions ended; every one that began must have."""
    begun = [one.reason for one in events if isinstance(one, CompactionStart)]
    ended = [one for one in events if isinstance(one, CompactionEnd)]
    assert begun == [one.reason for one in ended]
    return ended


def results(events: list[Any]) -> list[CompactionResult]:
    return [one.result for one in ends(events) if isinstance(one.result, CompactionResult)]


async def requests(server: FakeLLM, count: int) -> list[dict[str, Any]]:
    """The bodies of `count` requests; the server takes one down when its answer is out, so maybe not yet."""
    async with asyncio.timeout(30):
        while len(bodies := await asyncio.to_thread(server.bodies)) < count:
            await asyncio.sleep(0.01)
    return bodies


def said(body: dict[str, Any]) -> str:
    """Everything in the messages of a request."""
    return json.dumps(body["messages"], ensure_ascii=False)


def is_summary_request(body: dict[str, Any]) -> bool:
    return "write summaries of conversations" in json.dumps(body)
