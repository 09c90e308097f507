"""A text area with the editing keys of Emacs and markers that are one piece."""

from collections.abc import Callable

from textual.widgets import TextArea
from textual.widgets.text_area import EditResult, Location, Selection

from pi_tui.tui.editor.jumping import occurrence
from pi_tui.tui.editor.kill_ring import KillRing
from pi_tui.tui.editor.markers import Markers


class EmacsTextArea(TextArea, inherit_bindings=False):
    """Cuts, brings back what was cut, and never leaves the cursor inside of a marker."""

    def __init__(self, placeholder: str = "") -> None:
        # The text area validates its selection while it is being made.
        self.markers = Markers()
        super().__init__(
            soft_wrap=True, show_line_numbers=False, highlight_cursor_line=False, placeholder=placeholder
        )
        self.cursor_blink = False
        self.match_cursor_bracket = False
        self._kill_ring = KillRing()
        self._yanked: tuple[Location, Location] | None = None
        self._jump = 0
        """Where the character typed next is looked for: 1 ahead, -1 back, 0 when it is to be written."""
        self.editing_actions: dict[str, Callable[[], object]] = {
            "tui.editor.cursorLeft": self.action_cursor_left,
            "tui.editor.cursorRight": self.action_cursor_right,
            "tui.editor.cursorWordLeft": self.action_cursor_word_left,
            "tui.editor.cursorWordRight": self.action_cursor_word_right,
            "tui.editor.cursorLineStart": self.to_line_start,
            "tui.editor.cursorLineEnd": self.to_line_end,
            "tui.editor.jumpForward": lambda: self._jump_next(1),
            "tui.editor.jumpBackward": lambda: self._jump_next(-1),
            "tui.editor.pageUp": self.action_cursor_page_up,
            "tui.editor.pageDown": self.action_cursor_page_down,
            "tui.editor.deleteCharBackward": self.delete_backward,
            "tui.editor.deleteCharForward": self.delete_forward,
            "tui.editor.deleteWordBackward": self.kill_word_backward,
            "tui.editor.deleteWordForward": self.kill_word_forward,
            "tui.editor.deleteToLineStart": self.kill_to_line_start,
            "tui.editor.deleteToLineEnd": self.kill_to_line_end,
            "tui.editor.yank": self.yank,
            "tui.editor.yankPop": self.yank_pop,
            "tui.editor.undo": self.undo,
        }

    def run_editing_action(self, action: str) -> None:
        """Do an action of `editing_actions`; cuts join and yanks rotate only right after one another."""
        if not action.startswith(("tui.editor.deleteWord", "tui.editor.deleteTo")):
            self._kill_ring.interrupt()
        if not action.startswith("tui.editor.yank"):
            self._yanked = None
        self.editing_actions[action]()

    def interrupt_kills(self) -> None:
        """Something was written or pasted: cuts and yanks before it are over."""
        self._kill_ring.interrupt()
        self._yanked = None

    # --- moving ------------------------------------------------------------------------------------

    def validate_selection(self, selection: Selection) -> Selection:
        """A cursor that would be inside of a marker goes to the end of it that lies ahead."""
        if not self.markers:
            return selection
        start = selection.start
        end = self._outside_marker(selection.end)
        return Selection(end if start == selection.end else self._outside_marker(start), end)

    def _outside_marker(self, location: Location) -> Location:
        row, column = location
        if row >= self.document.line_count:
            return location
        span = self.markers.around(self.document[row], column)
        if span is None:
            return location
        return (row, span[1]) if location > self.selection.end else (row, span[0])

    def to_line_start(self) -> None:
        self.move_cursor((self.cursor_location[0], 0))

    def to_line_end(self) -> None:
        row = self.cursor_location[0]
        self.move_cursor((row, len(self.document[row])))

    def _jump_next(self, direction: int) -> None:
        self._jump = direction

    def take_target(self, character: str | None) -> bool:
        """Jumps to a typed character, if a jump waits for one; whether it did. Anything else ends the waiting."""
        direction, self._jump = self._jump, 0
        if not direction or character is None or not character.isprintable():
            return False
        found = occurrence(self.document.lines, self.cursor_location, character, direction)
        if found is not None:
            self.interrupt_kills()
            self.move_cursor(found)
        return True

    # --- deleting ----------------------------------------------------------------------------------

    def delete_backward(self) -> None:
        """Delete the selection, or the character or marker before the cursor."""
        self._delete(*self._selected_or(self.get_cursor_left_location()))

    def delete_forward(self) -> None:
        """Delete the selection, or the character or marker at the cursor."""
        self._delete(*self._selected_or(self.get_cursor_right_location()))

    def kill_word_backward(self) -> None:
        self._kill(self.get_cursor_word_left_location(), backward=True)

    def kill_word_forward(self) -> None:
        self._kill(self.get_cursor_word_right_location(), backward=False)

    def kill_to_line_start(self) -> None:
        """At the start of a line, this cuts the line break before it."""
        row, column = self.cursor_location
        self._kill((row, 0) if column else self.get_cursor_left_location(), backward=True)

    def kill_to_line_end(self) -> None:
        """At the end of a line, this cuts the line break."""
        row, column = self.cursor_location
        length = len(self.document[row])
        self._kill((row, length) if column < length else self.get_cursor_right_location(), backward=False)

    def _selected_or(self, other: Location) -> tuple[Location, Location]:
        start, end = (
            sorted(self.selection) if not self.selection.is_empty else sorted((other, self.cursor_location))
        )
        return start, end

    def _delete(self, start: Location, end: Location) -> str:
        start, end = self._with_whole_markers(start, end)
        text = self.get_text_range(start, end)
        if text:
            self._delete_via_keyboard(start, end)
        return text

    def _kill(self, other: Location, *, backward: bool) -> None:
        self._kill_ring.kill(self._delete(*self._selected_or(other)), backward=backward)

    def _with_whole_markers(self, start: Location, end: Location) -> tuple[Location, Location]:
        if span := self.markers.around(self.document[start[0]], start[1]):
            start = (start[0], span[0])
        if span := self.markers.around(self.document[end[0]], end[1]):
            end = (end[0], span[1])
        return start, end

    # --- bringing back -----------------------------------------------------------------------------

    def yank(self) -> None:
        """Put in what was cut last."""
        self._put_back(self._kill_ring.yank(), *sorted(self.selection))

    def yank_pop(self) -> None:
        """Right after a yank: put in what was cut before that instead."""
        if self._yanked is not None:
            self._put_back(self._kill_ring.yank_pop(), *self._yanked)

    def _put_back(self, text: str | None, start: Location, end: Location) -> None:
        if text is None:
            return
        result: EditResult = self.replace(text, start, end, maintain_selection_offset=False)
        self._yanked = (start, result.end_location)
