"""Double Esc and going on from another place, in the client itself."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pi_tui.llm.messages import AssistantMessage, ImageContent, TextContent, UserMessage
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.session.log import SessionLog
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.picker.dialogs import ConfirmDialog
from pi_tui.tui.picker.picker import Picker
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.tree.screen import TreeScreen

IMAGE = ImageContent("iVBORw0KGgo=", "image/png")
Client = Callable[..., AbstractAsyncContextManager[Pilot[int]]]


@pytest.fixture
def client(tmp_path: Path, home: Path) -> Client:
    """A client over two turns of the demo model."""
    log = SessionLog.create(tmp_path, tmp_path / "sessions")
    log.append_model_change("demo", "tour")
    for number in range(2):
        log.append_message(UserMessage([TextContent(f"question {number} [image #1 a.png]"), IMAGE]))
        log.append_message(AssistantMessage([TextContent("answer")], provider="demo", model="tour"))
    log.close()

    @asynccontextmanager
    async def start(settings: str = "{}") -> AsyncIterator[Pilot[int]]:
        agent_dir = home / ".pi" / "agent"
        agent_dir.mkdir(parents=True)
        (agent_dir / "settings.json").write_text(settings)
        session = open_session(Launch(cwd=tmp_path, session=str(log.path), offline=True))
        app = PiApp(session, ClientSetup(shelf=discover_themes(), theme="dark", offline=True))
        try:
            async with app.run_test(size=(100, 30)) as pilot:
                await pilot.pause()
                yield pilot
        finally:
            session.close()

    return start


def app_of(pilot: Pilot[int]) -> PiApp:
    assert isinstance(pilot.app, PiApp)
    return pilot.app


async def test_escape_twice_opens_the_tree_and_once_does_not(client: Client) -> None:
    async with client() as pilot:
        await pilot.press("escape")
        assert not isinstance(pilot.app.screen, TreeScreen)
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(pilot.app.screen, TreeScreen)


async def test_escape_twice_with_a_draft_opens_nothing(client: Client) -> None:
    async with client() as pilot:
        await pilot.press("x", "escape", "escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, TreeScreen)


async def test_escape_twice_may_mean_nothing(client: Client) -> None:
    async with client('{"doubleEscapeAction": "none"}') as pilot:
        await pilot.press("escape", "escape")
        await pilot.pause()
        assert not isinstance(pilot.app.screen, TreeScreen)


async def test_a_question_comes_back_with_its_image_after_the_summary_was_asked_about(client: Client) -> None:
    async with client() as pilot:
        app = app_of(pilot)
        await pilot.press("escape", "escape")
        await pilot.pause()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert isinstance(app.screen, Picker)
        await pilot.press("enter")
        await pilot.pause()
        assert app.editor.text == "question 1 [image #1 a.png]"
        assert [one.source for one in app.editor.markers.attachments_in(app.editor.text)] == [IMAGE]
        log = app.session.log
        assert log.leaf_id == log.entry_ids[2]


async def test_who_does_not_answer_stays_in_the_tree(client: Client) -> None:
    async with client() as pilot:
        app = app_of(pilot)
        leaf = app.session.log.leaf_id
        await pilot.press("escape", "escape")
        await pilot.pause()
        await pilot.press("up", "enter")
        await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert isinstance(app.screen, TreeScreen)
        assert app.session.log.leaf_id == leaf


async def test_a_draft_is_the_newest_prompt_of_the_history(client: Client) -> None:
    async with client('{"branchSummary": {"skipPrompt": true}}') as pilot:
        app = app_of(pilot)
        app.editor.set_prompt("half a thought")
        app._run_named("tree")
        await pilot.pause()
        await pilot.press("up", "enter")
        await pilot.pause()
        assert app.editor.text.startswith("question 1")
        await pilot.press("up")
        assert app.editor.text == "half a thought"


async def test_a_draft_stays_where_it_is_if_there_is_nothing_to_write_anew(client: Client) -> None:
    async with client('{"branchSummary": {"skipPrompt": true}}') as pilot:
        app = app_of(pilot)
        app.editor.set_prompt("half a thought")
        app._run_named("tree")
        await pilot.pause()
        await pilot.press("up", "up", "enter")
        await pilot.pause()
        assert app.editor.text == "half a thought"
        assert app.session.log.leaf_id == app.session.log.entry_ids[2]


async def test_a_run_is_stopped_only_after_a_question(client: Client) -> None:
    async with client('{"branchSummary": {"skipPrompt": true}}') as pilot:
        app = app_of(pilot)
        app.send("tour")
        await pilot.pause()
        assert app.session.running
        app._run_named("tree")
        await pilot.pause()
        await pilot.press("home", "enter")
        await pilot.pause()
        assert isinstance(app.screen, ConfirmDialog)
        await pilot.press("n")
        await pilot.pause()
        assert isinstance(app.screen, TreeScreen)
        assert app.session.running
        await pilot.press("enter")
        await pilot.pause()
        await pilot.press("y")
        await app.session.wait_settled()
        await pilot.pause()
        await pilot.pause()
        assert app.editor.text.startswith("question 0")


async def test_escape_in_a_hurry_stops_a_run_and_opens_nothing(client: Client) -> None:
    async with client() as pilot:
        app = app_of(pilot)
        app.send("tour")
        await pilot.pause()
        assert app.session.running
        await pilot.press("escape")
        await app.session.wait_settled()
        await pilot.press("escape")
        await pilot.pause()
        assert not isinstance(app.screen, TreeScreen)
