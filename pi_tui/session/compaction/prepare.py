"""What one compaction summarises, what it keeps, and what it carries on from the one before."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from pi_tui.llm.messages import (
    AgentMessage,
    CompactionSummaryMessage,
    SystemMessage,
    UserMessage,
)
from pi_tui.session.compaction.budgets import Budgets
from pi_tui.session.compaction.cut import find_cut, turn_of
from pi_tui.session.compaction.files import FileLists, file_lists
from pi_tui.session.compaction.serialise import serialise, text_of_user
from pi_tui.session.compaction.summary_text import taken_apart
from pi_tui.session.context import Projection
from pi_tui.session.entries import Entry

SUMMARY_TOKENS = 3_000
"""What a summary takes, or so; on a small window an eighth of it."""


WORTHWHILE = 1_000
"""Tokens that must be gained where what is kept fills the window by itself; on a small one a sixteenth of it."""


class Preparation(Struct, frozen=True):
    """A compaction before its summary is written. `history` and `turn` are texts, in parts."""

    history: list[str]
    turn: list[str]
    """The beginning of the turn that the cut falls into."""
    previous: str | None
    """The summary that `history` goes on from, without its lists."""
    prompt: str | None
    """The newest prompt, where it is not among what is kept."""
    files: FileLists
    first_kept_entry_id: str | None
    """None if nothing is kept."""
    kept_tokens: int
    """By the sizes that were given."""


class NothingToCompact(Exception):
    """Nothing lies before the newest messages.

    Args:
        largest: The largest message, which fills the context; None if there is no message at all.
        tokens: Its size.
    """

    def __init__(self, largest: AgentMessage | None, tokens: int) -> None:
        super().__init__("nothing to compact")
        self.largest = largest
        self.tokens = tokens


def prepare(
    projection: Projection,
    sizes: Sequence[int],
    budgets: Budgets,
    entry_of: Callable[[str], Entry],
    *,
    overhead: int = 0,
) -> Preparation:
    """Cuts what the model sees now.

    Args:
        projection: At the leaf.
        sizes: Tokens of each of its messages.
        budgets: Of the model.
        entry_of: Gives the entries of summaries, for their lists of files.
        overhead: Tokens that every request takes beside the messages: the system prompt and the tools.

    Raises:
        NothingToCompact: There is nothing before the newest message that may be cut off, or so little that the
            context would stay too large.
    """
    begin, earlier = _beginning(projection.messages)
    # System messages are not talked of: the entry of a compaction carries them on as they stand then.
    places = [
        place
        for place in range(begin, len(projection.messages))
        if not isinstance(projection.messages[place], SystemMessage)
    ]
    messages = [projection.messages[place] for place in places]
    own_sizes = [sizes[place] for place in places]
    most = budgets.threshold - overhead - min(SUMMARY_TOKENS, budgets.window // 8)
    cut = find_cut(messages, own_sizes, budgets.keep_recent, max(most, 0))
    gain = sum(own_sizes[:cut])
    worthwhile = min(WORTHWHILE, budgets.window // 16)
    if cut is None or (gain < worthwhile and sum(own_sizes[cut:]) > most):
        place = max(range(len(messages)), key=own_sizes.__getitem__, default=None)
        raise NothingToCompact(
            messages[place] if place is not None else None, own_sizes[place] if place is not None else 0
        )
    beginning = turn_of(messages, cut) if cut < len(messages) else None
    split = _split(messages, cut, beginning)
    before = taken_apart(earlier.summary) if earlier is not None else None
    kept = {projection.entry_ids[place] for place in places[cut:]}
    summaries = [
        entry_of(entry_id)
        for entry_id, message in zip(projection.entry_ids, projection.messages, strict=True)
        if _is_summary(message) and entry_id not in kept
    ]
    return Preparation(
        history=serialise(messages[:split]),
        turn=serialise(messages[split:cut]),
        previous=before.text if before is not None else None,
        prompt=_prompt(messages, cut, before.prompt if before is not None else None),
        files=file_lists(messages[:cut], summaries),
        first_kept_entry_id=projection.entry_ids[places[cut]] if cut < len(places) else None,
        kept_tokens=sum(own_sizes[cut:]),
    )


def _beginning(messages: Sequence[AgentMessage]) -> tuple[int, CompactionSummaryMessage | None]:
    """Where the messages begin that may be summarised, and the summary before them."""
    for index, message in enumerate(messages[:2]):
        if isinstance(message, CompactionSummaryMessage):
            return index + 1, message
    return 0, None


def _split(messages: Sequence[AgentMessage], cut: int, beginning: int | None) -> int:
    """Where the history ends and the turn begins that is cut; `cut` if no turn is."""
    if beginning is None:
        return cut
    # Nothing but the prompt itself would be a poor thing to summarise: it is carried along word by word.
    return beginning if cut - beginning > 1 or beginning == 0 else cut


def _prompt(messages: Sequence[AgentMessage], cut: int, carried: str | None) -> str | None:
    """The newest prompt in its own words, if it is cut off while its turn goes on."""
    if any(isinstance(message, UserMessage) for message in messages[cut:]):
        return None
    newest = next((one for one in reversed(messages[:cut]) if isinstance(one, UserMessage)), None)
    return text_of_user(newest) if newest is not None else carried


def _is_summary(message: AgentMessage) -> bool:
    return message.__struct_config__.tag in ("compactionSummary", "branchSummary")
