"""Skills, templates, themes, trust and settings in the client."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pi_tui.llm.messages import UserMessage, text_of
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.session.entries import MessageEntry
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.command_set import CommandCompletion
from pi_tui.tui.commands import Command
from pi_tui.tui.run import theme_finder
from pi_tui.tui.settings_table import ROWS, value_of
from tests.tui.written_client import shown, submit, until


def write(path: Path, content: object) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content if isinstance(content, str) else json.dumps(content))
    return path


@pytest.fixture
def agent_dir(home: Path) -> Path:
    return home / ".pi" / "agent"


@pytest.fixture(autouse=True)
def quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "inf")


@asynccontextmanager
async def client(folder: Path, approve: bool | None = None) -> AsyncIterator[tuple[PiApp, Pilot[int]]]:
    session = open_session(Launch(cwd=folder, demo=True, offline=True, approve=approve))
    find = theme_finder([], discover=True)
    setup = ClientSetup(
        shelf=find(session.services), find_themes=find, theme=session.services.settings.theme, offline=True
    )
    app = PiApp(session, setup)
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.pause()
        yield app, pilot
    session.close()


async def screen(pilot: Pilot[int], app: PiApp, depth: int) -> None:
    async with asyncio.timeout(30):
        while len(app.screen_stack) != depth:
            await pilot.pause()
    await pilot.pause()


def offered(app: PiApp) -> list[Command]:
    return list(CommandCompletion(app).commands())


def sent(app: PiApp) -> list[str]:
    log = app.session.log
    entries = [log.entry(one) for one in log.branch() if log.role(one) == "user"]
    return [
        text_of(entry.message.content)
        for entry in entries
        if isinstance(entry, MessageEntry) and isinstance(entry.message, UserMessage)
    ]


async def test_a_template_is_completed_expanded_and_sent(tmp_path: Path, agent_dir: Path) -> None:
    write(agent_dir / "prompts" / "zreview.md", "---\ndescription: R\nargument-hint: <what>\n---\nReview $1!")
    async with client(tmp_path) as (app, pilot):
        command = next(one for one in offered(app) if one.name == "zreview")
        assert (command.description, command.argument_hint) == ("R", "<what>")
        await submit(pilot, app, '/zreview "the parser"')
        await app.session.wait_settled()
        await until(pilot, app, "Review the parser!")
        assert sent(app) == ["Review the parser!"]


async def test_a_skill_is_put_in_at_once(tmp_path: Path, agent_dir: Path) -> None:
    write(agent_dir / "skills" / "x" / "SKILL.md", "---\nname: x\ndescription: d\n---\nThe body.")
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/skill:x now")
        await app.session.wait_settled()
        await until(pilot, app, "The body.")
        assert sent(app)[0].endswith("\n\nnow")


async def test_an_unknown_skill_is_an_error_with_near_matches(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/skill:pi-sesions")
        await until(pilot, app, "/skill:pi-sessions")
        assert sent(app) == []


async def test_skills_are_not_offered_where_the_settings_say_so(tmp_path: Path, agent_dir: Path) -> None:
    write(agent_dir / "settings.json", {"enableSkillCommands": False})
    async with client(tmp_path) as (app, _):
        assert not [one for one in offered(app) if one.name.startswith("skill:")]
        assert [one for one in app.commands() if one.name == "skill:pi-sessions"]


async def test_a_template_with_the_name_of_a_command_is_reported(tmp_path: Path, agent_dir: Path) -> None:
    path = write(agent_dir / "prompts" / "model.md", "x")
    async with client(tmp_path) as (app, _):
        assert str(path) in shown(app)
        assert [one.name for one in app.commands()].count("model") == 1


async def test_the_header_says_what_was_loaded_and_what_was_wrong(tmp_path: Path, agent_dir: Path) -> None:
    bad = write(agent_dir / "skills" / "bad" / "SKILL.md", "---\nname: bad\n---\n")
    write(agent_dir / "prompts" / "mine.md", "x")
    async with client(tmp_path) as (app, _):
        header = app.transcript.blocks[0].text()
        assert "pi-sessions" in header and "/mine" in header and f"{bad}:1" in header


async def test_reload_shows_what_is_new_and_keeps_the_conversation(tmp_path: Path, agent_dir: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "tour")
        await app.session.wait_settled()
        write(agent_dir / "prompts" / "fresh.md", "x")
        write(agent_dir / "keybindings.json", {"app.session.new": "ctrl+alt+n"})
        await submit(pilot, app, "/reload")
        await until(pilot, app, "/fresh")
        assert sent(app)[0] == "tour"
        assert app.editor.bindings.keys("app.session.new")
        assert "fresh" in [one.name for one in offered(app)]


async def test_a_theme_is_chosen_by_name_and_stored(tmp_path: Path, agent_dir: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/theme light")
        async with asyncio.timeout(30):
            while not (agent_dir / "settings.json").exists():
                await pilot.pause()
        assert app.palette.name == "light"
        assert json.loads((agent_dir / "settings.json").read_text()) == {"theme": "light"}
        await submit(pilot, app, "/theme nonsense")
        await until(pilot, app, "no such theme")
        assert app.palette.name == "light"


async def test_themes_are_shown_while_one_chooses_and_cancelling_takes_the_old_one(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/theme")
        await screen(pilot, app, 2)
        await pilot.press(*"high")
        await pilot.pause()
        assert app.palette.name == "high-contrast"
        await pilot.press("escape")
        await screen(pilot, app, 1)
        assert app.palette.name == "system"


async def test_themes_of_a_project_count_when_it_is_trusted(tmp_path: Path) -> None:
    dark = json.loads((Path(__file__).parents[2] / "themes" / "dark.json").read_text())
    write(tmp_path / ".pi" / "themes" / "house.json", {**dark, "name": "house"})
    async with client(tmp_path, approve=False) as (app, _):
        assert "house" not in app.setup.shelf.palettes
    async with client(tmp_path, approve=True) as (app, _):
        assert "house" in app.setup.shelf.palettes


async def test_trust_is_stored_and_takes_effect(tmp_path: Path, agent_dir: Path) -> None:
    write(tmp_path / ".pi" / "prompts" / "ours.md", "x")
    async with client(tmp_path) as (app, pilot):
        assert "is not trusted" in shown(app)
        await submit(pilot, app, "/trust")
        await screen(pilot, app, 2)
        await pilot.press("enter")
        await until(pilot, app, "/ours")
        assert json.loads((agent_dir / "trust.json").read_text()) == {str(tmp_path): True}


async def test_a_setting_is_changed_stored_and_used(tmp_path: Path, agent_dir: Path) -> None:
    write(agent_dir / "settings.json", '{\n  "unknown": [1],\n  "theme": "dark"\n}\n')
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/settings")
        await screen(pilot, app, 2)
        await pilot.press(*"doubleesc", "enter")
        await screen(pilot, app, 2)
        await pilot.press(*"none", "enter")
        async with asyncio.timeout(30):
            while app.session.services.settings.double_escape_action != "none":
                await pilot.pause()
        await screen(pilot, app, 2)
        await pilot.press("escape")
        stored = json.loads((agent_dir / "settings.json").read_text())
        assert stored == {"unknown": [1], "theme": "dark", "doubleEscapeAction": "none"}


async def test_a_number_that_does_not_fit_is_refused(tmp_path: Path, agent_dir: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/settings retry.maxRetries")
        await screen(pilot, app, 2)
        await pilot.press("enter")
        await screen(pilot, app, 2)
        await pilot.press("ctrl+u", *"-1", "enter")
        await until(pilot, app, "retry.maxRetries was not changed")
        assert not (agent_dir / "settings.json").exists()


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.key)
def test_every_row_of_the_settings_is_a_setting(row) -> None:
    from pi_tui.resources.settings import Settings, misfit

    value_of(Settings(), row.key)
    for choice in row.choices:
        assert misfit(row.key, choice) is None
    assert misfit(row.key, ["nonsense"]) is not None


async def test_a_theme_that_is_saved_is_shown_and_a_broken_one_changes_nothing(
    tmp_path: Path, agent_dir: Path
) -> None:
    theme = json.loads((Path(__file__).parents[2] / "themes" / "dark.json").read_text()) | {"name": "mine"}
    path = write(agent_dir / "themes" / "mine.json", theme)
    write(agent_dir / "settings.json", {"theme": "mine"})
    async with client(tmp_path) as (app, pilot):
        app.themes.look_at_file()
        theme["colors"]["accent"] = "#123456"
        write(path, theme)
        app.themes.look_at_file()
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "theme"])
        assert app.palette.color("accent") == "#123456"
        path.write_text("{ half of it")
        app.themes.look_at_file()
        await app.workers.wait_for_complete([one for one in app.workers if one.group == "theme"])
        await pilot.pause()
        assert app.palette.color("accent") == "#123456"


async def test_a_setting_that_the_project_overrides_says_so(tmp_path: Path, agent_dir: Path) -> None:
    write(tmp_path / ".pi" / "settings.json", {"followUpMode": "all"})
    async with client(tmp_path, approve=True) as (app, pilot):
        await submit(pilot, app, "/settings followUpMode")
        await screen(pilot, app, 2)
        await pilot.press("enter")
        await screen(pilot, app, 2)
        await pilot.press(*"one-at", "enter")
        await screen(pilot, app, 2)
        await pilot.press(*"every project", "enter")
        await until(pilot, app, "this project's settings say so")


async def test_settings_of_the_editor_count_after_a_reload(tmp_path: Path, agent_dir: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        write(agent_dir / "settings.json", {"autocompleteMaxVisible": 9, "externalEditor": "vi"})
        await submit(pilot, app, "/reload")
        await until(pilot, app, "reloaded")
        assert app.editor.external_editor == "vi"
        await pilot.press("/")
        await pilot.pause()
        popup = app.editor._completer.popup
        assert popup.is_open
        assert popup.size.height == 9


async def test_in_a_trusted_project_a_setting_can_be_its_own(tmp_path: Path, agent_dir: Path) -> None:
    path = write(tmp_path / ".pi" / "settings.json", '{\n  // ours\n  "steeringMode": "all"\n}\n')
    async with client(tmp_path, approve=True) as (app, pilot):
        await submit(pilot, app, "/settings doubleEscapeAction")
        await screen(pilot, app, 2)
        await pilot.press("enter")
        await screen(pilot, app, 2)
        await pilot.press(*"fork", "enter")
        await screen(pilot, app, 2)
        await pilot.press(*"this project", "enter")
        async with asyncio.timeout(30):
            while app.session.services.settings.double_escape_action != "fork":
                await pilot.pause()
        assert "// ours" in path.read_text()
        assert '"doubleEscapeAction": "fork"' in path.read_text()
        assert not (agent_dir / "settings.json").exists()


async def test_a_file_that_is_broken_is_named_and_not_overwritten(tmp_path: Path, agent_dir: Path) -> None:
    path = write(agent_dir / "settings.json", "{ broken")
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/settings doubleEscapeAction")
        await screen(pilot, app, 2)
        await pilot.press("enter")
        await screen(pilot, app, 2)
        await pilot.press(*"fork", "enter")
        await until(pilot, app, "doubleEscapeAction was not stored")
        assert str(path) in shown(app)
        assert path.read_text() == "{ broken"
