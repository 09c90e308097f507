"""`/login` and `/logout` in the client."""

import json
from pathlib import Path

import pytest
from textual.pilot import Pilot

from pi_tui.tui.app import PiApp
from pi_tui.tui.picker.dialogs import ConfirmDialog, TextDialog
from pi_tui.tui.picker.list import PickerList
from pi_tui.tui.picker.picker import Picker
from tests.tui.test_app import client, shown, submit, until

KEY = "planted-Key-0123456789"


@pytest.fixture
def auth(home: Path) -> Path:
    folder = home / ".pi" / "agent"
    folder.mkdir(parents=True, exist_ok=True)
    return folder / "auth.json"


async def screen_of(pilot: Pilot[int], app: PiApp, kind: type) -> None:
    for _ in range(200):
        if isinstance(app.screen, kind):
            return
        await pilot.pause(0.02)
    raise AssertionError(f"{app.screen} is no {kind}")


async def test_a_key_is_stored_and_never_shown(auth: Path, tmp_path: Path) -> None:
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/login Groq")
        await screen_of(pilot, app, TextDialog)
        await pilot.press(*KEY)
        assert KEY not in app.export_screenshot()
        await pilot.press("enter")
        await until(pilot, app, "The key for Groq is stored")
        assert KEY not in shown(app)
        assert json.loads(auth.read_text()) == {"groq": {"type": "api_key", "key": KEY}}
        assert auth.stat().st_mode & 0o777 == 0o600
        model = app.session.model
        assert model is not None and model.provider == "groq", "without a model, the first of theirs is used"


async def test_the_list_says_where_each_key_comes_from(
    auth: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    auth.write_text(json.dumps({"groq": {"type": "api_key", "key": KEY}}))
    monkeypatch.setenv("XAI_API_KEY", "x")
    own = {"name": "My own", "baseUrl": "http://10.0.0.1/v1", "api": "openai-completions"}
    models = {"own": {**own, "models": [{"id": "m"}]}}
    auth.with_name("models.json").write_text(json.dumps({"providers": models}))
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/login")
        await screen_of(pilot, app, Picker)
        items = app.screen.query_one(PickerList).items
        about = {item.value: item.description for item in items}
        assert (about["groq"], about["xai"], about["mistral"]) == (
            "key from auth.json", "key from XAI_API_KEY", "",
        )  # fmt: skip
        labels = {item.value: item.label for item in items}
        assert labels["own"] == "My own", "a provider of models.json can have a key too"
        assert "demo" not in about


@pytest.mark.parametrize("typed", ["two words", ""])
async def test_what_cannot_be_a_key_is_not_stored(auth: Path, tmp_path: Path, typed: str) -> None:
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/login groq")
        await screen_of(pilot, app, TextDialog)
        await pilot.press(*["space" if one == " " else one for one in typed], "enter")
        if typed:
            await until(pilot, app, "there are blanks in it")
            assert typed not in shown(app)
        assert not auth.exists()


async def test_an_unknown_provider_is_an_error(auth: Path, tmp_path: Path) -> None:
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/login nobody")
        await until(pilot, app, "no such provider")


async def test_a_sign_in_of_another_program_is_not_replaced_unasked(auth: Path, tmp_path: Path) -> None:
    entry = {"anthropic": {"type": "oauth", "access": "a", "refresh": "b"}}
    auth.write_text(json.dumps(entry))
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/login anthropic")
        await screen_of(pilot, app, ConfirmDialog)
        await pilot.press("escape")
        await pilot.pause()
        assert json.loads(auth.read_text()) == entry


async def test_a_file_that_cannot_be_written_is_said_and_left(auth: Path, tmp_path: Path) -> None:
    auth.write_text("{ broken")
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/login groq")
        await screen_of(pilot, app, TextDialog)
        await pilot.press(*KEY, "enter")
        await until(pilot, app, "The key was not stored")
        assert auth.read_text() == "{ broken"


async def test_logout_forgets_the_key_and_names_what_still_gives_one(
    auth: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    stored = {one: {"type": "api_key", "key": KEY} for one in ("groq", "xai")}
    auth.write_text(json.dumps(stored))
    monkeypatch.setenv("XAI_API_KEY", "x")
    async with client(tmp_path, demo=False) as (app, pilot):
        await submit(pilot, app, "/logout xai")
        await until(pilot, app, "XAI_API_KEY still gives one")
        await submit(pilot, app, "/model groq/openai/gpt-oss-20b")
        await submit(pilot, app, "/logout")
        await screen_of(pilot, app, Picker)
        await pilot.press("enter")
        await until(pilot, app, "cannot be used any more")
        assert json.loads(auth.read_text()) == {}
        await submit(pilot, app, "/logout")
        await until(pilot, app, "No key is stored")
        await submit(pilot, app, "/logout groq")
        await until(pilot, app, "no stored key of groq")
