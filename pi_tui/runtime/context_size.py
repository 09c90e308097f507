"""How full the context window is: what the provider counted last, and our own estimate of what came since."""

import asyncio
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec
from msgspec import Struct

from pi_tui.llm.estimate import TokenCounter, counter_for, estimate_message, estimate_text, estimate_tools
from pi_tui.llm.messages import AgentMessage, AssistantMessage, ToolSpec, Usage, UserMessage
from pi_tui.llm.model import Model
from pi_tui.runtime.projecting import project
from pi_tui.session.context import Projection
from pi_tui.session.entries import (
    BranchSummaryEntry,
    CompactionEntry,
    ContextEditEntry,
    CustomMessageEntry,
    Entry,
    MessageEntry,
)
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.runtime.session import Session

MAX_REMEMBERED = 50_000
"""Entries whose estimates are kept."""
MAX_AT_ONCE = 256
"""Entries after the last answer that are looked at without a thread."""
LEAST_COMPARED = 500
"""Tokens below which a comparison with the provider's count says little."""
LOWEST_RATIO, HIGHEST_RATIO = 0.25, 6.0
"""What a provider may count for a token of ours; beyond that it counts something else."""
TOKENS_AFTER = "estimatedTokensAfter"
"""Where a compaction's details have the estimated size of the context behind it."""
_COUNTED = frozenset({"message", "custom_message", "branch_summary"})


class ContextFigure(Struct, frozen=True):
    tokens: int
    estimated: bool
    """No provider has counted since the last compaction: our estimate alone."""


class Measurement(Struct, frozen=True):
    """The context at one leaf in full. `sizes` and `overhead` are scaled by what the provider counts."""

    projection: Projection
    sizes: list[int]
    overhead: int
    """Tokens of the system prompt and the tools."""
    upcoming: int
    """Tokens of what the next request will have besides."""
    figure: ContextFigure
    """The whole, without what is upcoming."""


class ContextSize:
    """Measures a session's context, and knows for each model how its provider counts.

    Args:
        session: Whose log, model, prompt and tools are measured.
    """

    def __init__(self, session: "Session") -> None:
        self._session = session
        self._log_id = session.log.id
        self._ratios: dict[str, float] = {}
        self._refused = False
        self._sized_for = ""
        self._sizes: dict[str, int] = {}
        self._last: tuple[str | None, int] = (None, 0)

    def known(self) -> ContextFigure | None:
        """The size at the present leaf without long work; None where only `measure` can tell."""
        self._forget_other_sessions()
        log = self._session.log
        at, since, steps = log.leaf_id, 0, 0
        edited: dict[str, ContextEditEntry] = {}
        while at is not None and steps < MAX_AT_ONCE:
            if at == self._last[0] and not edited:
                return ContextFigure(self._last[1] + self._scaled(since), True)
            kind = log.head(at).type
            if kind == "compaction":
                after = estimate_after(log.entry(at))
                return None if after is None else ContextFigure(after + self._scaled(since), True)
            entry = log.entry(at) if kind in _COUNTED or kind == "context_edit" else None
            steps += entry is not None
            if isinstance(entry, ContextEditEntry):
                edited.setdefault(entry.target_id, entry)
            elif at in edited:
                edit = edited.pop(at)
                since += self._sizes.get(edit.id) or _roughly(edit)
            elif isinstance(entry, MessageEntry) and is_measured(entry.message):
                counted = total_of(entry.message)
                return None if edited else ContextFigure(counted + self._scaled(since), False)
            elif entry is not None:
                since += self._sizes.get(at) or _roughly(entry)
            at = log.parent(at)
        return None

    async def measure(self, upcoming: Sequence[AgentMessage] = ()) -> Measurement:
        """The whole context at the present leaf, counted in a thread.

        Args:
            upcoming: Messages that the next request will have besides.
        """
        session = self._session
        model = session.model
        assert model is not None
        self._forget_other_sessions()
        if self._sized_for != model.ref:
            self._sized_for = model.ref
            self._sizes.clear()
            self._last = (None, 0)
        leaf_id = session.log.leaf_id
        projection = await project(session.log)
        # What was edited is another message, under the id of its edit.
        keys = [projection.edits.get(entry_id, entry_id) for entry_id in projection.entry_ids]
        given = zip(keys, projection.messages, strict=True)
        unsized = [(key, message) for key, message in given if key not in self._sizes]
        prompt, tools = session.services.prompt.text, specs_of(session)
        counted = await asyncio.to_thread(_count, model, prompt, tools, upcoming, unsized)
        sizes = self._sizes | counted.sizes
        self._sizes = sizes if len(sizes) <= MAX_REMEMBERED else counted.sizes
        own = _each_once(keys, sizes)
        answer = _newest_counted(session.log)
        place = projection.entry_ids.index(answer) if answer in projection.entry_ids else None
        if place is not None:
            self._calibrate(projection.messages[place], counted.overhead + sum(own[:place]), model)
            tokens = total_of(projection.messages[place]) + self._scaled(sum(own[place + 1 :]))
        else:
            tokens = self._scaled(counted.overhead + sum(own))
            self._last = leaf_id, tokens
        return Measurement(
            projection,
            [*map(self._scaled, own)],
            self._scaled(counted.overhead),
            self._scaled(counted.upcoming),
            ContextFigure(tokens, place is None),
        )

    def count(self, text: str) -> int:
        """Tokens of a text for the present model, judged by its length."""
        self._forget_other_sessions()
        model = self._session.model
        return self._scaled(TokenCounter(model)(text) if model is not None else estimate_text(text))

    def compacted(self, tokens: int) -> None:
        """Takes note of the estimated size of the context right after a compaction."""
        self._last = (self._session.log.leaf_id, tokens)
        self._refused = False

    def refused(self, measurement: Measurement) -> None:
        """Takes note that a provider finds this context too long: from now on our estimate says so too."""
        model = self._session.model
        estimate = sum(measurement.sizes) + measurement.overhead
        if model is not None and 0 < estimate < model.context_window:
            self._ratios[model.ref] = min(self._ratio * model.context_window / estimate, HIGHEST_RATIO)
            self._refused = True

    def _forget_other_sessions(self) -> None:
        """What was found out in one session says nothing of another's text."""
        if self._log_id != self._session.log.id:
            self._log_id = self._session.log.id
            self._ratios.clear()
            self._refused = False
            self._sizes.clear()
            self._last = (None, 0)

    @property
    def _ratio(self) -> float:
        model = self._session.model
        return self._ratios.get(model.ref, 1.0) if model is not None else 1.0

    def _scaled(self, tokens: int) -> int:
        return round(tokens * self._ratio)

    def _calibrate(self, answer: AgentMessage, estimate: int, model: Model) -> None:
        """Compares our estimate of a request with what its provider counted."""
        assert isinstance(answer, AssistantMessage)
        counted = total_of(answer) - answer.usage.output
        same = (answer.provider, answer.model) == (model.provider, model.id)
        if same and not self._refused and min(counted, estimate) >= LEAST_COMPARED:
            self._ratios[model.ref] = min(max(counted / estimate, LOWEST_RATIO), HIGHEST_RATIO)


