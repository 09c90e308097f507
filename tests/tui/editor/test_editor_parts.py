"""What the editor is made of, without a screen."""

import json
import os
import stat
import threading
from dataclasses import dataclass
from pathlib import Path

import pytest

from pi_tui.llm.messages import ImageContent
from pi_tui.tui.editor.completion import (
    Choice,
    Kind,
    command_choices,
    common_prefix,
    file_choice,
    path_choices,
    path_query_at,
    query_at,
)
from pi_tui.tui.editor.external import ExternalEditorError, edit_text, editor_command
from pi_tui.tui.editor.file_index import FileIndex
from pi_tui.tui.editor.fuzzy import matching
from pi_tui.tui.editor.history import ENTRIES_LIMIT, ENTRY_LIMIT, HistoryBrowser, PromptHistory
from pi_tui.tui.editor.kill_ring import KillRing
from pi_tui.tui.editor.markers import Markers
from pi_tui.tui.editor.paste import clean_paste, dropped_images, is_large

# --- kill ring ---------------------------------------------------------------------------------------


def test_cuts_right_after_one_another_are_one_text_in_their_order():
    ring = KillRing()
    ring.kill("b", backward=False)
    ring.kill("c", backward=False)
    ring.kill("a", backward=True)
    assert ring.yank() == "abc"


def test_a_cut_after_something_else_stands_for_itself():
    ring = KillRing()
    ring.kill("one", backward=False)
    ring.interrupt()
    ring.kill("two", backward=False)
    assert ring.yank() == "two"
    assert ring.yank_pop() == "one"
    assert ring.yank_pop() == "two"


def test_nothing_cut_is_nothing_to_yank():
    ring = KillRing()
    ring.kill("", backward=True)
    assert ring.yank() is None
    assert ring.yank_pop() is None


# --- history -----------------------------------------------------------------------------------------


