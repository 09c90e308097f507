"""Searching many blocks: others get their turn, and what cannot hold the text is not even decoded."""

import asyncio
from pathlib import Path

import pytest

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.session.log import SessionLog
from pi_tui.tui.stored import stored_branch
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.transcript import search
from pi_tui.tui.transcript.block import Block, LazyBlock
from pi_tui.tui.transcript.from_messages import lazy_blocks_for
from pi_tui.tui.transcript.line import Look
from pi_tui.tui.transcript.note_blocks import NoticeBlock
from pi_tui.tui.transcript.search import Match, Search
from pi_tui.tui.transcript.viewport import Viewport


def viewport(blocks: list[Block], palette: Palette) -> Viewport:
    view = Viewport(Look(40, palette))
    view.height = 10
    view.extend(blocks)
    return view


def from_the_end(view: Viewport) -> Match:
    return Match(len(view) - 1, 10**6, 0)


async def test_others_get_their_turn_while_blocks_are_searched(
    palette: Palette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "SLICE", -1.0)
    view = viewport([NoticeBlock(f"note {number}") for number in range(500)], palette)
    turns = 0

    async def others() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    other = asyncio.create_task(others())
    looking = Search("nowhere")
    assert await looking.step(view, -1, from_the_end(view)) is None
    assert turns >= 500
    turns = 0
    await looking.count(view)
    assert turns >= 500
    other.cancel()


async def test_counting_ends_at_its_limit_and_says_so(
    palette: Palette, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "MAX_COUNTED", 10)
    view = viewport([NoticeBlock("one and one") for _ in range(50)], palette)
    looking = Search("one")
    await looking.count(view)
    assert (looking.total, looking.counted) == (10, False)


async def test_what_cannot_hold_the_text_is_not_decoded(palette: Palette) -> None:
    built: list[int] = []

    def lazy(number: int) -> LazyBlock:
        def build() -> Block:
            built.append(number)
            return NoticeBlock(f"note {number}")

        return LazyBlock(100, build, may_say=lambda phrase: phrase == f"note {number}")

    view = viewport([lazy(number) for number in range(50)], palette)
    match = await Search("NOTE 7").step(view, -1, from_the_end(view))
    assert match is not None and match.block == 7
    assert set(built) == {7}


async def test_a_stored_session_is_searched_in_its_bytes_and_found_as_it_is_read(
    tmp_path: Path, palette: Palette
) -> None:
    log = SessionLog.create(tmp_path, tmp_path)
    for number in range(20):
        log.append_message(UserMessage(f"question {number}"))
        log.append_message(AssistantMessage([TextContent(f"a **bold** answer {number}")]))
    view = viewport(lazy_blocks_for(stored_branch(log)), palette)
    looking = Search("a bold answer 3")
    match = await looking.step(view, -1, from_the_end(view))
    await looking.count(view)
    assert match is not None
    assert "bold answer 3" in view.blocks[match.block].lines(view.look)[match.line].text
    assert (looking.number(view), looking.total, looking.counted) == (1, 1, True)
    log.close()
