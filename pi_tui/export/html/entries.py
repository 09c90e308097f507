"""An entry as the page shows it: every type there is, and those that nobody knows."""

from typing import Any, Final

from pi_tui.export.html.blocks import Block, EntryView, Folded, Note, Prose
from pi_tui.export.html.code import CodePainter
from pi_tui.export.html.markdown import MarkdownWriter
from pi_tui.export.html.terminal_text import one_line, plain
from pi_tui.export.html.tools import MAX_ARGUMENTS, Arguments, ToolWriter, image_of, pretty
from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    CustomMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolResultMessage,
    UserBlock,
    UserMessage,
    text_of,
)
from pi_tui.session.compaction.summary_text import taken_apart
from pi_tui.session.context import type_of
from pi_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomEntry,
    CustomMessageEntry,
    Entry,
    LabelEntry,
    MessageEntry,
    ModelChangeEntry,
    SessionInfoEntry,
    ThinkingLevelChangeEntry,
    UnknownEntry,
    UsageEntry,
)

MAX_LABEL: Final = 200
MAX_TEXT: Final = 512 * 1024
"""Characters of a user's message that are shown."""


class EntryWriter:
    """Makes the entries of one page."""

    def __init__(self, session_bytes: int) -> None:
        self._painter = CodePainter(session_bytes)
        self._markdown = MarkdownWriter(self._painter)
        self._tools = ToolWriter(self._painter)

    def view(self, entry_id: str, label: str, entry: Entry, call: tuple[str, Arguments] | None) -> EntryView:
        """How an entry looks.

        Args:
            entry_id: The id by which it is known, which another entry cannot have.
            label: What the user named it; may be empty.
            entry: Any entry.
            call: Name and arguments of the call that a tool's result answers.
        """
        view = self._message(entry.message, call) if isinstance(entry, MessageEntry) else self._record(entry)
        view.id, view.time, view.label = entry_id, one_line(entry.timestamp, 40), one_line(label, MAX_LABEL)
        return view

    def _message(self, message: AgentMessage, call: tuple[str, Arguments] | None) -> EntryView:
        match message:
            case UserMessage():
                return EntryView("", "user", "You", "", self._content(message.content, markdown=False))
            case AssistantMessage():
                return self._assistant(message)
            case ToolResultMessage():
                return EntryView("", "tool", "Tool", "", [self._tools.result(message, call)])
            case BashExecutionMessage():
                return EntryView("", "command", "Your command", "", [self._tools.user_command(message)])
            case CustomMessage():
                return self._custom(message.custom_type, message.content, message.display)
            case CompactionSummaryMessage():
                return self._compaction(message.summary, message.tokens_before)
            case BranchSummaryMessage():
                return self._branch(message.summary)
            case SystemMessage():
                return self._system(message)

    def _assistant(self, message: AssistantMessage) -> EntryView:
        blocks: list[Block] = []
        for content in message.content:
            match content:
                case ThinkingContent():
                    blocks += self._thinking(content)
                case TextContent() if content.text.strip():
                    blocks.append(Prose(self._markdown.html(content.text)))
                case ToolCall():
                    blocks.append(self._tools.call(content))
        if message.stop_reason == "error" or message.error_message:
            blocks.append(Note(plain(message.error_message or "The request failed."), "error"))
        elif message.stop_reason in ("aborted", "length"):
            why = "Stopped by the user." if message.stop_reason == "aborted" else "Cut off: the output limit."
            blocks.append(Note(why, "error"))
        return EntryView("", "assistant", "Assistant", "", blocks, note=_answer_note(message))

    def _thinking(self, content: ThinkingContent) -> list[Block]:
        if content.redacted and not content.thinking.strip():
            return [Note("Thinking that the provider keeps to itself.")]
        if not content.thinking.strip():
            return []
        note = one_line(content.thinking.replace("*", ""), 100)
        return [Folded("thinking", "Thinking", note, self._markdown.html(content.thinking))]

    def _content(self, content: str | list[UserBlock], *, markdown: bool) -> list[Block]:
        blocks: list[Block] = []
        parts = [TextContent(content)] if isinstance(content, str) else content
        for part in parts:
            if isinstance(part, ImageContent):
                blocks.append(image_of(part))
            elif part.text.strip():
                text = plain(part.text[:MAX_TEXT]).strip("\n")
                blocks.append(
                    Prose(self._markdown.html(part.text)) if markdown else Prose(text, verbatim=True)
                )
        return blocks

    def _custom(self, custom_type: str, content: str | list[UserBlock], display: bool) -> EntryView:
        note = "" if display else "shown to the model alone"
        blocks = self._content(content, markdown=True)
        return EntryView("", "custom", one_line(custom_type, 80) or "Message", "", blocks, note=note)

    def _compaction(self, summary: str, tokens: int) -> EntryView:
        note = f"from {tokens:,} tokens"
        blocks: list[Block] = [Folded("summary", "Compacted", note, self._summary(summary))]
        return EntryView("", "summary", "Compaction", "", blocks)

    def _branch(self, summary: str) -> EntryView:
        title, note = "Branch summary", "of what was left behind"
        blocks: list[Block] = [Folded("summary", title, note, self._summary(summary))]
        return EntryView("", "summary", title, "", blocks)

    def _summary(self, summary: str) -> Any:
        parts = taken_apart(summary)
        shown = [parts.text]
        if parts.prompt is not None:
            shown.append(f"**The latest prompt:** {parts.prompt}")
        for title, paths in (("Read", parts.files.read), ("Changed", parts.files.modified)):
            if paths:
                shown.append(f"**{title}:** {', '.join(f'`{path}`' for path in paths)}")
        return self._markdown.html("\n\n".join(shown))

    def _system(self, message: SystemMessage) -> EntryView:
        sections = [text for text in (message.sections or {}).values() if text]
        text = "\n\n".join([text_of(message.content), *sections]).strip()
        names = [one_line(tool.name, 80) for tool in message.tools_added or []]
        note = f"tools: {', '.join(names)}" if names else ""
        folded = Folded("record", "System prompt", note, plain(text[:MAX_TEXT]), verbatim=True)
        return EntryView("", "record", "System", "", [folded])

    def _record(self, entry: Entry) -> EntryView:
        match entry:
            case CustomMessageEntry():
                return self._custom(entry.custom_type, entry.content, entry.display)
            case CompactionEntry():
                return self._compaction(entry.summary, entry.tokens_before)
            case BranchSummaryEntry():
                return self._branch(entry.summary)
            case ContextEditEntry():
                what = "leaves an entry out" if entry.replacement is None else "replaces an entry's content"
                return _fields(f"Context edit: {what}", entry.target_id, entry.replacement)
            case CustomEntry():
                return _fields("State of an extension", entry.custom_type, entry.data)
            case UnknownEntry():
                return _fields("Entry of an unknown type", entry.type, entry.fields)
        return _line(_change(entry))


