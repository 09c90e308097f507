"""The least a full-screen Textual program can be: a text area, and a line that says where it runs."""

from pathlib import Path

from textual.app import App, ComposeResult
from textual.widgets import Static, TextArea


class BareApp(App[None]):
    def compose(self) -> ComposeResult:
        yield TextArea()
        yield Static(f"~/{Path.cwd().name}", markup=False)

    def on_mount(self) -> None:
        self.query_one(TextArea).focus()


BareApp().run()
