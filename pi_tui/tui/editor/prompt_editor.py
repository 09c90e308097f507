"""The editor the prompt is written in."""

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rich.style import Style
from textual import events
from textual.message import Message
from textual.widget import Widget
from textual.widgets.text_area import TextAreaTheme

from pi_tui.llm.messages import ImageContent
from pi_tui.tui.editor.completing import Completer
from pi_tui.tui.editor.completion import CommandProvider
from pi_tui.tui.editor.completion_popup import CompletionPopup
from pi_tui.tui.editor.external import (
    ExternalEditorError,
    edit_text,
    editor_command,
    interrupts_are_the_editors,
)
from pi_tui.tui.editor.file_index import FileIndex
from pi_tui.tui.editor.history import PromptHistory
from pi_tui.tui.editor.markers import Attachment
from pi_tui.tui.editor.paste import PIECE, clean_paste, dropped_images, is_large
from pi_tui.tui.editor.recall import RecallingTextArea
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.theme.palette import Palette, thinking_token
from pi_tui.tui.theme.textual_theme import css_color

BORDER_ROWS: Final = 2
SHARE_OF_SCREEN: Final = 3
"""The editor grows to the screen's height divided by this."""

_LIST_ACTIONS: Final = (
    "tui.select.up",
    "tui.select.down",
    "tui.select.pageUp",
    "tui.select.pageDown",
    "tui.input.tab",
    "tui.input.submit",
    "tui.select.confirm",
    "tui.select.cancel",
)
_OWN_ACTIONS: Final = (
    "tui.editor.historyPrevious",
    "tui.editor.historyNext",
    "tui.input.submit",
    "tui.input.newLine",
    "tui.input.tab",
    "tui.editor.cursorUp",
    "tui.editor.cursorDown",
    "app.editor.external",
    "app.clipboard.pasteImage",
)


@dataclass(frozen=True)
class Prompt:
    """What was written, long pastes in full, and the images that go with it."""

    text: str
    attachments: Sequence[Attachment]


