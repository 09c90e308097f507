from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.terminal.appearance import TerminalColors
from pi_tui.tui.terminal.events import TerminalAppearance, TerminalColorsTold
from pi_tui.tui.theme.discover import discover_themes

DARK, WHITE = (20, 20, 30), (255, 255, 255)


@pytest.fixture(autouse=True)
def many_colours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLORTERM", "truecolor")


@asynccontextmanager
async def client(
    folder: Path, terminal: TerminalColors, theme: str = "system"
) -> AsyncIterator[tuple[PiApp, Any]]:
    session = open_session(Launch(cwd=folder, demo=True, offline=True))
    setup = ClientSetup(shelf=discover_themes(), theme=theme, terminal=terminal, offline=True)
    app = PiApp(session, setup)
    async with app.run_test() as pilot:
        yield app, pilot
    session.close()


async def test_the_colours_are_asked_for_again_when_the_terminal_becomes_light(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with client(tmp_path, TerminalColors("dark", DARK)) as (app, pilot):
        written: list[str] = []
        monkeypatch.setattr(app._driver, "write", written.append)
        before = app.theme_variables["pi-user-message-bg"]
        app.post_message(TerminalAppearance("light"))
        await pilot.pause()
        assert "\x1b]11;?\x1b\\" in "".join(written)
        assert "\x1b]4;15;?\x1b\\" in "".join(written)
        app.post_message(TerminalColorsTold([("11", WHITE)]))
        await pilot.pause()
        assert app.palette.appearance == "light"
        assert app.theme_variables["pi-user-message-bg"] == app.palette.color("userMessageBg") != before


async def test_a_pair_follows_a_terminal_that_tells_no_colours(tmp_path: Path) -> None:
    async with client(tmp_path, TerminalColors(), "light/high-contrast") as (app, pilot):
        assert app.palette.name == "high-contrast"
        app.post_message(TerminalAppearance("light"))
        await pilot.pause()
        assert app.palette.name == "light"


async def test_colours_that_are_told_late_are_used(tmp_path: Path) -> None:
    async with client(tmp_path, TerminalColors()) as (app, pilot):
        assert app.palette.color("userMessageBg") == "default"
        app.post_message(TerminalColorsTold([("11", DARK)]))
        await pilot.pause()
        assert app.palette.color("userMessageBg").startswith("#")
