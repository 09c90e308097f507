import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from textual import events
from textual.pilot import Pilot

from pi_tui.llm.messages import AssistantMessage, text_of
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.editor.completion_popup import CompletionPopup
from pi_tui.tui.theme.discover import discover_themes


@asynccontextmanager
async def client(
    folder: Path, *, demo: bool = True, size: tuple[int, int] = (100, 30)
) -> AsyncIterator[tuple[PiApp, Pilot[int]]]:
    session = open_session(Launch(cwd=folder, demo=demo, offline=True))
    app = PiApp(session, ClientSetup(shelf=discover_themes(), offline=True))
    async with app.run_test(size=size) as pilot:
        await pilot.pause()
        yield app, pilot
    session.close()


def shown(app: PiApp) -> str:
    """What the transcript says, as plain text."""
    return "\n".join(block.text() for block in app.transcript.blocks)


async def until_so(pilot: Pilot[int], condition: Callable[[], object]) -> None:
    async with asyncio.timeout(30):
        while not condition():
            await pilot.pause()


async def until(pilot: Pilot[int], app: PiApp, text: str) -> None:
    await until_so(pilot, lambda: text in shown(app))


@pytest.fixture(autouse=True)
def quick_demo(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "inf")


async def submit(pilot: Pilot[int], app: PiApp, text: str) -> None:
    app.editor.set_prompt(text)
    await pilot.press("enter")
    await pilot.pause()


async def test_without_a_key_the_welcome_says_what_can_be_done(tmp_path: Path) -> None:
    async with client(tmp_path, demo=False) as (app, pilot):
        await until(pilot, app, "/login")
        assert "/demo" in shown(app)
        assert "ANTHROPIC_API_KEY" in shown(app)


async def test_a_prompt_without_a_model_is_not_lost(tmp_path: Path) -> None:
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "do something")
        await until(pilot, app, "Not sent")
        assert app.editor.text == "do something"


async def test_the_demo_shows_its_work(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "tour")
        await app.session.wait_settled()
        await until(pilot, app, "tour is over")
        assert (tmp_path / "pi-demo.py").exists()
        assert "pi-demo.py" in shown(app)


async def test_an_unknown_command_is_an_error_and_no_prompt(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/modle")
        await until(pilot, app, "Did you mean /model")
        assert app.editor.text == "/modle"
        assert app.session.last_assistant() is None


async def test_a_path_at_the_start_of_a_prompt_is_text(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/etc/hosts what is in it?")
        await app.session.wait_settled()
        texts = [text_of(m.content) for m in app.session.log.project().messages if hasattr(m, "content")]
        assert "/etc/hosts what is in it?" in texts


@pytest.mark.parametrize(
    ("command", "says"),
    [
        ("/help", "/thinking"),
        ("/hotkeys", "Shift+Enter"),
        ("/session", "in memory"),
        ("/name", "no name yet"),
        ("/thinking nonsense", "the levels of this model are"),
        ("/model nosuchmodel", "nosuchmodel"),
        ("/copy", ""),
    ],
)
async def test_each_command_answers(tmp_path: Path, command: str, says: str) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, command)
        await until(pilot, app, says)


async def test_a_name_is_shown_in_the_footer(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/name tea timer")
        await until_so(pilot, lambda: app.session.log.name == "tea timer")
        await until_so(pilot, lambda: any("tea timer" in line.plain for line in app.footer._lines))


async def test_a_new_session_starts_empty(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "hello")
        await app.session.wait_settled()
        await submit(pilot, app, "/new")
        await until_so(pilot, lambda: app.session.log.entry_ids == [])
        await until_so(pilot, lambda: "hello" not in shown(app))


async def test_shift_tab_goes_round_the_thinking_levels(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        assert app.session.model is not None
        levels = app.session.model.levels
        seen = []
        for _ in levels:
            await pilot.press("shift+tab")
            seen.append(app.session.thinking_level)
        assert sorted(seen) == sorted(levels)


async def test_escape_stops_the_answer_and_keeps_what_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "1")
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "stream 20000 tokens at 200 tokens/s")
        async with asyncio.timeout(30):
            while not (app.session.running and len(shown(app)) > 200):
                await pilot.pause(0.02)
        await pilot.press("escape")
        await app.session.wait_settled()
        answer = app.session.last_assistant()
        assert isinstance(answer, AssistantMessage)
        assert answer.stop_reason == "aborted" and answer.text
        await until(pilot, app, "Interrupted")


async def test_the_editor_can_be_cleared_and_the_text_brought_back(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        app.editor.set_prompt("a thought")
        await pilot.press("ctrl+c")
        assert app.editor.is_empty
        await pilot.press("ctrl+minus")
        assert app.editor.text == "a thought"


@pytest.mark.parametrize("size", [(20, 5), (40, 10), (80, 24), (200, 60)])
async def test_every_screen_size_shows_the_editor(tmp_path: Path, size: tuple[int, int]) -> None:
    async with client(tmp_path, size=size) as (app, pilot):
        await submit(pilot, app, "tour")
        await app.session.wait_settled()
        await pilot.pause()
        assert app.editor.region.bottom <= size[1]
        assert app.editor.size.height >= 1
        assert app.transcript.size.height >= 1


async def test_leaving_twice_within_a_moment_ends_the_client(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await pilot.press("ctrl+c", "ctrl+c")
        await until_so(pilot, lambda: app.return_code == 0)


def type_at_once(app: PiApp, text: str, *keys: str) -> None:
    """Keys as they come from somebody who types faster than messages go round."""
    pressed = [events.Key("slash" if letter == "/" else letter, letter) for letter in text]
    for key in [*pressed, *(events.Key(name, None) for name in keys)]:
        app.post_message(key)


async def test_enter_right_after_the_last_letter_runs_the_command_that_was_typed(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        type_at_once(app, "/")
        async with asyncio.timeout(30):
            while not app.query_one(CompletionPopup).is_open:
                await pilot.pause()
        type_at_once(app, "hotkeys", "enter")
        await until(pilot, app, "Shift+Enter")
        assert app.editor.is_empty


async def test_a_follow_up_key_takes_along_what_was_typed_before_it(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        type_at_once(app, "later", "alt+enter")
        await app.session.wait_settled()
        await until(pilot, app, "later")
        assert app.editor.is_empty


async def test_a_fast_choice_in_a_list_is_the_one_that_was_typed(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        await submit(pilot, app, "/thinking")
        async with asyncio.timeout(30):
            while len(app.screen_stack) == 1:
                await pilot.pause()
        await pilot.pause()
        type_at_once(app, "low", "enter")
        await until_so(pilot, lambda: app.session.thinking_level == "low")


async def test_the_demo_says_how_to_begin(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        async with asyncio.timeout(30):
            while not any("type tour" in line.plain for line in app.status._lines):
                await pilot.pause()
