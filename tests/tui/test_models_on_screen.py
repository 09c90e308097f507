"""Choosing models in the client: the list, the cycling keys, the scope, the level that is kept."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot
from textual.widgets import Static

from pi_tui.llm.catalog import load_catalog
from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.picker.list import PickerList
from pi_tui.tui.picker.picker import Picker
from pi_tui.tui.scope_screen import ScopePicker
from pi_tui.tui.theme.discover import discover_themes

SERVER = {
    "baseUrl": "http://127.0.0.1:9/v1",
    "api": "openai-completions",
    "apiKey": "key",
    "models": [
        {"id": "plain", "contextWindow": 8000},
        {"id": "thinker", "reasoning": True},
        {"id": "vision", "input": ["text", "image"]},
    ],
}


@pytest.fixture
def agent_dir(home: Path) -> Path:
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True)
    (folder / "models.json").write_text(json.dumps({"providers": {"mine": SERVER}}))
    (folder / "settings.json").write_text('{"defaultProvider": "mine", "defaultModel": "thinker"}')
    return folder


@asynccontextmanager
async def client(folder: Path, **launch: object) -> AsyncIterator[tuple[PiApp, Pilot[int]]]:
    session = open_session(Launch(cwd=folder, offline=True, **launch))  # type: ignore[arg-type]
    app = PiApp(session, ClientSetup(shelf=discover_themes(), offline=True))
    async with app.run_test(size=(100, 30)) as pilot:
        await pilot.pause()
        yield app, pilot
    session.close()


async def picker_of(pilot: Pilot[int], app: PiApp) -> Picker[str]:
    async with asyncio.timeout(30):
        while not isinstance(app.screen, Picker):
            await pilot.pause()
    return app.screen


async def chosen(pilot: Pilot[int], app: PiApp, model_id: str) -> None:
    async with asyncio.timeout(30):
        while app.session.model is None or app.session.model.id != model_id:
            await pilot.pause()


async def settings(pilot: Pilot[int], agent_dir: Path, key: str) -> object:
    """A setting, as soon as it is in the file."""
    async with asyncio.timeout(30):
        while key not in (read := json.loads((agent_dir / "settings.json").read_text())):
            await pilot.pause()
    return read[key]


async def test_the_cycling_keys_lead_through_the_models_and_back(agent_dir: Path, tmp_path: Path) -> None:
    async with client(tmp_path, models=["mine/*"]) as (app, pilot):
        await pilot.press("ctrl+p")
        await chosen(pilot, app, "vision")
        await pilot.press("ctrl+p")
        await chosen(pilot, app, "plain")
        await pilot.press("ctrl+shift+p")
        await chosen(pilot, app, "vision")


async def test_a_model_that_does_not_think_makes_no_level_forgotten(agent_dir: Path, tmp_path: Path) -> None:
    async with client(tmp_path, models=["mine/thinker", "mine/plain"]) as (app, pilot):
        app.session.set_thinking_level("high")
        await pilot.press("ctrl+p")
        await chosen(pilot, app, "plain")
        assert app.session.thinking_level == "off"
        await pilot.press("ctrl+p")
        await chosen(pilot, app, "thinker")
        assert app.session.thinking_level == "high"


async def test_a_pattern_sets_the_level(agent_dir: Path, tmp_path: Path) -> None:
    async with client(tmp_path, models=["mine/plain", "mine/thinker:low"]) as (app, pilot):
        await pilot.press("ctrl+p")
        await chosen(pilot, app, "plain")
        await pilot.press("ctrl+p")
        await chosen(pilot, app, "thinker")
        assert app.session.thinking_level == "low"


async def test_the_list_is_searched_and_saves_the_default(agent_dir: Path, tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await pilot.press("ctrl+l")
        picker = await picker_of(pilot, app)
        await pilot.press(*"visi")
        assert picker.chosen == "mine/vision"
        await pilot.press("ctrl+s")
        assert await settings(pilot, agent_dir, "defaultModel") is not None
        async with asyncio.timeout(30):
            while json.loads((agent_dir / "settings.json").read_text())["defaultModel"] != "vision":
                await pilot.pause()
        await pilot.press("enter")
        await chosen(pilot, app, "vision")


async def test_a_scope_is_marked_ordered_and_saved(agent_dir: Path, tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        app.editor.set_prompt("/scoped-models")
        await pilot.press("enter")
        picker = await picker_of(pilot, app)
        assert isinstance(picker, ScopePicker)
        await pilot.press(*"plain", "enter")
        await pilot.press(*["backspace"] * 5, *"vision", "enter", "alt+up", "ctrl+s")
        assert await settings(pilot, agent_dir, "enabledModels") == ["mine/vision", "mine/plain"]
        await pilot.press("escape")
        await pilot.pause()
        assert [one.model.id for one in app.session.services.scope()] == ["vision", "plain"]


async def test_a_window_that_is_too_small_is_asked_about(
    agent_dir: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client(tmp_path) as (app, pilot):
        monkeypatch.setattr(type(app.session), "context_tokens", lambda self: 20_000)
        app.editor.set_prompt("/model mine/plain")
        await pilot.press("enter")
        async with asyncio.timeout(30):
            while len(app.screen_stack) < 2:
                await pilot.pause()
        await pilot.press("escape")
        await pilot.pause()
        assert app.session.model is not None
        assert app.session.model.id == "thinker"


async def test_a_session_whose_model_is_gone_asks_for_another(agent_dir: Path, tmp_path: Path) -> None:
    session = open_session(Launch(cwd=tmp_path, offline=True, model="mine/vision"))
    session.log.append_model_change("mine", "gone")
    session.log.append_message(_prompt())
    session.log.append_message(_answer())
    path = session.log.path
    session.close()
    async with client(tmp_path, session=str(path)) as (app, pilot):
        await picker_of(pilot, app)
        assert any("mine/gone" in problem for problem in app.session.services.problems)
        await pilot.press(*"plain", "enter")
        await chosen(pilot, app, "plain")


def _prompt() -> UserMessage:
    return UserMessage([TextContent("hello")])


def _answer() -> AssistantMessage:
    return AssistantMessage([TextContent("hi")], api="openai-completions", provider="mine", model="gone")


async def test_what_is_wrong_with_models_json_is_said_when_the_list_opens(
    agent_dir: Path, tmp_path: Path
) -> None:
    async with client(tmp_path) as (app, pilot):
        changed = {**SERVER, "models": [{"id": "plain"}, {"id": "new", "contextWindow": "large"}]}
        (agent_dir / "models.json").write_text(json.dumps({"providers": {"mine": changed}}, indent=1))
        await pilot.press("ctrl+l")
        picker = await picker_of(pilot, app)
        said = [block.text() for block in app.transcript.blocks]
        assert sum("providers.mine.models.1.contextWindow" in one for one in said) == 1
        assert "mine/thinker" not in {item.value for item in picker.query_one(PickerList).items}
        await pilot.press("escape")
        await pilot.press("ctrl+l")
        await picker_of(pilot, app)
        again = [block.text() for block in app.transcript.blocks]
        assert again == said, "it is said once"


async def test_the_list_shows_what_a_model_costs_and_when_nothing_fits(
    agent_dir: Path, tmp_path: Path
) -> None:
    priced = {**SERVER, "models": [{"id": "dear", "cost": {"input": 3, "output": 15}}, {"id": "free"}]}
    (agent_dir / "models.json").write_text(json.dumps({"providers": {"mine": priced}}))
    async with client(tmp_path) as (app, pilot):
        await pilot.press("ctrl+l")
        picker = await picker_of(pilot, app)
        about = {item.value: item.description for item in picker.query_one(PickerList).items}
        assert load_catalog().made in str(picker.query_one("#title", Static).render())
        assert about["mine/dear"].split() == ["128k", "$3/$15"]
        assert about["mine/free"].split() == ["128k"]
        assert list(about)[-1].startswith("demo/"), "the demo comes last"
        await pilot.press(*"zzz")
        assert picker.chosen is None
        await pilot.press("enter", "escape")
