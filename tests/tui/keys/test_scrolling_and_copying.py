from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.widgets.text_area import Selection

from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.theme.discover import discover_themes

KEYS = KeyBindings(
    {
        "tui.altScreen.halfPageUp": ("f5",),
        "tui.altScreen.halfPageDown": ("f6",),
        "tui.altScreen.lineUp": ("f7",),
        "tui.altScreen.lineDown": ("f8",),
    }
)


@asynccontextmanager
async def client(folder: Path) -> AsyncIterator[tuple[PiApp, Any]]:
    session = open_session(Launch(cwd=folder, demo=True, offline=True))
    app = PiApp(session, ClientSetup(shelf=discover_themes(), theme="dark", bindings=KEYS, offline=True))
    async with app.run_test(size=(80, 30)) as pilot:
        await pilot.pause()
        yield app, pilot
    session.close()


async def test_half_pages_and_lines_scroll_the_transcript(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        app.conversation.report("\n\n".join(f"line {number}" for number in range(100)))
        await pilot.pause()
        view = app.transcript._viewport
        end, half = view.offset, app.transcript.half_page
        assert end > 2 * half > 10
        for key, offset in [("f5", end - half), ("f7", end - half - 1), ("f8", end - half), ("f6", end)]:
            await pilot.press(key)
            await pilot.pause()
            assert view.offset == offset, key


async def test_what_is_selected_in_the_editor_is_copied_and_not_cleared(tmp_path: Path) -> None:
    async with client(tmp_path) as (app, pilot):
        copied: list[str] = []
        app.copy = copied.append  # type: ignore[method-assign]
        app.editor.set_prompt("one two three")
        app.editor.selection = Selection((0, 4), (0, 7))
        await pilot.press("ctrl+c")
        assert copied == ["two"]
        assert app.editor.text == "one two three"
        app.editor.selection = Selection.cursor((0, 0))
        await pilot.press("ctrl+c")
        assert copied == ["two"]
        assert app.editor.text == ""