def is_measured(message: AgentMessage) -> bool:
    """Whether a message tells what a provider counted."""
    return (
        isinstance(message, AssistantMessage)
        and message.stop_reason not in ("error", "aborted")
        and total_of(message) > 0
    )


def total_of(message: AgentMessage) -> int:
    """Tokens of a request and its answer as the provider counted them."""
    usage = message.usage if isinstance(message, AssistantMessage) else Usage()
    return usage.total_tokens or usage.input + usage.output + usage.cache_read + usage.cache_write


def specs_of(session: "Session") -> list[ToolSpec]:
    return [ToolSpec(tool.name, tool.description, tool.parameters) for tool in session.services.tools]


class _Counted(Struct):
    overhead: int
    upcoming: int
    sizes: dict[str, int]


def _count(
    model: Model,
    prompt: str,
    tools: Sequence[ToolSpec],
    upcoming: Iterable[AgentMessage],
    messages: Sequence[tuple[str, AgentMessage]],
) -> _Counted:
    """Our own estimates, unscaled. The newest messages come first: a counter is exact for so much and no more."""
    count = counter_for(model)
    sizes: dict[str, int] = {}
    overhead = count(prompt) + estimate_tools(tools, count)
    more = sum(estimate_message(message, count) for message in upcoming)
    for key, message in reversed(messages):
        sizes[key] = sizes.get(key, 0) + estimate_message(message, count)
    return _Counted(overhead, more, sizes)


def _each_once(keys: Sequence[str], sizes: dict[str, int]) -> list[int]:
    """The size of each message. A compaction gives two, of which the system message has no size."""
    return [0 if keys[place + 1 : place + 2] == [one] else sizes[one] for place, one in enumerate(keys)]


def _newest_counted(log: SessionLog) -> str | None:
    """The last answer whose count holds: nothing before it was compacted or edited since."""
    edited: set[str] = set()
    at = log.leaf_id
    while at is not None:
        kind = log.head(at).type
        if kind == "compaction":
            return None
        if kind == "context_edit":
            entry = log.entry(at)
            edited |= {entry.target_id} if isinstance(entry, ContextEditEntry) else set()
        elif at in edited:
            edited.discard(at)
        elif log.role(at) == "assistant":
            entry = log.entry(at)
            if isinstance(entry, MessageEntry) and is_measured(entry.message):
                return None if edited else at
        at = log.parent(at)
    return None


def estimate_after(entry: Entry) -> int | None:
    """The size that the context had right after a compaction, by our own estimate of that time."""
    details = entry.details if isinstance(entry, CompactionEntry) else None
    tokens = details.get(TOKENS_AFTER) if isinstance(details, dict) else None
    return tokens if isinstance(tokens, int) else None


def _roughly(entry: Entry) -> int:
    match entry:
        case MessageEntry(message=message):
            return estimate_message(message, estimate_text)
        case CustomMessageEntry(content=content):
            return estimate_message(UserMessage(content), estimate_text)
        case BranchSummaryEntry(summary=summary):
            return estimate_text(summary)
        case ContextEditEntry(replacement=replacement) if replacement is not None:
            return estimate_text(msgspec.json.encode(replacement).decode())
    return 0
