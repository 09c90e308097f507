"""What is neither prompt, answer nor tool: summaries, extensions' messages, notices, the start-up header."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, ClassVar, Literal

from rich.segment import Segment

from pi_tui.llm.messages import (
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    text_of,
)
from pi_tui.tui.transcript.ansi import one_line, plain
from pi_tui.tui.transcript.block import Block
from pi_tui.tui.transcript.images import image_line
from pi_tui.tui.transcript.line import Line, Look, line_of
from pi_tui.tui.transcript.markdown_later import markdown_text
from pi_tui.tui.transcript.wrap import Row, wrap

if TYPE_CHECKING:
    from pi_tui.tui.transcript.markdown import MarkdownText

MAX_NOTICE = 8_000
"""Characters of a notice that are shown."""


class Compacted(CompactionSummaryMessage, tag="compactionSummary"):
    """A compaction as it is shown."""

    tokens_after: int | None = None
    """An estimate."""


class SummaryBlock(Block):
    """The summary that stands for a compacted stretch or an abandoned branch; its text shows when opened."""

    kind: ClassVar[str] = "summary"
    collapsible: ClassVar[bool] = True

    def __init__(self, message: CompactionSummaryMessage | BranchSummaryMessage) -> None:
        super().__init__()
        self._summary = _readable(message.summary)
        if isinstance(message, CompactionSummaryMessage):
            self._label = "Compacted"
            self._title = f" from {message.tokens_before:,} tokens"
            if isinstance(message, Compacted) and message.tokens_after is not None:
                self._title += f" to about {message.tokens_after:,}"
        else:
            self._label = "Branch summary"
            self._title = " of what was left behind"
        self._markdown: MarkdownText | None = None

    def text(self) -> str:
        return f"{self._label}{self._title}\n{self._summary}"

    def size_hint(self) -> int:
        return len(self._summary)

    def estimate(self, look: Look) -> int:
        return super().estimate(look) if self.is_open(look) else 1 + self.margin

    def render(self, look: Look) -> list[Line]:
        style = look.palette.style
        under = style("customMessageText", "customMessageBg")
        sign = Segment("≡ "[: look.indent], style("customMessageLabel", "customMessageBg"))
        title = [Segment(self._label, style("customMessageLabel", bold=True)), Segment(self._title, under)]
        if not self.is_open(look):
            title.append(Segment(look.expand_hint, style("dim")))
        lines = [line_of(row, sign, (look.width, under)) for row in wrap(title, look.text_width)]
        if self.is_open(look):
            if self._markdown is None:
                self._markdown = markdown_text(self._summary)
                self._markdown.finish()
            text = style("customMessageText")
            lines += self._markdown.lines(look.width, look.palette, text, look.indent)
        return lines


def _readable(summary: str) -> str:
    """A stored summary with its lists as Markdown."""
    from pi_tui.session.compaction.summary_text import taken_apart

    parts = taken_apart(summary)
    shown = [parts.text]
    if parts.prompt is not None:
        shown.append(f"**The latest prompt:** {parts.prompt}")
    for title, paths in (("Read", parts.files.read), ("Changed", parts.files.modified)):
        if paths:
            shown.append(f"**{title}:** {', '.join(f'`{path}`' for path in paths)}")
    return "\n\n".join(shown)


class CustomBlock(Block):
    """A message an extension put into the conversation."""

    kind: ClassVar[str] = "custom"

    def __init__(self, message: CustomMessage) -> None:
        super().__init__()
        self._label = one_line(message.custom_type, 80)
        self._markdown = markdown_text(text_of(message.content))
        self._markdown.finish()
        content = [] if isinstance(message.content, str) else message.content
        self._images = [image_line(block) for block in content if isinstance(block, ImageContent)]

    def text(self) -> str:
        return f"{self._label}\n{self._markdown.source}"

    def size_hint(self) -> int:
        return self._markdown.size

    def render(self, look: Look) -> list[Line]:
        style = look.palette.style
        under = style("customMessageText", "customMessageBg")
        label = Segment("◆ "[: look.indent], style("customMessageLabel"))
        blank = Segment(" " * look.indent, under)
        fill = (look.width, under)
        heads = wrap([Segment(self._label, style("customMessageLabel", bold=True))], look.text_width)
        lines = [line_of(row, label if not number else blank, fill) for number, row in enumerate(heads)]
        for line in self._markdown.lines(look.width, look.palette, style("customMessageText"), look.indent):
            lines.append(line_of(Row(list(line), line.gutter, line.joint), None, fill))
        for image in self._images:
            lines += [
                line_of(row, blank, fill) for row in wrap([Segment(f"▣ {image}", under)], look.text_width)
            ]
        return lines


class NoticeBlock(Block):
    """Something the user should know that is no part of the conversation."""

    kind: ClassVar[str] = "notice"

    def __init__(self, text: str, level: Literal["info", "warning", "error"] = "info") -> None:
        super().__init__()
        self._text = plain(text[:MAX_NOTICE]).strip("\n")
        self._level = level

    def text(self) -> str:
        return self._text

    def size_hint(self) -> int:
        return len(self._text)

    def render(self, look: Look) -> list[Line]:
        sign, token = {"info": ("·", "muted"), "warning": ("!", "warning"), "error": ("✗", "error")}[
            self._level
        ]
        style = look.palette.style(token)
        first = Segment(f"{sign} "[: look.indent], style)
        rest = Segment(" " * look.indent, style)
        rows = [
            row for line in self._text.split("\n") for row in wrap([Segment(line, style)], look.text_width)
        ]
        return [line_of(row, first if not number else rest) for number, row in enumerate(rows)]


@dataclass
class HeaderSection:
    """A kind of thing that was loaded at start: its name and the things."""

    title: str
    items: Sequence[str] = field(default_factory=list)
    level: Literal["info", "warning", "error"] = "info"
    short: Sequence[str] = ()
    """The things by name, for the one line of a closed header."""


class HeaderBlock(Block):
    """What stands at the top: name and version, a hint or two, and what was loaded.

    Args:
        title: The program's name and version.
        hints: Keys and what they do.
        sections: What was loaded, and problems; problems are always shown in full.
    """

    kind: ClassVar[str] = "header"
    collapsible: ClassVar[bool] = True

    def __init__(
        self, title: str, hints: Sequence[tuple[str, str]] = (), sections: Sequence[HeaderSection] = ()
    ) -> None:
        super().__init__()
        self._title = one_line(title, 200)
        self._hints = [(one_line(key, 40), one_line(text, 80)) for key, text in hints]
        self._sections = list(sections)

    def text(self) -> str:
        lines = [self._title]
        lines += [f"{section.title}: {', '.join(map(one_line, section.items))}" for section in self._sections]
        return "\n".join(lines)

    def render(self, look: Look) -> list[Line]:
        style = look.palette.style
        name, _, version = self._title.partition(" ")
        title = [Segment(name, style("accent", bold=True)), Segment(f" {version}".rstrip(), style("dim"))]
        rows = wrap(title, look.text_width) + self._hint_rows(look)
        for section in self._sections:
            rows += self._section_rows(section, look)
        indent = Segment(" " * look.indent, style("text"))
        return [line_of(row, indent) for row in rows]

    def _hint_rows(self, look: Look) -> list[Row]:
        style = look.palette.style
        runs: list[Segment] = []
        for number, (key, text) in enumerate(self._hints):
            runs.append(Segment(("  " if number else "") + key, style("muted")))
            runs.append(Segment(f" {text}", style("dim")))
        return wrap(runs, look.text_width) if runs else []

    def _section_rows(self, section: HeaderSection, look: Look) -> list[Row]:
        style = look.palette.style
        token = {"info": "muted", "warning": "warning", "error": "error"}[section.level]
        title = Segment(one_line(section.title, 80), style(token))
        items = [one_line(item) for item in section.items]
        if section.level != "info" or self.is_open(look):
            rows = [Row([]), *wrap([title], look.text_width)]
            for item in items:
                rows += wrap(
                    [Segment(f"  {item}", style("dim" if section.level == "info" else token))],
                    look.text_width,
                )
            return rows
        short = [one_line(item) for item in section.short or section.items]
        return wrap([title, Segment(f" {', '.join(short)}", style("dim"))], look.text_width)
