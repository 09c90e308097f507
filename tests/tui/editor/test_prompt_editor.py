"""The editor in a running app."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest
from textual import events
from textual.app import App, ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from pi_tui.llm.messages import ImageContent
from pi_tui.tui.editor.completion import Choice
from pi_tui.tui.editor.completion_popup import CompletionPopup
from pi_tui.tui.editor.history import PromptHistory
from pi_tui.tui.editor.prompt_editor import PromptEditor
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.textual_theme import css_color, textual_theme

PALETTE = discover_themes().palettes["dark"]
LONG = "\n".join(f"line {number}" for number in range(123))


@dataclass
class Named:
    name: str
    description: str = ""
    argument_hint: str = ""


class Commands:
    def commands(self):
        return [
            Named("model", "Choose the model", "<id>"),
            Named("new", "Start anew"),
            Named("quit", "Leave [/now]"),
        ]

    def complete_argument(self, command, prefix):
        return [Choice(text, text) for text in ("fable", "opus")] if command == "model" else []


class EditorApp(App[None]):
    def __init__(self, cwd: Path, bindings: KeyBindings | None = None) -> None:
        super().__init__()
        theme = textual_theme(PALETTE)
        self.register_theme(theme)
        self.theme = theme.name
        self.submitted: list[PromptEditor.Submitted] = []
        self.trouble: list[str] = []
        self.image_wanted = 0
        self.keys: list[str] = []
        self.editor = PromptEditor(
            palette=PALETTE,
            bindings=bindings or KeyBindings(),
            commands=Commands(),
            history=PromptHistory(None),
            cwd=cwd,
            placeholder="Ask anything",
        )

    def compose(self) -> ComposeResult:
        transcript = Static("transcript", markup=False)
        transcript.styles.height = "1fr"
        yield transcript
        yield self.editor

    def on_mount(self) -> None:
        self.editor.focus()

    def on_prompt_editor_submitted(self, message: PromptEditor.Submitted) -> None:
        self.submitted.append(message)

    def on_prompt_editor_trouble(self, message: PromptEditor.Trouble) -> None:
        self.trouble.append(message.text)

    def on_prompt_editor_image_paste_requested(self) -> None:
        self.image_wanted += 1

    def on_key(self, event: events.Key) -> None:
        self.keys.append(event.key)


class Started:
    def __init__(self, app: EditorApp, pilot: Pilot[None]) -> None:
        self.app, self.editor, self.press, self._pilot = app, app.editor, pilot.press, pilot

    async def type(self, text: str) -> None:
        for character in text:
            self.editor.post_message(events.Key("x", character))
        await self._pilot.pause()

    async def paste(self, text: str) -> None:
        self.editor.post_message(events.Paste(text))
        await self._pilot.pause()

    async def until(self, condition) -> None:
        async with asyncio.timeout(30):
            while not condition():
                await self._pilot.pause(0.01)

    @property
    def text(self) -> str:
        return self.editor.text

    @property
    def list_is_open(self) -> bool:
        return self.app.query_one(CompletionPopup).is_open

    @property
    def sent(self) -> list[str]:
        return [message.text for message in self.app.submitted]


@pytest.fixture
def start(tmp_path):
    @asynccontextmanager
    async def start(size=(80, 24), bindings=None) -> AsyncIterator[Started]:
        app = EditorApp(tmp_path, bindings)
        async with app.run_test(size=size) as pilot:
            await pilot.pause()
            yield Started(app, pilot)

    return start


# --- sending and breaking lines ------------------------------------------------------------------------


async def test_enter_sends_and_leaves_the_editor_empty(start):
    async with start() as it:
        await it.type("  hello  ")
        await it.press("enter")
        assert it.sent == ["hello"]
        assert it.editor.is_empty


@pytest.mark.parametrize("key", ["shift+enter", "ctrl+j"])
async def test_a_line_is_broken_without_sending(start, key):
    async with start() as it:
        await it.type("one")
        await it.press(key)
        await it.type("two")
        assert it.text == "one\ntwo"
        assert it.sent == []


async def test_a_backslash_before_enter_breaks_the_line(start):
    async with start() as it:
        await it.type("one\\")
        await it.press("enter")
        await it.type("two")
        assert (it.text, it.sent) == ("one\ntwo", [])


async def test_blank_is_not_sent(start):
    async with start() as it:
        await it.type("  ")
        await it.press("enter")
        assert it.sent == []


async def test_keys_can_be_bound_anew(start):
    bindings = KeyBindings({"tui.input.submit": ("f2",), "tui.input.newLine": ("enter",)})
    async with start(bindings=bindings) as it:
        await it.type("a")
        await it.press("enter", "f2")
        assert it.sent == ["a"]


async def test_keys_of_others_pass_through(start):
    async with start() as it:
        await it.type("draft")
        await it.press("escape", "ctrl+c", "pageup", "ctrl+o", "alt+enter", "ctrl+l")
        assert it.app.keys == ["escape", "ctrl+c", "pageup", "ctrl+o", "alt+enter", "ctrl+l"]
        assert it.text == "draft"


async def test_ctrl_d_deletes_and_on_an_empty_editor_is_for_others(start):
    async with start() as it:
        await it.type("ab")
        await it.press("home", "ctrl+d", "ctrl+d")
        assert (it.text, it.app.keys) == ("", [])
        await it.press("ctrl+d")
        assert it.app.keys == ["ctrl+d"]


# --- editing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("keys", "text", "cursor"),
    [
        (["ctrl+a"], "one two three", (0, 0)),
        (["ctrl+a", "ctrl+e"], "one two three", (0, 13)),
        (["ctrl+b", "ctrl+b", "ctrl+f"], "one two three", (0, 12)),
        (["alt+b", "alt+b"], "one two three", (0, 4)),
        (["ctrl+a", "alt+f"], "one two three", (0, 3)),
        (["ctrl+w"], "one two ", (0, 8)),
        (["alt+backspace"], "one two ", (0, 8)),
        (["ctrl+a", "alt+d"], " two three", (0, 0)),
        (["ctrl+a", "ctrl+k"], "", (0, 0)),
        (["alt+b", "ctrl+u"], "three", (0, 0)),
        (["ctrl+w", "ctrl+w", "ctrl+y"], "one two three", (0, 13)),
        (["ctrl+w", "ctrl+b", "ctrl+w", "ctrl+y", "alt+y"], "one three ", (0, 9)),
        (["ctrl+w", "ctrl+underscore"], "one two three", (0, 13)),
        (["ctrl+w", "ctrl+minus"], "one two three", (0, 13)),
        (["ctrl+y"], "one two three", (0, 13)),
        (["alt+y"], "one two three", (0, 13)),
    ],
    ids=str,
)
async def test_emacs_keys(start, keys, text, cursor):
    async with start() as it:
        await it.type("one two three")
        await it.press(*keys)
        assert (it.text, it.editor.cursor_location) == (text, cursor)


async def test_a_cut_at_the_end_of_a_line_joins_lines(start):
    async with start() as it:
        it.editor.set_prompt("one\ntwo")
        it.editor.move_cursor((0, 3))
        await it.press("ctrl+k")
        assert it.text == "onetwo"
        await it.press("ctrl+y")
        assert it.text == "one\ntwo"


# --- history -------------------------------------------------------------------------------------------


async def test_up_and_down_browse_what_was_sent_and_keep_the_draft(start):
    async with start() as it:
        for prompt in ("first", "second\nof two lines"):
            it.editor.set_prompt(prompt)
            await it.press("enter")
        await it.type("draft")
        await it.press("up")
        assert it.text == "second\nof two lines"
        await it.press("up", "up")
        assert it.text == "first"
        await it.press("up")
        assert it.text == "first"
        await it.press("down", "down", "down")
        assert it.text == "draft"
        await it.press("down")
        assert it.text == "draft"


async def test_within_a_wrapped_line_up_is_a_movement(start):
    async with start(size=(30, 24)) as it:
        it.editor.set_prompt("sent")
        await it.press("enter")
        await it.type("word " * 12)
        await it.press("up")
        assert it.text == "word " * 12
        await it.press("up", "up", "up")
        assert it.text == "sent"


async def test_writing_on_makes_a_recalled_prompt_ones_own(start):
    async with start() as it:
        it.editor.set_prompt("sent")
        await it.press("enter", "up")
        await it.type("!")
        await it.press("down")
        assert it.text == "sent!"


# --- pastes and images ---------------------------------------------------------------------------------


async def test_a_long_paste_is_a_marker_and_is_sent_in_full(start):
    async with start() as it:
        await it.type("see ")
        await it.paste(LONG)
        await it.type(" end")
        assert it.text == "see [paste #1 +123 lines] end"
        await it.press("enter")
        assert it.sent == [f"see {LONG} end"]
        await it.press("up")
        assert it.text == f"see {LONG} end"


async def test_a_paste_never_submits(start):
    async with start() as it:
        await it.paste("rm -rf x\r\n\x1b[31m\x00")
        assert (it.text, it.sent) == ("rm -rf x\n", [])


async def test_a_marker_is_one_piece(start):
    async with start() as it:
        await it.paste(LONG)
        await it.type("x")
        await it.press("left", "left", "left")
        assert it.editor.cursor_location == (0, 0)
        await it.press("right")
        assert it.editor.cursor_location == (0, len("[paste #1 +123 lines]"))
        await it.press("backspace")
        assert it.text == "x"
        await it.press("ctrl+minus")
        assert it.text == "[paste #1 +123 lines]x"
        await it.press("end", "enter")
        assert it.sent == [LONG + "x"]


async def test_words_are_not_cut_out_of_a_marker(start):
    async with start() as it:
        await it.type("a ")
        await it.paste(LONG)
        await it.press("ctrl+w")
        assert it.text == "a "
        await it.press("ctrl+y")
        assert it.text == "a [paste #1 +123 lines]"


async def test_a_dropped_image_is_attached_until_its_marker_is_deleted(start, tmp_path):
    (tmp_path / "shot.png").write_bytes(b"x")
    async with start() as it:
        await it.paste(f"'{tmp_path}/shot.png'")
        await it.type("what is it?")
        await it.press("enter")
        (message,) = it.app.submitted
        assert message.text == "[image #1 shot.png] what is it?"
        assert [(a.number, a.name, a.source) for a in message.attachments] == [
            (1, "shot.png", tmp_path / "shot.png")
        ]
        await it.paste(f"{tmp_path}/shot.png")
        await it.press("backspace", "backspace")
        await it.type("nothing")
        await it.press("enter")
        assert it.app.submitted[-1].attachments == []


async def test_ctrl_v_asks_for_an_image(start):
    async with start() as it:
        await it.press("ctrl+v")
        assert it.app.image_wanted == 1
        image = ImageContent("AA==", "image/png")
        it.editor.attach_image("clipboard.png", image)
        await it.press("enter")
        assert it.app.submitted[0].attachments[0].source is image


# --- looks ---------------------------------------------------------------------------------------------


async def test_it_grows_to_a_third_of_the_screen_and_shrinks_again(start):
    async with start(size=(80, 24)) as it:
        heights = []
        for _ in range(8):
            await it.press("ctrl+j")
            heights.append(it.editor.size.height)
        assert heights == [2, 3, 4, 5, 6, 6, 6, 6]
        await it.press("enter")
        it.editor.set_prompt("")
        await it.until(lambda: it.editor.size.height == 1)


async def test_the_border_tells_the_thinking_level_and_bash_mode(start):
    async with start() as it:

        def border() -> str:
            return it.editor.styles.border_top[1].hex.lower()

        it.editor.thinking_level = "high"
        assert border() == css_color(PALETTE.color("thinkingHigh"))
        await it.type("!ls")
        assert border() == css_color(PALETTE.color("bashMode"))
        await it.press("ctrl+u")
        assert border() == css_color(PALETTE.color("thinkingHigh"))


async def test_the_cursor_of_the_terminal_is_where_one_writes(start):
    async with start() as it:
        await it.type("ab")
        assert it.app.cursor_position == (it.editor.region.x + 1 + 2, it.editor.region.y + 1)
        await it.press("ctrl+j")
        await it.until(lambda: it.app.cursor_position == (1, it.editor.region.y + 2))


@pytest.mark.parametrize("size", [(20, 5), (10, 2), (1, 1)])
async def test_a_tiny_terminal_does_no_harm(start, size):
    async with start(size=size) as it:
        await it.type("/m")
        await it.paste(LONG)
        await it.press("ctrl+j", "up", "down")


# --- completion ----------------------------------------------------------------------------------------


async def test_commands_are_offered_and_tab_takes_one(start):
    async with start() as it:
        await it.type("/")
        assert it.list_is_open
        await it.press("down", "down")
        await it.press("tab")
        assert it.text == "/quit"
        await it.press("enter")
        assert it.sent == ["/quit"]


async def test_enter_takes_a_command_and_sends_it_unless_it_wants_an_argument(start):
    async with start() as it:
        await it.type("/ne")
        await it.press("enter")
        assert it.sent == ["/new"]
        await it.type("/mo")
        await it.press("enter")
        assert it.text == "/model "
        assert [choice.label for choice in it.editor._completer.popup.choices] == ["fable", "opus"]
        await it.press("down", "enter")
        assert it.sent[-1] == "/model opus"


async def test_enter_sends_a_command_whose_name_is_written_in_full(start):
    async with start() as it:
        await it.type("/model")
        assert it.list_is_open
        await it.press("enter")
        assert [sent.strip() for sent in it.sent] == ["/model"]
        assert it.text == "" and not it.list_is_open


async def test_escape_closes_the_list_first_and_it_stays_closed(start):
    async with start() as it:
        await it.type("/mo")
        await it.press("escape")
        assert not it.list_is_open
        assert it.app.keys == []
        await it.type("d")
        assert not it.list_is_open
        await it.press("escape")
        assert it.app.keys == ["escape"]


async def test_files_are_offered_after_an_at(start, tmp_path):
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "main file.py").touch()
    async with start() as it:
        await it.type("see @maifi")
        await it.until(lambda: it.list_is_open)
        await it.press("enter")
        assert it.text == 'see @"src/main file.py" '
        assert it.sent == []


async def test_a_folder_is_gone_into(start, tmp_path):
    (tmp_path / "source").mkdir()
    (tmp_path / "source" / "one.py").touch()
    async with start() as it:
        await it.type("@source/")
        await it.until(lambda: it.list_is_open)
        popup = it.editor._completer.popup
        assert "one.py" in [choice.label for choice in popup.choices]


async def test_tab_completes_a_path_as_far_as_it_is_clear(start, tmp_path):
    (tmp_path / "alpha").mkdir()
    (tmp_path / "alpine").touch()
    (tmp_path / "beta.txt").touch()
    async with start() as it:
        await it.type("cat al")
        await it.press("tab")
        await it.until(lambda: it.list_is_open)
        assert it.text == "cat alp"
        await it.press("down", "tab")
        assert it.text == "cat alpine"
        await it.type(" be")
        await it.press("tab")
        await it.until(lambda: it.text == "cat alpine beta.txt")


async def test_tab_without_a_path_is_for_others(start):
    async with start() as it:
        await it.press("tab")
        assert it.app.keys == ["tab"]


async def test_a_recalled_command_opens_no_list(start):
    async with start() as it:
        it.editor.set_prompt("/new")
        await it.press("enter", "up")
        assert it.text == "/new"
        assert not it.list_is_open
        await it.press("down")
        assert it.text == ""


async def test_the_list_fits_a_narrow_terminal(start):
    async with start(size=(40, 12)) as it:
        await it.type("/")
        await it.until(lambda: it.editor._completer.popup.size.width == 40)
        popup = it.editor._completer.popup
        assert popup.region.bottom == it.editor.region.y
        lines = [popup.render_line(y) for y in range(popup.size.height)]
        assert [line.cell_length for line in lines] == [40, 40, 40]
        assert "Leave [/now]" in lines[2].text


# --- the user's own editor -----------------------------------------------------------------------------


@contextmanager
def suspend_as_textual_does(app):
    """Takes the screen back only when the block ends without an error."""
    app.keys.append("suspended")
    yield
    app.keys.append("resumed")


@pytest.fixture
def own_editor(tmp_path, monkeypatch):
    def install(body: str) -> None:
        path = tmp_path / "own-editor"
        path.write_text(f"#!/bin/sh\n{body}\n")
        path.chmod(0o700)
        monkeypatch.setenv("VISUAL", str(path))
        monkeypatch.setattr(App, "suspend", suspend_as_textual_does)

    return install


async def test_the_prompt_is_written_in_the_users_editor(start, own_editor):
    own_editor('printf "%s and\nmore\n" "$(cat "$1")" > "$1.new" && mv "$1.new" "$1"')
    async with start() as it:
        await it.type("draft")
        await it.press("ctrl+g")
        await it.until(lambda: it.text == "draft and\nmore")


async def test_an_editor_that_fails_leaves_the_draft(start, own_editor):
    own_editor("exit 1")
    async with start() as it:
        await it.type("draft")
        await it.press("ctrl+g")
        await it.until(lambda: it.app.trouble)
        assert "status 1" in it.app.trouble[0]
        assert it.text == "draft"
        assert it.app.keys == ["suspended", "resumed"]
