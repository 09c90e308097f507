"""Leaving a branch with a summary, in the client itself."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.session.entries import BranchSummaryEntry
from pi_tui.session.log import SessionLog
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.picker.dialogs import TextDialog
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.tree.screen import TreeScreen
from pi_tui.tui.tree.summary_wait import SummaryWait


@asynccontextmanager
async def in_the_tree(folder: Path) -> AsyncIterator[tuple[PiApp, Pilot[int]]]:
    """A client over two turns of the demo model, where the second question was chosen in the tree."""
    log = SessionLog.create(folder, folder / "sessions")
    log.append_model_change("demo", "tour")
    for number in range(2):
        log.append_message(UserMessage([TextContent(f"question {number}")]))
        log.append_message(AssistantMessage([TextContent("answer")], provider="demo", model="tour"))
    log.close()
    session = open_session(Launch(cwd=folder, session=str(log.path), offline=True))
    app = PiApp(session, ClientSetup(shelf=discover_themes(), theme="dark", offline=True))
    try:
        async with app.run_test(size=(100, 30)) as pilot:
            await pilot.pause()
            app._run_named("tree")
            await pilot.pause()
            await pilot.press("up", "enter")
            await pilot.pause()
            yield app, pilot
    finally:
        session.close()


async def until_summarised(app: PiApp, pilot: Pilot[int]) -> BranchSummaryEntry:
    while app.session.running or len(app.screen_stack) > 1:
        await pilot.pause()
    entry = app.session.log.entry(str(app.session.log.leaf_id))
    assert isinstance(entry, BranchSummaryEntry)
    return entry


async def test_the_summary_is_shown_and_the_question_is_in_the_editor(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "inf")
    async with in_the_tree(tmp_path) as (app, pilot):
        await pilot.press("down", "enter")
        await pilot.pause()
        entry = await until_summarised(app, pilot)
        assert "question 1" in entry.summary
        assert app.editor.text == "question 1"
        await pilot.pause()
        assert any("Branch summary" in block.text() for block in app.transcript.blocks)


async def test_a_focus_is_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "inf")
    async with in_the_tree(tmp_path) as (app, pilot):
        await pilot.press("down", "down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, TextDialog)
        await pilot.press("t", "a", "i", "l", "enter")
        await pilot.pause()
        await until_summarised(app, pilot)


async def test_esc_while_it_is_made_goes_back_to_the_tree(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "0.001")
    async with in_the_tree(tmp_path) as (app, pilot):
        leaf = app.session.log.leaf_id
        await pilot.press("down", "enter")
        await pilot.pause()
        assert isinstance(app.screen, SummaryWait)
        await pilot.press("escape")
        while isinstance(app.screen, SummaryWait):
            await pilot.pause()
        assert isinstance(app.screen, TreeScreen)
        assert app.session.log.leaf_id == leaf
        assert not app.session.running
