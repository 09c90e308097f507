"""`/context`: what fills the context window."""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from heapq import nlargest
from typing import TYPE_CHECKING, Final

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    SystemMessage,
    ToolResultMessage,
    UserMessage,
    text_of,
)
from pi_tui.runtime.context_size import Measurement
from pi_tui.tui.transcript.ansi import one_line

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

LARGEST: Final = 5
"""Messages that are named one by one."""
SHOWN: Final = 60
"""Characters of a message that is named."""
BAR_CELLS: Final = 20

_KINDS: Final[dict[type, str]] = {
    UserMessage: "your messages",
    AssistantMessage: "answers",
    ToolResultMessage: "tool results",
    BashExecutionMessage: "your commands",
    CompactionSummaryMessage: "summaries",
    BranchSummaryMessage: "summaries",
}
_OTHER: Final = "other messages"


async def report_context(app: "PiApp") -> None:
    """Measures the context and says what it is made of."""
    session = app.session
    if session.model is None:
        app.conversation.note("/context: no model is chosen, so there is no window to fill.", "warning")
        return
    window = session.model.context_window
    app.conversation.report(context_report(await session.context_size.measure(), window))


def context_report(measured: Measurement, window: int) -> str:
    """The report as Markdown; `window` in tokens."""
    messages, sizes = measured.projection.messages, measured.sizes
    total = measured.figure.tokens
    rows = [("system prompt and tools", measured.overhead), *_by_kind(messages, sizes)]
    lines = [
        "### Context",
        "",
        f"{'About ' if measured.figure.estimated else ''}**{total:,}** of {window:,} tokens, {_share(total, window)}",
        "",
        "| what | tokens | of the window | |",
        "|---|--:|--:|---|",
        *(f"| {name} | {size:,} | {_share(size, window)} | {_bar(size, window)} |" for name, size in rows),
        f"| free | {max(0, window - total):,} | {_share(max(0, window - total), window)} | |",
    ]
    largest = nlargest(LARGEST, zip(sizes, range(len(messages)), strict=True))
    if largest:
        lines += ["", "The largest:", ""]
        lines += [f"- {size:,} tokens: {_named(messages[place])}" for size, place in largest]
    return "\n".join(lines)


def _by_kind(messages: Sequence[AgentMessage], sizes: Iterable[int]) -> list[tuple[str, int]]:
    tokens: defaultdict[str, int] = defaultdict(int)
    counts: defaultdict[str, int] = defaultdict(int)
    for message, size in zip(messages, sizes, strict=True):
        if isinstance(message, SystemMessage):
            continue
        kind = _KINDS.get(type(message), _OTHER)
        tokens[kind] += size
        counts[kind] += 1
    order = [*dict.fromkeys(_KINDS.values()), _OTHER]
    return [(f"{kind} ({counts[kind]})", tokens[kind]) for kind in order if kind in counts]


def _named(message: AgentMessage) -> str:
    match message:
        case ToolResultMessage():
            text = f"result of {message.tool_name}: {text_of(message.content)}"
        case AssistantMessage():
            called = ", ".join(call.name for call in message.tool_calls)
            text = f"answer: {message.text or f'calls {called}' if called or message.text else 'thinking'}"
        case UserMessage():
            text = f"yours: {text_of(message.content) or 'an image'}"
        case BashExecutionMessage():
            text = f"your command: {message.command}"
        case CompactionSummaryMessage() | BranchSummaryMessage():
            text = f"summary: {message.summary}"
        case _:
            text = "another message"
    return _literal(one_line(text, SHOWN))


def _literal(text: str) -> str:
    """Text in which nothing is Markdown."""
    return "`" + text.replace("`", "'") + "`"


def _share(size: int, window: int) -> str:
    return f"{100 * size / window:.1f}%" if window else "?"


def _bar(size: int, window: int) -> str:
    return "█" * round(BAR_CELLS * min(1.0, size / window)) if window else ""
