"""A text area that goes back to what was written before."""

from textual.widgets.text_area import Edit, EditResult

from pi_tui.tui.editor.editing import EmacsTextArea
from pi_tui.tui.editor.history import HistoryBrowser, PromptHistory


class RecallingTextArea(EmacsTextArea):
    """Browses a history at its first and last line, and keeps the draft meanwhile."""

    def __init__(self, history: PromptHistory, placeholder: str = "") -> None:
        super().__init__(placeholder)
        self._history = history
        self._browser = HistoryBrowser(history)
        self._recalling = False

    def edit(self, edit: Edit) -> EditResult:
        """What is changed by hand is no recalled prompt any more."""
        result = super().edit(edit)
        if not self._recalling:
            self._browser.stop()
        return result

    def remember(self, text: str) -> None:
        """Take a prompt into the history."""
        self._history.add(text)

    def replace_all(self, text: str) -> None:
        """Replace everything, and let it be the draft from now on."""
        self.interrupt_kills()
        self.replace(text, (0, 0), self.document.end, maintain_selection_offset=False)

    def up(self) -> None:
        """Up a line; on the first one, back in the history."""
        if self.wrapped_document.location_to_offset(self.cursor_location).y > 0:
            self.action_cursor_up()
        else:
            self.older()

    def down(self) -> None:
        """Down a line; on the last one, forward in the history."""
        last = self.wrapped_document.height - 1
        if self.wrapped_document.location_to_offset(self.cursor_location).y < last:
            self.action_cursor_down()
        else:
            self.newer()

    def older(self) -> None:
        """Back in the history."""
        self._recall(self._browser.older(self.text))

    def newer(self) -> None:
        """Forward in the history; after the newest prompt comes the draft."""
        if self._browser.browsing:
            self._recall(self._browser.newer())
        else:
            self.to_line_end()

    def _recall(self, text: str | None) -> None:
        if text is None:
            return
        self._recalling = True
        try:
            self.replace_all(text)
        finally:
            self._recalling = False
        self.after_recall()

    def after_recall(self) -> None:
        """For subclasses: another prompt is shown now."""