def test_prompts_are_there_the_next_time_and_only_the_user_can_read_them(tmp_path):
    path = tmp_path / "state" / "history.jsonl"
    history = PromptHistory(path)
    history.add("one\nline two")
    history.add("ünïcode")
    assert list(PromptHistory(path).entries) == ["one\nline two", "ünïcode"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_a_prompt_said_again_moves_to_the_end(tmp_path):
    path = tmp_path / "history.jsonl"
    history = PromptHistory(path)
    for prompt in ("a", "b", "a", "a"):
        history.add(prompt)
    assert list(history.entries) == ["b", "a"]
    assert list(PromptHistory(path).entries) == ["b", "a"]


def test_the_history_and_its_file_are_bounded(tmp_path):
    path = tmp_path / "history.jsonl"
    history = PromptHistory(path)
    for number in range(3 * ENTRIES_LIMIT):
        history.add(f"prompt {number}")
    history.add("x" * (ENTRY_LIMIT + 1))
    assert len(history.entries) == ENTRIES_LIMIT
    assert history.entries[-1] == f"prompt {3 * ENTRIES_LIMIT - 1}"
    assert len(path.read_text().splitlines()) <= 2 * ENTRIES_LIMIT
    assert list(PromptHistory(path).entries) == list(history.entries)
    assert [file.name for file in tmp_path.iterdir()] == ["history.jsonl"]


def test_rubbish_in_the_file_is_passed_over(tmp_path):
    path = tmp_path / "history.jsonl"
    lines = [
        b"\xff\xfe",
        b"[]",
        b"{",
        json.dumps({"prompt": 3}).encode(),
        b'{"prompt": "good"}',
        b'{"prompt": "cu',
    ]
    path.write_bytes(b"\n".join(lines))
    assert list(PromptHistory(path).entries) == ["good"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write everywhere")
def test_a_folder_that_cannot_be_written_leaves_a_history_in_memory(tmp_path):
    tmp_path.chmod(0o500)
    history = PromptHistory(tmp_path / "no" / "history.jsonl")
    history.add("a")
    assert list(history.entries) == ["a"]


def test_a_path_that_is_no_file_leaves_a_history_in_memory(tmp_path):
    history = PromptHistory(tmp_path)
    history.add("a")
    assert list(history.entries) == ["a"]


def test_the_draft_comes_back_after_browsing():
    history = PromptHistory(None)
    for prompt in ("one", "two"):
        history.add(prompt)
    browser = HistoryBrowser(history)
    assert browser.newer() is None
    assert [browser.older("draft"), browser.older("two"), browser.older("one")] == ["two", "one", None]
    assert [browser.newer(), browser.newer(), browser.newer()] == ["two", "draft", None]


# --- paste -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pasted", "clean"),
    [
        ("a\r\nb\rc\n", "a\nb\nc\n"),
        ("\x1b[31mred\x1b[0m", "red"),
        ("\x1b]0;title\x07x", "x"),
        ("\x1b]52;c;ZXZpbA==\x1b\\x", "x"),
        ("nul\x00 bell\x07 \x9b31mc1", "nul bell c1"),
        ("tab\tstays", "tab\tstays"),
        ("lone \ud83d surrogate", "lone � surrogate"),
        ("👩‍👩‍👧 \u200f", "👩‍👩‍👧 \u200f"),
    ],
)
def test_a_paste_brings_text_and_nothing_else(pasted, clean):
    assert clean_paste(pasted) == clean


@pytest.mark.parametrize(
    ("text", "large"),
    [("\n" * 9, False), ("\n" * 10, True), ("x" * 1000, False), ("x" * 1001, True)],
)
def test_more_than_ten_lines_or_a_thousand_characters_are_large(text, large):
    assert is_large(text) is large


@pytest.fixture
def images(tmp_path):
    for name in ("a.png", "with space.jpg", "ü.webp", "text.txt"):
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


@pytest.mark.parametrize(
    ("dropped", "names"),
    [
        ("{}/a.png", ["a.png"]),
        ("{}/a.png ", ["a.png"]),
        ("a.png", ["a.png"]),
        ("'{}/with space.jpg'", ["with space.jpg"]),
        ("{}/with space.jpg", ["with space.jpg"]),
        ("{}/with\\ space.jpg", ["with space.jpg"]),
        ("file://{}/with%20space.jpg", ["with space.jpg"]),
        ("'{0}/a.png' '{0}/ü.webp'", ["a.png", "ü.webp"]),
        ("{0}/a.png\nfile://{0}/%C3%BC.webp", ["a.png", "ü.webp"]),
    ],
)
def test_dropped_images_are_known_in_every_form(images, dropped, names):
    found = dropped_images(dropped.format(images), images)
    assert [path.name for path in found] == names


@pytest.mark.parametrize(
    "text", ["", "look at a.png", "{}/text.txt", "{}/missing.png", "a.png text.txt", "\0.png"]
)
def test_other_text_is_no_dropped_image(images, text):
    assert dropped_images(text.format(images), images) is None


# --- markers -----------------------------------------------------------------------------------------


def test_a_marker_stands_for_its_paste():
    markers = Markers()
    lines = "\n".join(map(str, range(123)))
    first, second = markers.add_paste(lines), markers.add_paste("x" * 2000)
    assert first == "[paste #1 +123 lines]"
    assert second == "[paste #2 2000 chars]"
    assert markers.expand(f"a {first} b {second}") == f"a {lines} b {'x' * 2000}"


def test_a_paste_that_quotes_a_marker_is_not_expanded_twice():
    markers = Markers()
    first = markers.add_paste("one " * 500)
    second = markers.add_paste(f"{first}\n" * 20)
    assert markers.expand(second) == f"{first}\n" * 20


def test_text_that_looks_like_a_marker_is_text():
    markers = Markers()
    markers.add_paste("x" * 2000)
    assert markers.expand("[paste #9 +3 lines]") == "[paste #9 +3 lines]"
    assert markers.spans("[paste #9 +3 lines]") == []


def test_only_images_whose_marker_is_left_are_attached():
    markers = Markers()
    first = markers.add_image("a.png", Path("/a.png"))
    second = markers.add_image("weird]\n[name.png", ImageContent("AA==", "image/png"))
    assert second == "[image #2 weird___name.png]"
    assert [attachment.number for attachment in markers.attachments_in(f"{second} {first} {second}")] == [
        2,
        1,
    ]
    assert [attachment.name for attachment in markers.attachments_in(first)] == ["a.png"]
    assert markers.attachments_in("") == []


# --- completion --------------------------------------------------------------------------------------


@dataclass
class Named:
    name: str
    description: str = ""
    argument_hint: str = ""


class Commands:
    def commands(self):
        return [
            Named("model", "Choose", "<id>"),
            Named("new"),
            Named("name", "", "<name>"),
            Named("skill:commit"),
        ]

    def complete_argument(self, command, prefix):
        return [Choice(level, level) for level in ("low", "high")] if command == "model" else []


@pytest.mark.parametrize(
    ("line", "row", "kind", "text", "start"),
    [
        ("/", 0, Kind.COMMAND, "", 0),
        ("/mo", 0, Kind.COMMAND, "mo", 0),
        ("/model lo", 0, Kind.ARGUMENT, "lo", 7),
        ("/model ", 0, Kind.ARGUMENT, "", 7),
        ("@", 0, Kind.FILE, "", 0),
        ("see @src/ma", 3, Kind.FILE, "src/ma", 4),
        ('see @"with sp', 0, Kind.FILE, "with sp", 4),
        ("(@a", 0, Kind.FILE, "a", 1),
    ],
)
def test_what_stands_before_the_cursor_is_completed(line, row, kind, text, start):
    query = query_at(line, row, len(line))
    assert (query.kind, query.text, query.start) == (kind, text, start)


@pytest.mark.parametrize(
    ("line", "row"), [("", 0), ("text", 0), ("/mo", 1), (" /mo", 0), ("me@example.org", 0)]
)
def test_other_text_is_not_completed(line, row):
    assert query_at(line, row, len(line)) is None


def test_commands_are_found_by_their_letters_and_the_best_comes_first():
    found = command_choices(Commands(), query_at("/n", 0, 2))
    assert [choice.label for choice in found][:2] == ["/new", "/name <name>"]
    assert command_choices(Commands(), query_at("/commit", 0, 7))[0].text == "/skill:commit"
    assert command_choices(Commands(), query_at("/mdl", 0, 4))[0].text == "/model "


def test_arguments_come_from_the_command():
    assert [choice.text for choice in command_choices(Commands(), query_at("/model h", 0, 8))] == ["high"]
    assert command_choices(Commands(), query_at("/name h", 0, 7)) == []


def test_a_file_with_a_blank_in_its_path_is_quoted():
    assert file_choice("a b/c.py") == Choice('@"a b/c.py"', "c.py", "a b/")
    assert file_choice("src/deep/") == Choice("@src/deep/", "deep/", "src/", goes_on=True)


def test_paths_are_completed_as_in_a_shell(tmp_path):
    (tmp_path / "alpha").mkdir()
    (tmp_path / "alpine.txt").touch()
    (tmp_path / ".hidden").touch()
    query = path_query_at("cat al", 6)
    choices = path_choices(query, tmp_path)
    assert [choice.text for choice in choices] == ["alpha/", "alpine.txt"]
    assert common_prefix(choices) == "alp"
    assert [choice.text for choice in path_choices(path_query_at("./.h", 4), tmp_path)] == ["./.hidden"]
    assert path_choices(path_query_at("nowhere/x", 9), tmp_path) == []
    assert path_query_at("cat ", 4) is None


def test_the_best_match_comes_first():
    names = ["a_model_b", "model", "remodel", "m_o_d_e_l", "models"]
    assert matching("model", names, str) == ["model", "models", "a_model_b", "remodel", "m_o_d_e_l"]
    assert matching("mod b", names, str) == ["a_model_b"]
    assert matching("", names, str) == names
    assert matching("[x", ["a[x]"], str) == ["a[x]"]


# --- files -------------------------------------------------------------------------------------------


@pytest.fixture
def tree(tmp_path):
    for path in (
        "src/main.py",
        "src/util/strings.py",
        "docs/main.md",
        "build/out.o",
        "node_modules/x/i.js",
        "a b.txt",
    ):
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).touch()
    (tmp_path / ".gitignore").write_text("build/\n*.log\n!keep.log\n")
    (tmp_path / "src" / ".gitignore").write_text("gen/\n")
    (tmp_path / "src" / "gen").mkdir()
    (tmp_path / "src" / "gen" / "x.py").touch()
    (tmp_path / "x.log").touch()
    (tmp_path / "keep.log").touch()
    return tmp_path


