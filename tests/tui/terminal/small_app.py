"""A full-screen program that only has the terminal layer: it shows the keys it gets."""

import asyncio
import sys
from typing import ClassVar

from pi_tui.tui.terminal.restore import give_back_at_exit, on_termination

give_back_at_exit()
from pi_tui.tui.terminal.probe import TerminalProbe  # noqa: E402

probe = TerminalProbe()

from textual import events  # noqa: E402
from textual.app import App, ComposeResult  # noqa: E402
from textual.binding import Binding  # noqa: E402
from textual.widgets import Static  # noqa: E402

from pi_tui.tui.terminal.driver import terminal_driver  # noqa: E402
from pi_tui.tui.terminal.events import TerminalAppearance, TerminalFocus, TerminalLost  # noqa: E402

answers = probe.answers()


class SmallApp(App[int]):
    BINDINGS: ClassVar = [
        Binding("ctrl+z", "suspend_process", priority=True),
        Binding("ctrl+q", "leave", priority=True),
        Binding("f9", "crash", priority=True),
        Binding("f10", "die", priority=True),
    ]

    def __init__(self) -> None:
        super().__init__(driver_class=terminal_driver(answers))
        self.shown: list[str] = []

    def compose(self) -> ComposeResult:
        yield Static(markup=False)

    def on_mount(self) -> None:
        loop = asyncio.get_running_loop()
        on_termination(lambda number: loop.call_soon_threadsafe(self.exit, 128 + number))
        self.say(f"ready background={dict(answers.colors).get('11')} kitty={answers.kitty_keyboard}")

    def say(self, text: str) -> None:
        self.shown.append(text)
        self.query_one(Static).update("\n".join(self.shown[-20:]))

    def on_key(self, event: events.Key) -> None:
        self.say(f"key {event.key}.")

    def on_paste(self, event: events.Paste) -> None:
        self.say(f"paste {event.text!r}.")

    def on_terminal_focus(self, event: TerminalFocus) -> None:
        self.say(f"focus {event.focused}.")

    def on_terminal_appearance(self, event: TerminalAppearance) -> None:
        self.say(f"appearance {event.appearance}.")

    def on_terminal_lost(self, event: TerminalLost) -> None:
        self.exit(1)

    def action_leave(self) -> None:
        self.exit(0)

    def action_crash(self) -> None:
        raise RuntimeError("deliberate")

    def action_die(self) -> None:
        sys.exit(7)


if __name__ == "__main__":
    app = SmallApp()
    result = app.run()
    sys.exit(result or app.return_code)