class PromptEditor(RecallingTextArea):
    """Where prompts are written. Keys it has no use for go on to the screen and the app."""

    DEFAULT_CSS = """
    PromptEditor {
        height: 3;
        padding: 0 1;
        border: none;
        background: transparent;
        color: ansi_default;
        scrollbar-size-vertical: 1;
        & .text-area--placeholder { color: ansi_default; text-style: dim; }
        &:focus { border: none; }
    }
    """

    class Submitted(Message):
        """The user wants the prompt sent. The editor is empty by now."""

        def __init__(self, text: str, attachments: Sequence[Attachment]) -> None:
            super().__init__()
            self.text = text
            self.attachments = attachments

    class ImagePasteRequested(Message):
        """The user wants the image on the clipboard: answer with `attach_image`."""

    class Trouble(Message):
        """Something the user should know; plain text, no markup."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(
        self,
        *,
        palette: Palette,
        bindings: KeyBindings,
        commands: CommandProvider,
        history: PromptHistory,
        cwd: Path,
        placeholder: str = "",
        external_editor: str | None = None,
        first_refusal: Callable[[str], bool] = lambda key: False,
    ) -> None:
        """`first_refusal` is asked of every key while no list is open; True means that it was dealt with."""
        super().__init__(history, placeholder)
        self.cwd = cwd
        self.bindings = bindings
        self.external_editor = external_editor
        self._first_refusal = first_refusal
        self._palette = palette
        self._thinking_level = "off"
        self._border_token = ""
        self._completer = Completer(self, CompletionPopup(palette), commands, FileIndex(cwd))
        self.set_palette(palette)

    # --- what the app says and asks ----------------------------------------------------------------

    @property
    def is_empty(self) -> bool:
        """Nothing is written."""
        return self.document.line_count == 1 and not self.document[0]

    @property
    def thinking_level(self) -> str:
        return self._thinking_level

    @thinking_level.setter
    def thinking_level(self, level: str) -> None:
        self._thinking_level = level
        self._show_border()

    def set_palette(self, palette: Palette) -> None:
        """Take the colours of another theme."""
        self._palette = palette
        self._completer.popup.palette = palette
        self._completer.popup.refresh()
        # A theme of its own spares the text area a walk through the style sheets with every line it draws.
        self.register_theme(
            TextAreaTheme(
                name=f"pi-{palette.name}",
                base_style=palette.style("text"),
                cursor_style=Style(reverse=True),
                selection_style=palette.style("text", "selectedBg"),
            )
        )
        self.theme = f"pi-{palette.name}"
        self._border_token = ""
        self._show_border()

    def take_prompt(self) -> Prompt | None:
        """Take out what is written, and remember it in the history; `None` when there is nothing."""
        attachments = self.markers.attachments_in(self.text)
        text = self.markers.expand(self.text).strip()
        if not text:
            return None
        self.remember(text)
        self.set_prompt("")
        self.markers.clear()
        self.history.clear()
        return Prompt(text, attachments)

    def set_prompt(self, text: str) -> None:
        """Replace what is written; undo brings it back."""
        self.replace_all(text)
        self._completer.mute()

    def restore_prompt(self, text: str, images: Sequence[ImageContent]) -> None:
        """Write a prompt that was sent before, with its images; undo brings back what was there."""
        self.set_prompt(text)
        self.move_cursor(self.document.end)
        for image in self.markers.restore_images(text, images):
            self.attach_image("image", image)

    def work_in(self, cwd: Path) -> None:
        """From now on files are completed and found in another folder."""
        if cwd != self.cwd:
            self.cwd = cwd
            self._completer.look_in(FileIndex(cwd))

    def attach_image(self, name: str, source: Path | ImageContent) -> None:
        """Attach an image at the cursor."""
        self._insert_piece(self.markers.add_image(name, source) + " ")

    async def edit_externally(self) -> None:
        """Have the prompt written in the user's editor; what runs meanwhile goes on."""
        text = trouble = None
        try:
            command = editor_command(self.external_editor)
        except ExternalEditorError as error:
            self.post_message(self.Trouble(str(error)))
            return
        with self.app.suspend(), interrupts_are_the_editors():
            # An error must not leave this block: the app would not take the screen back.
            try:
                text = await asyncio.to_thread(edit_text, self.markers.expand(self.text), command)
            except ExternalEditorError as error:
                trouble = str(error)
        if trouble is not None:
            self.post_message(self.Trouble(trouble))
        elif text is not None:
            self.set_prompt(clean_paste(text))

    # --- looks -------------------------------------------------------------------------------------

    def on_mount(self) -> None:
        assert isinstance(self.parent, Widget)
        self.parent.mount(self._completer.popup, before=self)
        self.screen.screen_layout_refresh_signal.subscribe(self, self._place_hardware_cursor)

    def _place_hardware_cursor(self, _screen: object = None) -> None:
        """Input methods open their window where the terminal's own cursor is."""
        if self.has_focus:
            self.app.cursor_position = self.cursor_screen_offset

    def on_resize(self) -> None:
        self._fit_height()

    def _fit_height(self) -> None:
        """Grow and shrink with the text, touching the layout only when the height changes."""
        if not self.is_mounted:
            return
        limit = max(1, self.screen.size.height // SHARE_OF_SCREEN - BORDER_ROWS)
        height = min(max(self.wrapped_document.height, 1), limit) + BORDER_ROWS
        if self.styles.height is None or self.styles.height.value != height:
            self.styles.height = height

    def _show_border(self) -> None:
        is_bash = self.document[0].startswith("!")
        token = "bashMode" if is_bash else thinking_token(self._thinking_level)
        if token != self._border_token:
            self._border_token = token
            color = css_color(self._palette.color(token))
            self.styles.border_top = self.styles.border_bottom = ("solid", color)

    # --- writing -----------------------------------------------------------------------------------

    def after_recall(self) -> None:
        self._completer.mute()

    def on_text_area_changed(self, event: RecallingTextArea.Changed) -> None:
        event.stop()
        self._fit_height()
        self._show_border()
        self._completer.update()

    def on_text_area_selection_changed(self, event: RecallingTextArea.SelectionChanged) -> None:
        event.stop()
        self._completer.update()

    def on_completion_popup_clicked(self, event: CompletionPopup.Clicked) -> None:
        event.stop()
        self._completer.popup.choose(event.index)
        self._completer.accept()

    async def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        is_short = len(event.text) <= PIECE
        text = clean_paste(event.text) if is_short else await asyncio.to_thread(clean_paste, event.text)
        images = dropped_images(text, self.cwd)
        if images is not None:
            for path in images:
                self.attach_image(path.name, path)
        elif text:
            self._insert_piece(self.markers.add_paste(text) if is_large(text) else text)

    def _insert_piece(self, text: str) -> None:
        self.interrupt_kills()
        self.replace(text, *sorted(self.selection), maintain_selection_offset=False)
        self.focus()

    async def _on_key(self, event: events.Key) -> None:
        # Whoever types fast presses Enter before the news of the last letter has gone round.
        self._completer.update()
        if self.take_target(event.character if event.is_printable else None) or self._use(event.key):
            event.stop()
            event.prevent_default()
        elif event.is_printable:
            self.interrupt_kills()

    def _use(self, key: str) -> bool:
        """Does what a key means to the client or here; False leaves it to the text."""
        return (not self._completer.is_open and self._first_refusal(key)) or self._handle(key)

    def _handle(self, key: str) -> bool:
        """Do what a key is bound to; whether it was bound to anything here."""
        if self._completer.is_open:
            action = self.bindings.action_of(key, _LIST_ACTIONS)
            if action is not None:
                return self._handle_in_list(action)
        action = self.bindings.action_of(key, (*_OWN_ACTIONS, *self.editing_actions))
        if action is None or (action == "tui.editor.deleteCharForward" and self.is_empty):
            return False
        if action in self.editing_actions:
            self.run_editing_action(action)
            return True
        return self._do(action)

    def _do(self, action: str) -> bool:
        match action:
            case "tui.input.submit":
                self._submit()
            case "tui.input.newLine":
                self.interrupt_kills()
                self._replace_via_keyboard("\n", *self.selection)
            case "tui.input.tab":
                return self._completer.complete_path()
            case "tui.editor.cursorUp":
                self.up()
            case "tui.editor.cursorDown":
                self.down()
            case "tui.editor.historyPrevious":
                self.older()
            case "tui.editor.historyNext":
                self.newer()
            case "app.editor.external":
                self.run_worker(self.edit_externally(), group="external-editor", exclusive=True)
            case "app.clipboard.pasteImage":
                self.post_message(self.ImagePasteRequested())
        return True

    def show_choices(self, rows: int) -> None:
        """How many completions are shown at a time."""
        self._completer.popup.rows = rows

    def _handle_in_list(self, action: str) -> bool:
        popup = self._completer.popup
        match action:
            case "tui.select.up":
                popup.move(-1)
            case "tui.select.down":
                popup.move(1)
            case "tui.select.pageUp":
                popup.move_page(-1)
            case "tui.select.pageDown":
                popup.move_page(1)
            case "tui.select.cancel":
                self._completer.dismiss()
            case "tui.input.tab":
                self._completer.accept()
            case _:
                typed = self.document[0]
                is_command = typed.startswith("/") and self.cursor_location[0] == 0
                choice = self._completer.accept()
                # Whoever wrote the whole name means it as it stands: no command needs its argument.
                if (
                    choice is not None
                    and is_command
                    and (not choice.goes_on or typed.rstrip() == choice.text.rstrip())
                ):
                    self._submit()
        return True

    def _submit(self) -> None:
        row, column = self.cursor_location
        if self.document[row][:column].endswith("\\") and column == len(self.document[row]):
            # For terminals that cannot tell Shift+Enter from Enter.
            self._replace_via_keyboard("\n", (row, column - 1), (row, column))
            return
        prompt = self.take_prompt()
        if prompt is not None:
            self.post_message(self.Submitted(prompt.text, prompt.attachments))
