"""What the model answered: text, thinking, and how it ended."""

from typing import ClassVar

from rich.segment import Segment

from pi_tui.llm.messages import AssistantMessage, TextContent, ThinkingContent
from pi_tui.llm.stream import (
    AssistantEvent,
    TextDelta,
    TextEnd,
    TextStart,
    ThinkingDelta,
    ThinkingEnd,
    ThinkingStart,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
)
from pi_tui.tui.transcript.ansi import one_line, plain
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.images import shown_bytes
from pi_tui.tui.transcript.line import BLANK, Line, Look, line_of
from pi_tui.tui.transcript.markdown_later import markdown_text
from pi_tui.tui.transcript.wrap import wrap

MAX_ERROR = 4_000
"""Characters of an error message that are shown."""


class _Text:
    """A text or thinking part."""

    def __init__(self, *, thinking: bool, text: str = "", redacted: bool = False) -> None:
        self.thinking = thinking
        self.redacted = redacted
        self.done = False
        self.markdown = markdown_text(text, muted=thinking)

    def finish(self, content: str | None = None) -> None:
        """Ends the part; `content` is what it is in full, where that is known."""
        if content is not None and content != self.markdown.source:
            self.markdown = markdown_text(content, muted=self.thinking)
        self.markdown.finish()
        self.done = True


class _Call:
    """A tool call whose arguments are still coming."""

    def __init__(self, name: str) -> None:
        self.name = one_line(name, 80)
        self.size = 0


class AnswerBlock(Block):
    """An answer; it grows by `apply` until `finish`, or is there whole from the start."""

    kind: ClassVar[str] = "assistant"

    def __init__(self, message: AssistantMessage | None = None) -> None:
        super().__init__()
        self._parts: dict[int, _Text] = {}
        self._calls: dict[int, _Call] = {}
        self._ending: tuple[str, str] | None = None
        if message is not None:
            self.finish(message)

    def apply(self, event: AssistantEvent) -> None:
        """Takes one step of the stream."""
        match event:
            case TextDelta():
                self._part(event.content_index, thinking=False).markdown.append(event.delta)
            case ThinkingDelta():
                self._part(event.content_index, thinking=True).markdown.append(event.delta)
            case TextStart():
                self._part(event.content_index, thinking=False)
            case ThinkingStart():
                self._part(event.content_index, thinking=True)
            case TextEnd() | ThinkingEnd():
                part = self._part(event.content_index, thinking=isinstance(event, ThinkingEnd))
                part.finish(event.content)
            case ToolCallStart():
                self._calls[event.content_index] = _Call(event.tool_name)
            case ToolCallDelta():
                if event.content_index in self._calls:
                    self._calls[event.content_index].size += len(event.delta)
            case ToolCallEnd():
                self._calls.setdefault(event.content_index, _Call(event.tool_call.name))
        self.invalidate()

    def finish(self, message: AssistantMessage) -> None:
        """Takes the whole message, as it is stored."""
        parts: dict[int, _Text] = {}
        for index, content in enumerate(message.content):
            if not isinstance(content, TextContent | ThinkingContent):
                continue
            thinking = isinstance(content, ThinkingContent)
            text = content.thinking if isinstance(content, ThinkingContent) else content.text
            part = self._parts.get(index)
            if part is None or part.thinking != thinking:
                redacted = isinstance(content, ThinkingContent) and content.redacted
                part = _Text(thinking=thinking, text=text, redacted=redacted)
            part.finish(text)
            parts[index] = part
        self._parts = parts
        self._calls = {}
        self._ending = _ending(message)
        self.invalidate()

    def forget(self) -> None:
        super().forget()
        for part in self._parts.values():
            part.markdown.forget()

    def text(self) -> str:
        parts = [part.markdown.source for part in self._parts.values()]
        if self._ending is not None:
            parts.append(self._ending[1])
        return "\n\n".join(parts)

    def size_hint(self) -> int:
        return sum(part.markdown.size for part in self._parts.values()) + 20

    def estimate(self, look: Look) -> int:
        return self.size_hint() // look.text_width + 1 + self.margin

    @property
    def empty(self) -> bool:
        """True if there is nothing to show, as with an answer of tool calls alone."""
        return (
            self._ending is None
            and not self._calls
            and not any(self._visible(part) for part in self._parts.values())
        )

    def render(self, look: Look) -> list[Line]:
        groups = [self._part_lines(part, look) for part in self._parts.values() if self._visible(part)]
        groups += [[_call_line(call, look)] for call in self._calls.values()]
        if self._ending is not None:
            groups.append(_ending_lines(*self._ending, look))
        lines: list[Line] = []
        for group in groups:
            if group:
                lines += [BLANK, *group] if lines else group
        return lines

    def _part(self, index: int, *, thinking: bool) -> _Text:
        part = self._parts.get(index)
        if part is None:
            part = self._parts[index] = _Text(thinking=thinking)
        return part

    @staticmethod
    def _visible(part: _Text) -> bool:
        return part.redacted or part.markdown.size > 0

    def _part_lines(self, part: _Text, look: Look) -> list[Line]:
        if not part.thinking:
            return part.markdown.lines(look.width, look.palette, look.palette.style("text"), look.indent)
        style = look.palette.style("thinkingText", italic=True)
        if part.redacted:
            return _note("Thinking, encrypted by the provider", look)
        if not look.show_thinking:
            shows = f" ({look.keys.thinking} shows)" if look.keys.thinking else ""
            return _note(f"Thought{shows}" if part.done else f"Thinking …{shows}", look)
        return part.markdown.lines(look.width, look.palette, style, look.indent)


def _note(text: str, look: Look) -> list[Line]:
    style = look.palette.style("thinkingText", italic=True)
    indent = Segment(" " * look.indent, style)
    return [line_of(row, indent) for row in wrap([Segment(text, style)], look.text_width)]


def _call_line(call: _Call, look: Look) -> Line:
    style = look.palette.style
    sign = Segment("○ "[: look.indent], style("muted"))
    runs = [Segment(call.name, style("toolTitle", bold=True))]
    if call.size:
        runs.append(Segment(f" … {shown_bytes(call.size)}", style("dim")))
    return line_of(wrap(runs, look.text_width)[0], sign)


def _ending(message: AssistantMessage) -> tuple[str, str] | None:
    """The colour and text of an ending that is not the usual one."""
    match message.stop_reason:
        case "aborted":
            return "warning", "Interrupted"
        case "error":
            text = plain((message.error_message or "The model gave no reason.")[:MAX_ERROR]).strip()
            return "error", f"Error: {text}"
        case "length":
            return "warning", "Cut off: the model reached its output limit."
    return None


def _ending_lines(token: str, text: str, look: Look) -> list[Line]:
    style = look.palette.style(token)
    sign = Segment(("✗ " if token == "error" else "■ ")[: look.indent], style)
    blank = Segment(" " * look.indent, style)
    rows = [row for line in text.split("\n") for row in wrap([Segment(line, style)], look.text_width)]
    return [line_of(row, sign if not number else blank) for number, row in enumerate(rows)]