def _change(entry: Entry) -> str:
    """What a record of a change says."""
    said = type_of(entry)
    match entry:
        case ModelChangeEntry():
            said = f"Model: {entry.provider}/{entry.model_id}"
        case ThinkingLevelChangeEntry():
            said = f"Thinking level: {entry.thinking_level}"
        case LabelEntry():
            said = f"Label: {entry.label}" if entry.label else "Label taken away"
        case SessionInfoEntry():
            said = f"Session name: {entry.name}" if entry.name else "Session name taken away"
        case UsageEntry():
            tokens = f"{entry.usage.total_tokens:,} tokens"
            said = f"Used for {entry.kind}: {tokens} of {entry.provider}/{entry.model}"
    return said


def _answer_note(message: AssistantMessage) -> str:
    parts = [one_line(message.model, 80)]
    if message.usage.output:
        parts.append(f"{message.usage.output:,} tokens")
    if message.usage.cost.total:
        parts.append(f"${message.usage.cost.total:.4f}")
    return " · ".join(part for part in parts if part)


def _line(text: str) -> EntryView:
    return EntryView("", "record", "Record", "", [Note(one_line(text, MAX_LABEL))])


def _fields(title: str, about: str, fields: Any) -> EntryView:
    text = plain(pretty(fields))[:MAX_ARGUMENTS] if fields is not None else ""
    note = one_line(about, MAX_LABEL)
    if not text:
        return _line(f"{title}: {note}")
    return EntryView("", "record", "Record", "", [Folded("record", title, note, text, verbatim=True)])
