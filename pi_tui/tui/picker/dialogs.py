"""Small questions: yes or no, and one line of text."""

from textual import events
from textual.app import ComposeResult

from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.screen import BottomPanel, LineInput
from pi_tui.tui.theme.palette import Palette


class ConfirmDialog(BottomPanel[bool]):
    """Asks whether to do something. Enter or `y` say yes; Esc and `n` say no."""

    def __init__(
        self,
        title: str,
        message: str,
        *,
        palette: Palette,
        bindings: KeyBindings,
        yes: str = "yes",
        no: str = "no",
    ) -> None:
        super().__init__(title, palette, bindings)
        self._message = message
        self._yes, self._no = yes, no

    def compose_body(self) -> ComposeResult:
        yield self.line("body", self._message, "text")

    def hint(self) -> str:
        keys = self.bindings
        confirm, cancel = keys.readable("tui.select.confirm", "/"), keys.readable("tui.select.cancel", "/")
        return f"Y/{confirm} {self._yes} · N/{cancel} {self._no}"

    def on_key(self, event: events.Key) -> None:
        event.stop()
        event.prevent_default()
        if event.key in ("y", "Y") or self.bindings.match("tui.select.confirm", event.key):
            self.dismiss(True)
        elif event.key in ("n", "N") or self.bindings.match("tui.select.cancel", event.key):
            self.dismiss(False)


class TextDialog(BottomPanel[str | None]):
    """Asks for one line of text. Its result is the line, or `None` when the user wants none of it."""

    def __init__(
        self,
        title: str,
        *,
        palette: Palette,
        bindings: KeyBindings,
        value: str = "",
        placeholder: str = "",
        secret: bool = False,
    ) -> None:
        """`secret` shows dots instead of what is written."""
        super().__init__(title, palette, bindings)
        self._value = value
        self._placeholder = placeholder
        self._secret = secret

    def compose_body(self) -> ComposeResult:
        self._field = LineInput(self._value, self._placeholder, secret=self._secret)
        yield self._field

    def hint(self) -> str:
        confirm = self.key_hint("tui.select.confirm", "take it")
        cancel = self.key_hint("tui.select.cancel", "cancel")
        return " · ".join(part for part in (confirm, cancel) if part)

    def on_mount(self) -> None:
        self._field.cursor_position = len(self._value)
        self._field.focus()

    def on_key(self, event: events.Key) -> None:
        if self.bindings.match("tui.select.confirm", event.key):
            self.dismiss(self._field.value)
        elif self.bindings.match("tui.select.cancel", event.key):
            self.dismiss(None)
        else:
            return
        event.stop()
        event.prevent_default()
