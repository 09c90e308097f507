import json

import pytest

from pi_tui.tui.keys.actions import ACTIONS
from pi_tui.tui.keys.bindings import KeyBindings, load_key_bindings
from pi_tui.tui.keys.names import KeyNameError, readable_key, textual_key
from pi_tui.tui.reports import hotkeys_report


@pytest.mark.parametrize(
    ("written", "textual"),
    [
        ("ctrl+shift+n", "ctrl+shift+n"),
        ("shift+ctrl+p", "ctrl+shift+p"),
        ("alt+ctrl+x", "alt+ctrl+x"),
        ("Ctrl+Alt+]", "alt+ctrl+right_square_bracket"),
        ("pageUp", "pageup"),
        ("esc", "escape"),
        ("return", "enter"),
        ("shift+l", "L"),
        ("shift+enter", "shift+enter"),
        ("ctrl+-", "ctrl+minus"),
        ("ctrl+_", "ctrl+minus"),
        ("ctrl++", "ctrl+plus"),
        ("+", "plus"),
        ("/", "slash"),
        ("super+k", "super+k"),
        ("f12", "f12"),
        ("ctrl+1", "ctrl+1"),
    ],
)
def test_keys_are_written_as_in_the_reference(written, textual):
    assert textual_key(written) == textual


@pytest.mark.parametrize("written", ["", "hyper+x", "f13", "ctrl+foo", "crtl+x", "ctrl+é"])
def test_a_key_nobody_has_is_an_error(written):
    with pytest.raises(KeyNameError):
        textual_key(written)


@pytest.mark.parametrize(
    ("key", "shown"),
    [
        ("ctrl+right_square_bracket", "Ctrl+]"),
        ("alt+ctrl+x", "Ctrl+Alt+X"),
        ("pageup", "PgUp"),
        ("L", "Shift+L"),
        ("delete", "Delete"),
        ("f1", "F1"),
        ("tab", "Tab"),
        ("ctrl+minus", "Ctrl+-"),
        ("space", "Space"),
        ("shift+enter", "Shift+Enter"),
    ],
)
def test_keys_are_shown_as_on_a_keyboard(key, shown):
    assert readable_key(key) == shown


def test_every_shipped_key_can_be_read_and_every_action_is_described():
    assert len({action.id for action in ACTIONS}) == len(ACTIONS)
    for action in ACTIONS:
        assert action.description
        for key in action.keys:
            textual_key(key)


def test_keys_that_are_one_byte_to_old_terminals_are_one_key():
    bindings = KeyBindings()
    assert bindings.match("tui.editor.undo", "ctrl+underscore")
    assert bindings.match("tui.editor.undo", "ctrl+minus")


def test_a_key_does_different_things_in_different_places():
    bindings = KeyBindings()
    assert bindings.action_of("up", ["tui.select.up"]) == "tui.select.up"
    assert bindings.action_of("up", ["tui.editor.cursorUp"]) == "tui.editor.cursorUp"
    assert bindings.action_of("f9", ["tui.select.up"]) is None


def test_the_users_file_replaces_keys_and_an_empty_list_takes_them_away(tmp_path):
    (tmp_path / "keybindings.json").write_text(
        json.dumps(
            {
                "$schema": "x",
                "app.session.new": "ctrl+shift+n",
                "tui.input.submit": ["ctrl+enter", "f2"],
                "tui.altScreen.pageUp": [],
            }
        )
    )
    bindings, problems = load_key_bindings(tmp_path)
    assert not problems
    assert bindings.match("app.session.new", "ctrl+shift+n")
    assert bindings.keys("tui.input.submit") == ("ctrl+enter", "f2")
    assert not bindings.match("tui.input.submit", "enter")
    assert bindings.keys("tui.altScreen.pageUp") == ()
    assert bindings.keys("tui.altScreen.pageDown") == ("pagedown",)
    assert "Up a page" not in [row[2] for row in bindings.listing() if row[0] == "Transcript"]


def test_what_is_wrong_is_told_by_action_and_the_rest_counts(tmp_path):
    path = tmp_path / "keybindings.json"
    path.write_text(
        json.dumps({"app.nothing": "x", "app.exit": "ctrl+foo", "app.clear": 3, "app.suspend": "f9"})
    )
    bindings, problems = load_key_bindings(tmp_path)
    assert [problem.field for problem in problems] == ["app.nothing", "app.exit", "app.clear"]
    assert all(problem.file == str(path) and problem.line == 1 for problem in problems)
    assert bindings.keys("app.exit") == ("ctrl+d",)
    assert bindings.keys("app.suspend") == ("f9",)


@pytest.mark.parametrize("content", ["", "[]", "nonsense", "\ud800".encode("utf-8", "surrogatepass")])
def test_a_broken_file_leaves_the_shipped_keys(tmp_path, content):
    path = tmp_path / "keybindings.json"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    bindings, problems = load_key_bindings(tmp_path)
    assert str(path) in str(problems[0])
    assert bindings.keys("app.exit") == ("ctrl+d",)


def test_no_file_is_no_problem(tmp_path):
    assert load_key_bindings(tmp_path)[1] == []


def test_a_key_that_two_actions_want_in_one_place_is_reported(tmp_path):
    (tmp_path / "keybindings.json").write_text(
        json.dumps({"app.session.new": "ctrl+p", "app.tree.editLabel": "ctrl+p"})
    )
    bindings, problems = load_key_bindings(tmp_path)
    (problem,) = problems
    assert (problem.file, problem.line) == (str(tmp_path / "keybindings.json"), 1)
    assert problem.field == "app.session.new"
    assert "Ctrl+P is the key of app.session.new and of app.model.cycleForward" in problem.message
    assert problem.message in hotkeys_report(bindings)


def test_as_shipped_nothing_is_in_conflict():
    assert KeyBindings().conflicts() == []
    assert "Conflicts" not in hotkeys_report(KeyBindings())


def test_a_key_that_was_moved_away_is_free(tmp_path):
    (tmp_path / "keybindings.json").write_text(
        json.dumps({"app.session.new": "ctrl+p", "app.model.cycleForward": "f4"})
    )
    assert load_key_bindings(tmp_path)[1] == []


def test_hints_name_the_first_key_of_an_action_or_nothing():
    bindings = KeyBindings({"app.tools.expand": ("f6", "ctrl+o"), "app.interrupt": ()})
    assert bindings.hint("app.tools.expand") == "f6"
    assert bindings.hint("app.thinking.toggle") == "ctrl+t"
    assert bindings.hint("app.interrupt") == ""