VISIBLE = {
    ".gitignore",
    "a b.txt",
    "docs/",
    "docs/main.md",
    "keep.log",
    "src/",
    "src/.gitignore",
    "src/main.py",
}
VISIBLE |= {"src/util/", "src/util/strings.py"}


def all_paths(index):
    return set(index.search("", 1000, threading.Event()))


@pytest.mark.parametrize("with_git", [False, True])
def test_files_are_listed_as_gitignore_has_it(tree, with_git, monkeypatch):
    if with_git:
        monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
        assert os.system(f"git -C '{tree}' init -q") == 0
    else:
        monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tree.parent))
    index = FileIndex(tree)
    index.list_files()
    found = all_paths(index)
    if with_git:
        found -= {"node_modules/", "node_modules/x/", "node_modules/x/i.js"}
    assert found == VISIBLE


def test_git_runs_no_program_a_folder_names(tree, monkeypatch):
    monkeypatch.setenv("GIT_CONFIG_GLOBAL", os.devnull)
    os.system(f"git -C '{tree}' init -q && git -C '{tree}' config core.fsmonitor 'touch {tree}/pwned;'")
    FileIndex(tree).list_files()
    assert not (tree / "pwned").exists()


def test_the_name_counts_more_than_the_folder(tree, monkeypatch):
    monkeypatch.setenv("GIT_CEILING_DIRECTORIES", str(tree.parent))
    index = FileIndex(tree)
    index.list_files()
    search = lambda query: index.search(query, 5, threading.Event())  # noqa: E731
    assert search("main") == ["src/main.py", "docs/main.md"]
    assert search("main.p")[0] == "src/main.py"
    assert search("srcstr")[0] == "src/util/strings.py"
    assert search("src/ma")[0] == "src/main.py"
    assert search("STRINGS")[0] == "src/util/strings.py"
    assert search("zzz") == []


