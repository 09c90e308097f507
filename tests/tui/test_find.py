"""Searching the conversation: find as you type, from match to match, and back."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, Static

from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.find import FindBar, count_text
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.transcript.note_blocks import NoticeBlock
from pi_tui.tui.transcript.view import SearchCount


@asynccontextmanager
async def client(
    folder: Path, size: tuple[int, int] = (80, 24), blocks: int = 200
) -> AsyncIterator[tuple[PiApp, Pilot[int]]]:
    session = open_session(Launch(cwd=folder, demo=True, offline=True))
    app = PiApp(session, ClientSetup(shelf=discover_themes(), offline=True))
    async with app.run_test(size=size) as pilot:
        notes = [f"note {number} of many" for number in range(blocks)]
        for number in range(20, blocks, 50):
            notes[number] += ", a needle"
        app.transcript.extend([NoticeBlock(note) for note in notes])
        await pilot.pause()
        yield app, pilot
    session.close()


def on_screen(app: PiApp) -> str:
    return "\n".join(row.line.text for row in app.transcript._rows)


async def until(pilot: Pilot[int], condition: Callable[[], Any]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await pilot.pause()


def counted(app: PiApp) -> str:
    return str(app.query_one("#count", Static).render()) if app.query(FindBar) else ""


async def find(app: PiApp, pilot: Pilot[int], text: str, key: str = "f3") -> None:
    await pilot.press(key)
    await until(pilot, lambda: app.query(FindBar) and app.query_one(FindBar).query_one(Input).has_focus)
    await pilot.press(*("space" if letter == " " else letter for letter in text))


@pytest.mark.parametrize("key", ["f3", "ctrl+shift+f"])
async def test_typing_goes_to_the_last_match_and_says_how_many_there_are(tmp_path: Path, key: str) -> None:
    async with client(tmp_path) as (app, pilot):
        await find(app, pilot, "needle", key)
        await until(pilot, lambda: counted(app) == "1 of 4")
        assert "note 170 of many, a needle" in on_screen(app)


async def test_keys_go_from_match_to_match_in_both_directions(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await find(app, pilot, "needle")
        await pilot.press("enter", "up")
        await until(pilot, lambda: counted(app) == "3 of 4")
        assert "note 70 of many, a needle" in on_screen(app)
        await pilot.press("shift+enter")
        await until(pilot, lambda: counted(app) == "2 of 4")
        assert "note 120 of many, a needle" in on_screen(app)
        await pilot.press("down", "down")
        await until(pilot, lambda: counted(app) == "4 of 4")
        assert "note 20 of many, a needle" in on_screen(app)


async def test_escape_comes_back_to_where_one_was(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        app.transcript.home()
        app.transcript.scroll_lines(11)
        before = on_screen(app)
        await find(app, pilot, "note 199")
        await until(pilot, lambda: "note 199" in on_screen(app))
        await pilot.press("escape")
        await until(pilot, lambda: not app.query(FindBar))
        await until(pilot, lambda: on_screen(app) == before)
        assert app.editor.has_focus


async def test_the_key_that_opened_it_closes_it_and_stays(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await find(app, pilot, "needle")
        await until(pilot, lambda: counted(app) == "1 of 4")
        await pilot.press("f3")
        await until(pilot, lambda: not app.query(FindBar))
        assert "note 170 of many, a needle" in on_screen(app)
        await pilot.press("x")
        assert app.editor.text == "x"


async def test_a_text_that_is_nowhere_is_said_to_be_nowhere_and_moves_nothing(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        before = on_screen(app)
        await find(app, pilot, "needlf")
        await until(pilot, lambda: counted(app) == "not found")
        await pilot.press("enter")
        await pilot.pause()
        assert app.transcript.following
        assert before.splitlines()[-1] in on_screen(app)


async def test_the_command_takes_the_text_with_it(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        app.editor.set_prompt("/find a needle")
        await pilot.press("enter")
        await until(pilot, lambda: counted(app) == "1 of 4")
        app.find("note 7 ")
        await until(pilot, lambda: counted(app) == "1 of 1")
        assert "note 7 of many" in on_screen(app)


async def test_keys_typed_ahead_act_on_what_was_typed(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await find(app, pilot, "")
        bar = app.query_one(FindBar)
        bar.query_one(Input).value = "needle"
        await pilot.press("enter")
        await until(pilot, lambda: counted(app) == "2 of 4")


async def test_a_tiny_screen_has_room_for_it(tmp_path: Path) -> None:
    async with client(tmp_path, size=(20, 6)) as (app, pilot):
        await find(app, pilot, "needle")
        await until(pilot, lambda: counted(app) == "1 of 4")
        assert app.query_one(Input).size.width > 0


@pytest.mark.parametrize(
    ("count", "text"),
    [
        (SearchCount(None, 0, False), "…"),
        (SearchCount(None, 0, True), "not found"),
        (SearchCount(3, 12, True), "3 of 12"),
        (SearchCount(3, 1200, False), "3 of 1,200+"),
        (SearchCount(None, 7, False), "7+"),
    ],
)
def test_what_is_known_of_the_matches_is_said(count: SearchCount, text: str) -> None:
    assert count_text("x", count) == text
    assert count_text("", count) == ""
