"""The frame all pickers and dialogs share: a panel at the bottom of the screen."""

from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input, Static

from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.textual_theme import css_color

Result = TypeVar("Result")


class BottomPanel(ModalScreen[Result]):
    """A dialog over the lower part of the screen; the transcript stays in sight above it."""

    DEFAULT_CSS = """
    BottomPanel {
        align: left bottom;
        background: transparent;
        & > #panel {
            width: 100%;
            height: auto;
            max-height: 100%;
            background: ansi_default;
        }
        & #title, & #hint { width: 100%; height: 1; padding: 0 1; }
        & #title { text-style: bold; }
        & #body { width: 100%; height: auto; padding: 0 1; }
        & Input {
            height: 1;
            border: none;
            padding: 0 1;
            background: ansi_default;
            color: ansi_default;
            &:focus { border: none; }
            & .input--placeholder { color: ansi_default; text-style: dim; }
        }
    }
    """

    def __init__(self, title: str, palette: Palette, bindings: KeyBindings) -> None:
        super().__init__()
        self.palette = palette
        self.bindings = bindings
        self._title_text = title
        self._texts: dict[str, Static] = {}

    def compose(self) -> ComposeResult:
        with Vertical(id="panel") as panel:
            line = css_color(self.palette.color("borderAccent"))
            panel.styles.border_top = panel.styles.border_bottom = ("solid", line)
            yield self.line("title", self._title_text, "text")
            yield from self.compose_body()
            yield self.line("hint", self.hint(), "dim")

    def compose_body(self) -> ComposeResult:
        """What is between the title and the hint."""
        yield from ()

    def hint(self) -> str:
        """Which keys do what, in one line."""
        return ""

    def line(self, name: str, text: str, token: str) -> Static:
        """Text in a colour of the palette; markup in it means nothing."""
        static = Static(text, id=name, markup=False)
        static.styles.color = css_color(self.palette.color(token))
        self._texts[name] = static
        return static

    def say(self, name: str, text: str) -> None:
        """Changes a line. Nothing happens to one that is not there any more: work may end after its screen."""
        if name in self._texts:
            self._texts[name].update(text)

    def key_hint(self, action: str, text: str) -> str:
        """`Enter choose`, or nothing when the action has no key."""
        keys = self.bindings.readable(action, "/")
        return f"{keys} {text}" if keys else ""


class LineInput(Input):
    """A line to write in, without blinking, and with the word keys of Emacs."""

    BINDINGS: ClassVar = [
        Binding("alt+b,alt+left", "cursor_left_word", show=False),
        Binding("alt+f,alt+right", "cursor_right_word", show=False),
        Binding("alt+d,alt+delete", "delete_right_word", show=False),
        Binding("alt+backspace", "delete_left_word", show=False),
    ]

    def __init__(self, value: str = "", placeholder: str = "", *, secret: bool = False) -> None:
        """`secret` shows dots instead of what is written."""
        super().__init__(value, placeholder=placeholder, password=secret, select_on_focus=False)
        self.cursor_blink = False