def test_nobody_waits_for_an_answer_nobody_wants(tree):
    index = FileIndex(tree)
    index.list_files()
    cancelled = threading.Event()
    cancelled.set()
    assert index.search("main", 5, cancelled) == []


def test_a_folder_that_is_gone_has_no_files(tmp_path):
    index = FileIndex(tmp_path / "gone")
    index.list_files()
    assert all_paths(index) == set()


# --- external editor ---------------------------------------------------------------------------------


def script(tmp_path, body):
    path = tmp_path / "editor"
    path.write_text(f"#!/bin/sh\n{body}\n")
    path.chmod(0o700)
    return [str(path)]


def test_the_editor_gets_the_text_in_a_private_file_and_gives_it_back(tmp_path):
    command = script(
        tmp_path, f'stat -c %a "$1" > {tmp_path}/mode; echo "$1" > {tmp_path}/name; echo " more" >> "$1"'
    )
    assert edit_text("héllo", command) == "héllo more"
    assert (tmp_path / "mode").read_text().strip() == "600"
    name = (tmp_path / "name").read_text().strip()
    assert name.endswith(".md")
    assert not Path(name).exists()


@pytest.mark.parametrize(("body", "said"), [("exit 3", "status 3"), ('rm "$1"', "cannot be read back")])
def test_an_editor_that_fails_is_told(tmp_path, body, said):
    with pytest.raises(ExternalEditorError, match=said):
        edit_text("text", script(tmp_path, body))


def test_an_editor_that_is_not_there_is_told():
    with pytest.raises(ExternalEditorError, match=r"no-such-editor .*externalEditor"):
        edit_text("text", ["no-such-editor"])


def test_which_editor_is_the_users_choice():
    assert editor_command("code --wait", {"VISUAL": "vim"}) == ["code", "--wait"]
    assert editor_command(None, {"VISUAL": "vim -n", "EDITOR": "ed"}) == ["vim", "-n"]
    assert editor_command("", {"EDITOR": "ed"}) == ["ed"]
    assert editor_command(None, {}) == ["nano"]
    with pytest.raises(ExternalEditorError):
        editor_command("vim 'unclosed", {})
