"""The provider changes in the middle of a session, there and back, with all that is peculiar to each in it."""

import asyncio
import json
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pi_tui.llm.messages import ImageContent
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from tests.support.fakellm import FakeLLM
from tests.support.live_session import WIRES, open_live, use

CALLS = [
    {"name": "read", "arguments": {"path": "notes.txt"}},
    {"name": "read", "arguments": {"path": "dot.png"}},
    {"name": "bash", "arguments": {"command": "echo out"}},
]


def picture(folder: Path) -> ImageContent:
    import base64

    from PIL import Image

    Image.new("RGB", (8, 8), "red").save(folder / "dot.png")
    return ImageContent(base64.b64encode((folder / "dot.png").read_bytes()).decode(), "image/png")


async def turn(session: Session, fake_llm: FakeLLM, provider: str, image: ImageContent) -> None:
    """A prompt with a picture, answered with thinking, three calls at once, and more thinking."""
    use(session, provider)
    assert session.model is not None
    session.model = structs.replace(session.model, reasoning=True, input=("text", "image"))
    session.set_thinking_level("high")
    fake_llm.push(
        {"thinking": f"{provider} looks.", "text": "Reading.", "tool_calls": CALLS},
        {"thinking": f"{provider} has seen.", "text": f"{provider} is done."},
    )
    await session.prompt(f"ask {provider}", [image])


def lines(session: Session) -> list[dict[str, Any]]:
    assert session.log.path is not None
    return [json.loads(line) for line in session.log.path.read_bytes().splitlines()]


@pytest.mark.parametrize("order", permutations(WIRES), ids="-".join)
async def test_no_request_is_refused_and_the_file_keeps_everything(
    fake_llm: FakeLLM, tmp_path: Path, order: tuple[str, ...]
) -> None:
    (tmp_path / "notes.txt").write_text("a note")
    image = picture(tmp_path)
    session = open_live(fake_llm, tmp_path, order[0])
    there_and_back = [*order, *reversed(order)]
    for provider in there_and_back:
        before = lines(session) if session.saved else []
        await turn(session, fake_llm, provider, image)
        assert lines(session)[: len(before)] == before, "what was written is never written again"
    requests = await asyncio.to_thread(fake_llm.requests)
    assert [one["end"] for one in requests] == ["ok"] * 2 * len(there_and_back)
    messages = [line["message"] for line in lines(session) if line["type"] == "message"]
    answers = [one for one in messages if one["role"] == "assistant"]
    assert [one["provider"] for one in answers] == [one for one in there_and_back for _ in (0, 1)]
    thoughts = [
        block["thinking"] for one in answers for block in one["content"] if block["type"] == "thinking"
    ]
    assert thoughts == [f"{one} {what}" for one in there_and_back for what in ("looks.", "has seen.")]
    results = [one for one in messages if one["role"] == "toolResult"]
    assert len(results) == len(CALLS) * len(there_and_back)
    pictures = [block for one in (*messages,) for block in _blocks(one) if block["type"] == "image"]
    assert len(pictures) == 2 * len(there_and_back), "those of prompts and those of tool results"
    session.close()
    again = open_session(Launch(cwd=tmp_path, session=str(session.log.path), offline=True))
    fake_llm.push({"text": "still here"})
    await again.prompt("and after all that?")
    assert (await asyncio.to_thread(fake_llm.requests))[-1]["end"] == "ok"
    assert again.model is not None and again.model.provider == there_and_back[-1]
    again.close()


def _blocks(message: dict[str, Any]) -> list[dict[str, Any]]:
    content = message["content"]
    return content if isinstance(content, list) else []
