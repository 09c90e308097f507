"""A tool call with what came of it."""

from dataclasses import replace
from time import monotonic
from typing import Any, ClassVar, Literal, TypeAlias

from rich.segment import Segment

from pi_tui.agent.events import PartialResult
from pi_tui.llm.messages import ImageContent, TextContent
from pi_tui.tui.transcript.ansi import plain
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.images import image_line
from pi_tui.tui.transcript.line import Line, Look, line_of
from pi_tui.tui.transcript.tool_body import body_rows
from pi_tui.tui.transcript.tool_titles import Title, file_name, outcome_of, title_of
from pi_tui.tui.transcript.wrap import Row, wrap

ToolState: TypeAlias = Literal["pending", "running", "done", "error", "interrupted"]

MAX_TITLE_ROWS = 3
"""Rows of a title while the block is collapsed."""
MIN_SHOWN_DURATION = 100
"""Milliseconds; a shorter call does not say how long it took."""

_SIGNS: dict[ToolState, tuple[str, str]] = {
    "pending": ("○", "muted"),
    "running": ("●", "accent"),
    "done": ("✓", "success"),
    "error": ("✗", "error"),
    "interrupted": ("■", "warning"),
}
_BACKGROUNDS: dict[ToolState, str] = {"done": "toolSuccessBg", "error": "toolErrorBg"}


class ToolBlock(Block):
    """One call of a tool: its title, its output while it runs, and its result.

    Args:
        call_id: The call's id, by which results find it.
        name: The tool's name.
        arguments: As the model sent them.
    """

    kind: ClassVar[str] = "tool"
    collapsible: ClassVar[bool] = True

    def __init__(self, call_id: str, name: str, arguments: dict[str, Any]) -> None:
        super().__init__()
        self.call_id = call_id
        self.name = name
        self.arguments = arguments
        self.state: ToolState = "pending"
        self.result: PartialResult | None = None
        self.duration_ms: int | None = None
        self._started: float | None = None
        self._title: Title = title_of(name, arguments)

    def start(self, arguments: dict[str, Any] | None = None) -> None:
        """The tool begins to run, with its arguments as they were mended."""
        if arguments is not None:
            self.arguments = arguments
            self._title = title_of(self.name, arguments)
        self.state = "running"
        self._started = monotonic()
        self.invalidate()

    def update(self, partial: PartialResult) -> None:
        """Takes the output so far; it replaces the one before."""
        if self.state in ("pending", "running"):
            self.state = "running"
            self.result = partial
            self.invalidate()

    def finish(self, result: PartialResult, is_error: bool, duration_ms: int | None = None) -> None:
        self.state = "error" if is_error else "done"
        self.result = result
        self.duration_ms = duration_ms
        self.invalidate()

    def interrupt(self) -> None:
        """The call was stopped, or its result never came; what a running call showed stays."""
        if self.state in ("pending", "running"):
            self.state = "interrupted"
            self.invalidate()

    @property
    def running(self) -> bool:
        return self.state == "running"

    @property
    def ticking(self) -> bool:
        return self.running

    @property
    def output(self) -> str:
        """The text of the result."""
        if self.result is None:
            return ""
        return "\n".join(block.text for block in self.result.content if isinstance(block, TextContent))

    def text(self) -> str:
        return "".join(text for text, _ in self._title) + "\n" + plain(self.output)

    def size_hint(self) -> int:
        return len(self.output)

    def estimate(self, look: Look) -> int:
        lines = 1 + self.margin
        return lines + (6 if self.name != "read" and self.output else 0)

    def render(self, look: Look) -> list[Line]:
        return [*self._title_lines(look), *self._body_lines(look)]

    def _title_lines(self, look: Look) -> list[Line]:
        style = look.palette.style
        sign, token = _SIGNS[self.state]
        runs = [Segment(text, style(token, bold=token == "toolTitle")) for text, token in self._title if text]
        runs += [Segment(text, style(token)) for text, token in self._facts()]
        rows = wrap(runs, look.text_width)
        if len(rows) > MAX_TITLE_ROWS and not self.is_open(look):
            rows = [*rows[: MAX_TITLE_ROWS - 1], Row([Segment("…", style("dim"))])]
        first = Segment(f"{sign} "[: look.indent], style(token))
        rest = Segment(" " * look.indent, style("text"))
        fill = (look.width, style("text", _BACKGROUNDS.get(self.state, "toolPendingBg")))
        return [line_of(row, first if not number else rest, fill) for number, row in enumerate(rows)]

    def _facts(self) -> Title:
        """What stands after the title: changed lines, state, time."""
        facts = outcome_of(self.name, self.arguments, self.result) if self.state != "error" else []
        if self.state == "interrupted":
            facts.append((" no result" if self.result is None else " interrupted", "warning"))
        elif self.duration_ms is not None and self.duration_ms >= MIN_SHOWN_DURATION:
            facts.append((f" {shown_duration(self.duration_ms)}", "dim"))
        elif self.running and self._started is not None and monotonic() - self._started >= 1:
            facts.append((f" {shown_duration(int(monotonic() - self._started) * 1000)}", "dim"))
        return facts

    def _body_lines(self, look: Look) -> list[Line]:
        style = look.palette.style
        bar = "│ " if look.indent else ""
        width = max(1, look.text_width - len(bar))
        prefix = Segment(" " * look.indent + bar, style("borderMuted"))
        rows = body_rows(self, replace(look, width=width, expanded=self.is_open(look)))
        for image in [] if self.result is None else self.result.content:
            if isinstance(image, ImageContent):
                shown = image_line(image, file_name(self.arguments))
                rows += wrap([Segment(f"▣ {shown}", style("muted"))], width)
        return [line_of(row, prefix) for row in rows]


def shown_duration(milliseconds: int) -> str:
    """Such as `0.3s`, `12s`, `3m 05s`."""
    seconds = milliseconds / 1000
    if seconds < 10 and milliseconds % 1000:
        return f"{seconds:.1f}s"
    if seconds < 60:
        return f"{seconds:.0f}s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes}m {rest:02d}s"
    return f"{minutes // 60}h {minutes % 60:02d}m"
