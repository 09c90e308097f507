"""The line above the editor: what the agent is doing, and what waits for it."""

import time
from collections.abc import Sequence

from rich.text import Text
from textual.timer import Timer

from pi_tui.tui.bar import Bar, justify
from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.theme.palette import Palette

FRAMES = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
TICK = 0.1
"""Seconds between two frames of the spinner; one row is repainted, nothing is laid out."""
MAX_QUEUED_ROWS = 4
QUEUE_FROM = 14
"""Rows of a screen on which queued messages are shown one by one."""
COUNT_FROM = 8
"""Rows of a screen on which their number is."""


class StatusLine(Bar):
    """A spinner with its activity, or a passing remark; below it the queued messages."""

    DEFAULT_CSS = """
    StatusLine { padding: 0 1; }
    """

    def __init__(self, palette: Palette, bindings: KeyBindings, *, id: str | None = None) -> None:
        super().__init__(rows=1, id=id)
        self.palette = palette
        self.bindings = bindings
        self._activity: str | None = None
        self._hint = ""
        self._deadline: float | None = None
        self._since = 0.0
        self._remark: Text | None = None
        self._until_key = False
        self._waiting: list[tuple[str, str]] = []
        self._aside = ""
        self._timer: Timer | None = None

    def work(self, activity: str, interrupting: str = "to stop") -> None:
        """Shows the spinner with `activity`; the clock starts when nothing was going before.

        Args:
            interrupting: What the key that interrupts does, to be read behind its name.
        """
        if self._activity is None:
            self._since = time.monotonic()
        key = self.bindings.hint("app.interrupt")
        self._activity, self._hint, self._deadline = activity, f"{key} {interrupting}" if key else "", None
        if self._timer is None:
            self._timer = self.set_interval(TICK, self._draw)
        self._draw()

    def count_down(self, activity: str, seconds: float, interrupting: str = "to stop") -> None:
        """Like `work`, with the seconds that are left."""
        self.work(activity, interrupting)
        self._deadline = time.monotonic() + seconds
        self._draw()

    def rest(self) -> None:
        """Takes the spinner away."""
        self._activity = None
        if self._timer is not None:
            self._timer.stop()
            self._timer = None
        self._draw()

    def remark(self, text: str, token: str = "muted", *, until_key: bool = False) -> None:
        """Shows a sentence while nothing is going on, until the next one, or the next key."""
        self._remark = Text(text, self.palette.style(token)) if text else None
        self._until_key = until_key
        self._draw()

    def key_pressed(self) -> None:
        """Takes away what was true until the next key."""
        if self._until_key:
            self.remark("")

    def show_queue(self, steering: Sequence[str], follow_up: Sequence[str]) -> None:
        self._waiting = [("next", text) for text in steering] + [("later", text) for text in follow_up]
        self._draw()

    def hint(self, text: str) -> None:
        """Shows a short text at the right, beside whatever else is there."""
        self._aside = text
        self._draw()

    def set_palette(self, palette: Palette) -> None:
        self.palette = palette
        self._draw()

    def on_resize(self) -> None:
        self._draw()

    def _queue(self) -> list[Text]:
        """What waits, a row each; on a low screen how many there are, on a lower one nothing: it has to be typed in."""
        height = self.app.size.height
        if not self._waiting or height < COUNT_FROM:
            return []
        shown = self._waiting[:MAX_QUEUED_ROWS] if height >= QUEUE_FROM else []
        key = self.bindings.hint("app.message.dequeue")
        more = len(self._waiting) - len(shown)
        notes = [f"… {more} more" if shown else f"{more} waiting"] if more else []
        notes += [f"{key} takes them back"] if key else []
        rows = [self._queued_row(kind, text) for kind, text in shown]
        return [*rows, Text(f"  {', '.join(notes)}", self.palette.style("dim"))] if notes else rows

    def _queued_row(self, kind: str, text: str) -> Text:
        row = Text(f"  {kind}: ", self.palette.style("dim"))
        row.append(" ".join(text.split()), self.palette.style("muted"))
        return row

    def _draw(self) -> None:
        first = self._first_row()
        if self._aside:
            first = justify(first, Text(self._aside, self.palette.style("accent")), self.content_size.width)
        self.show([first, *self._queue()])

    def _first_row(self) -> Text:
        if self._activity is None:
            return self._remark or Text("")
        now = time.monotonic()
        row = Text(FRAMES[int(now / TICK) % len(FRAMES)] + " ", self.palette.style("accent"))
        row.append(self._activity, self.palette.style("text"))
        if self._deadline is not None:
            row.append(f" {max(0, round(self._deadline - now))} s", self.palette.style("warning"))
        elif now - self._since >= 1:
            row.append(f" {_clock(now - self._since)}", self.palette.style("muted"))
        row.append(f"  {self._hint}", self.palette.style("dim"))
        return row


def _clock(seconds: float) -> str:
    minutes, rest = divmod(int(seconds), 60)
    return f"{minutes}:{rest:02d}" if minutes else f"{rest} s"
