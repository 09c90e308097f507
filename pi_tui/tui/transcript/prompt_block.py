"""What the user asked."""

import re
from typing import ClassVar, Final

from rich.segment import Segment
from rich.style import Style

from pi_tui.llm.messages import ImageContent, UserMessage, text_of
from pi_tui.tui.transcript.ansi import TAB_SIZE, plain
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.images import image_line
from pi_tui.tui.transcript.line import Line, Look, line_of
from pi_tui.tui.transcript.wrap import Row, wrap

COLLAPSED_ROWS = 24
"""Rows of a longer prompt that are shown until it is opened."""
_SKILL: Final = re.compile(
    r'<skill name="([^"\n]+)" location="[^"\n]*">\n.*?\n</skill>(?:\n\n(.*))?', re.DOTALL
)


class PromptBlock(Block):
    """A user's message, as it was written; what was pasted into it at length is cut until it is opened.

    A skill that was put into it is its command until it is opened.
    """

    kind: ClassVar[str] = "prompt"
    collapsible: ClassVar[bool] = True

    def __init__(self, message: UserMessage) -> None:
        super().__init__()
        self.is_prompt = True
        self._text = plain(text_of(message.content).strip("\n"), TAB_SIZE)
        skill = _SKILL.fullmatch(self._text)
        self._command = f"/skill:{skill[1]} {skill[2] or ''}".rstrip() if skill else None
        content = [] if isinstance(message.content, str) else message.content
        self._images = [image_line(block) for block in content if isinstance(block, ImageContent)]

    def text(self) -> str:
        return self._text

    def size_hint(self) -> int:
        return len(self._text)

    def render(self, look: Look) -> list[Line]:
        style = look.palette.style
        under = style("userMessageText", "userMessageBg")
        bar = Segment("▌ "[: look.indent], style("accent", "userMessageBg"))
        hint = style("dim", "userMessageBg")
        text = self._text if self._command is None or self.is_open(look) else self._command
        source = text.split("\n") if text else []
        rows, shown = self._rows(source, look, under)
        if shown < len(source):
            more = f"… {len(source) - shown:,} more lines{look.expand_hint}"
            rows += wrap([Segment(more, hint)], look.text_width)
        for image in self._images:
            rows += wrap([Segment(f"▣ {image}", hint)], look.text_width)
        return [line_of(row, bar, (look.width, under)) for row in rows]

    def _rows(self, source: list[str], look: Look, style: Style) -> tuple[list[Row], int]:
        """The rows of as many lines as are shown, and how many these are."""
        opened = self.is_open(look)
        rows: list[Row] = []
        for number, line in enumerate(source):
            if len(rows) >= COLLAPSED_ROWS and not opened:
                return rows[:COLLAPSED_ROWS], number
            cut = line if opened else line[: COLLAPSED_ROWS * look.text_width]
            rows += wrap([Segment(cut, style)], look.text_width)
        if opened or len(rows) <= COLLAPSED_ROWS:
            return rows, len(source)
        return rows[:COLLAPSED_ROWS], len(source) - 1
