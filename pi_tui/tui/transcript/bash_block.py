"""The user's own `!command`, live and as it is stored."""

from typing import ClassVar

from rich.segment import Segment

from pi_tui.llm.messages import BashExecutionMessage
from pi_tui.tui.transcript.ansi import one_line, plain
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.line import Line, Look, line_of
from pi_tui.tui.transcript.output import excerpt
from pi_tui.tui.transcript.wrap import Row, wrap

COLLAPSED_ROWS = 20


class BashBlock(Block):
    """A command the user ran, with its output.

    Args:
        command: Without the `!`.
        in_context: False for `!!`, whose output the model does not see.
    """

    kind: ClassVar[str] = "bash"
    collapsible: ClassVar[bool] = True

    def __init__(self, command: str, *, in_context: bool = True) -> None:
        super().__init__()
        self.command = command
        self.in_context = in_context
        self._output = ""
        self._message: BashExecutionMessage | None = None

    @classmethod
    def stored(cls, message: BashExecutionMessage) -> "BashBlock":
        block = cls(message.command, in_context=not message.exclude_from_context)
        block.finish(message)
        return block

    def show(self, output: str) -> None:
        """Takes the end of the output so far; it replaces the one before."""
        self._output = output
        self.invalidate()

    def finish(self, message: BashExecutionMessage, ansi: str | None = None) -> None:
        """The command has ended.

        Args:
            ansi: The end of its output with colours, if it had any.
        """
        self._message = message
        self._output = ansi or message.output
        self.invalidate()

    @property
    def running(self) -> bool:
        return self._message is None

    @property
    def output(self) -> str:
        return self._output

    def text(self) -> str:
        return f"$ {plain(self.command)}\n{plain(self.output)}"

    def size_hint(self) -> int:
        return len(self._output)

    def estimate(self, look: Look) -> int:
        return min(COLLAPSED_ROWS + 2, super().estimate(look) + 1)

    def render(self, look: Look) -> list[Line]:
        style = look.palette.style
        mode = style("bashMode")
        bar = Segment("▌ "[: look.indent], mode)
        command = [Segment("$ ", mode), Segment(one_line(self.command, 2_000), style("toolTitle", bold=True))]
        if not self.in_context:
            command.append(Segment(" not sent to the model", style("dim")))
        rows = wrap(command, look.text_width)
        limit = None if self.is_open(look) else COLLAPSED_ROWS
        shown, hidden = excerpt(self.output, look.text_width, style("toolOutput"), limit, end="tail")
        if hidden:
            hint = f"… {hidden:,} earlier lines" + ("" if limit is None else look.expand_hint)
            rows += wrap([Segment(hint, style("dim"))], look.text_width)
        rows += shown
        rows += self._ending(look)
        return [line_of(row, bar) for row in rows]

    def _ending(self, look: Look) -> list[Row]:
        message = self._message
        if message is None:
            return []
        notes: list[tuple[str, str]] = []
        if message.cancelled:
            notes.append(("Interrupted", "warning"))
        elif message.exit_code:
            notes.append((f"Exit code {message.exit_code}", "error"))
        if message.truncated:
            path = one_line(message.full_output_path or "")
            notes.append((f"Output was cut. Full output: {path}" if path else "Output was cut.", "dim"))
        return [
            row
            for text, token in notes
            for row in wrap([Segment(text, look.palette.style(token))], look.text_width)
        ]
