"""What a terminal tells beside keys, mouse and paste."""

from textual import events

from pi_tui.tui.terminal.appearance import RGB, Appearance


class TerminalFocus(events.Event, bubble=False):
    """The terminal got or lost the focus; unlike Textual's own event, this restyles nothing."""

    def __init__(self, focused: bool) -> None:
        super().__init__()
        self.focused = focused


class TerminalAppearance(events.Event, bubble=False):
    """The terminal's background became known, late or because the user changed it."""

    def __init__(self, appearance: Appearance, background: RGB | None = None) -> None:
        super().__init__()
        self.appearance = appearance
        self.background = background


class TerminalLost(events.Event, bubble=False):
    """Nothing can be read from the terminal any more: it was closed."""
