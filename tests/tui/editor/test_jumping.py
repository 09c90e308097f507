from pathlib import Path

import pytest
from textual.app import App, ComposeResult

from pi_tui.tui.editor.history import PromptHistory
from pi_tui.tui.editor.jumping import occurrence
from pi_tui.tui.editor.prompt_editor import PromptEditor
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.theme.discover import discover_themes

LINES = ["abcabc", "xyz", "aXa"]


@pytest.mark.parametrize(
    ("start", "character", "direction", "found"),
    [
        ((0, 0), "a", 1, (0, 3)),
        ((0, 3), "a", 1, (2, 0)),
        ((2, 2), "a", 1, None),
        ((2, 2), "a", -1, (2, 0)),
        ((2, 0), "c", -1, (0, 5)),
        ((0, 0), "z", -1, None),
    ],
)
def test_a_jump_goes_to_the_next_place_or_the_last(start, character, direction, found):
    assert occurrence(LINES, start, character, direction) == found


class EditorApp(App[None]):
    def __init__(self, cwd: Path) -> None:
        super().__init__()
        palette = discover_themes().palettes["dark"]
        self.editor = PromptEditor(
            palette=palette, bindings=KeyBindings(), commands=self, history=PromptHistory(None), cwd=cwd
        )

    def commands(self):
        return []

    def complete_argument(self, command, prefix):
        return []

    def compose(self) -> ComposeResult:
        yield self.editor

    def on_mount(self) -> None:
        self.editor.focus()


async def test_the_character_after_the_key_is_a_place_and_no_text(tmp_path):
    app = EditorApp(tmp_path)
    async with app.run_test() as pilot:
        app.editor.set_prompt("one (two) three")
        await pilot.press("alt+ctrl+right_square_bracket", "(")
        assert app.editor.cursor_location == (0, 4)
        await pilot.press("ctrl+right_square_bracket", "t")
        assert app.editor.cursor_location == (0, 5)
        assert app.editor.text == "one (two) three"
        await pilot.press("ctrl+right_square_bracket", "left", "x")
        assert app.editor.text == "one x(two) three"
