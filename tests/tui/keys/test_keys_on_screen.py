"""What the client says of keys comes from the table, so that it is true after a change of them."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from textual.app import App, ComposeResult

import pi_tui
from pi_tui.tui.keys.actions import ACTIONS
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.status_line import StatusLine
from pi_tui.tui.theme.discover import discover_themes

PACKAGE = Path(pi_tui.__file__).parent
KEY_NAME = re.compile(r"\b(?:ctrl|alt|shift)\s?\+\s?\S|\b(?:esc|escape|pgup|pgdn|f\d+)\b", re.IGNORECASE)
"""Keys as hints would name them; Enter, Tab and Space are words too."""
KEYS_OF_THEIR_OWN = ("tui/keys/", "tui/terminal/", "llm/wires/demo/")
"""The table, the names that terminals have for keys, and what the scripted model says of keys as shipped."""


def sentences(tree: ast.AST) -> Iterator[ast.Constant]:
    """Strings with a blank in them that are no docstrings: what people may read."""
    texts = {
        id(node.value)
        for node in ast.walk(tree)
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    }
    for node in ast.walk(tree):
        is_text = isinstance(node, ast.Constant) and isinstance(node.value, str) and " " in node.value
        if is_text and id(node) not in texts:
            yield node


def test_no_sentence_of_the_program_names_a_key():
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.value!r}"
        for path in sorted(PACKAGE.rglob("*.py"))
        if not str(path.relative_to(PACKAGE)).startswith(KEYS_OF_THEIR_OWN)
        for node in sentences(ast.parse(path.read_text()))
        if KEY_NAME.search(node.value)
    ]
    assert found == []


def test_no_description_of_an_action_names_a_key():
    assert [action for action in ACTIONS if KEY_NAME.search(action.description)] == []


def test_every_action_is_used_somewhere():
    source = "".join(
        path.read_text() for path in (PACKAGE / "tui").rglob("*.py") if path.name != "actions.py"
    )
    assert [action.id for action in ACTIONS if f'"{action.id}"' not in source] == []


class StatusApp(App[None]):
    def __init__(self, bindings: KeyBindings) -> None:
        super().__init__()
        self.status = StatusLine(discover_themes().palettes["dark"], bindings)

    def compose(self) -> ComposeResult:
        yield self.status


@pytest.mark.parametrize(("keys", "hint"), [(("f8",), "f8 to stop"), ((), "")])
async def test_the_status_line_names_the_key_that_stops(keys, hint):
    app = StatusApp(KeyBindings({"app.interrupt": keys}))
    async with app.run_test(size=(60, 4)) as pilot:
        app.status.work("Working")
        await pilot.pause()
        shown = "".join(segment.text for segment in app.status.render_line(0))
        assert shown.partition("Working")[2].strip() == hint
