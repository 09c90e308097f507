"""What a terminal tells beside keys, mouse and paste."""

from collections.abc import Sequence

from textual import events

from pi_tui.tui.terminal.appearance import RGB, Appearance


class TerminalFocus(events.Event, bubble=False):
    """The terminal got or lost the focus; unlike Textual's own event, this restyles nothing."""

    def __init__(self, focused: bool) -> None:
        super().__init__()
        self.focused = focused


class TerminalAppearance(events.Event, bubble=False):
    """The user made the terminal light or dark."""

    def __init__(self, appearance: Appearance) -> None:
        super().__init__()
        self.appearance = appearance


class TerminalColorsTold(events.Event, bubble=False):
    """The terminal answered the questions about its colours, late or once more."""

    def __init__(self, replies: Sequence[tuple[str, RGB]]) -> None:
        super().__init__()
        self.replies = replies


class TerminalLost(events.Event, bubble=False):
    """Nothing can be read from the terminal any more: it was closed."""
