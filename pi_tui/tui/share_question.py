"""Whether a session is shared, with the secrets that were found in sight."""

from collections.abc import Sequence

from textual.app import ComposeResult
from textual.geometry import Size

from pi_tui.tui.keys.bindings import KeyBindings
from pi_tui.tui.picker.list import PickerItem
from pi_tui.tui.picker.picker import Picker
from pi_tui.tui.questions import Answer
from pi_tui.tui.theme.palette import Palette

MAX_LINES = 12
"""Secrets that are told one by one, where there is room."""
ROWS_FOR_THE_REST = 14
"""What the question, its answers and a piece of the conversation take of the screen."""


class ShareQuestion(Picker[str]):
    """Lists what was found above the answers. Its result is the value of one of them, or None."""

    def __init__(
        self,
        title: str,
        found: Sequence[str],
        answers: Sequence[Answer],
        *,
        palette: Palette,
        bindings: KeyBindings,
    ) -> None:
        items = [PickerItem(one.value, one.label, one.description) for one in answers]
        super().__init__(title, items, palette=palette, bindings=bindings)
        self._lines = found

    def compose_body(self) -> ComposeResult:
        if self._lines:
            found = self.line("found", self._shown(self.app.size), "warning")
            found.styles.padding = (0, 1)
            yield found
        yield from super().compose_body()

    def on_resize(self) -> None:
        super().on_resize()
        if self._lines:
            self.say("found", self._shown(self.size))

    def _shown(self, size: Size) -> str:
        """As many as there is room for; the conversation behind has them all."""
        room = max(1, min(MAX_LINES, size.height - ROWS_FOR_THE_REST))
        lines = list(self._lines)
        if len(lines) > room:
            lines = [*lines[: room - 1], f"and {len(lines) - room + 1} more"]
        width = max(10, size.width - 2)
        return "\n".join(line if len(line) <= width else line[: width - 1] + "…" for line in lines)
