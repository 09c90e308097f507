"""What a summary of a branch is made from: the entries between the leaf that is left and the common ancestor."""

from collections.abc import Callable, Sequence

from msgspec import Struct

from pi_tui.llm.messages import AgentMessage, UserMessage
from pi_tui.session.compaction.files import FileLists, file_lists
from pi_tui.session.compaction.serialise import serialise
from pi_tui.session.context import EntryOf, PathItem, messages_from


class BranchSpan(Struct, frozen=True):
    parts: list[str]
    """The branch as text, oldest first, the newest that fits."""
    files: FileLists


def common_length(left: Sequence[str], right: Sequence[str]) -> int:
    """How many entries two paths from the root have in common."""
    return next(
        (place for place, (one, other) in enumerate(zip(left, right, strict=False)) if one != other),
        min(len(left), len(right)),
    )


def branch_span(
    path: Sequence[PathItem], common: int, entry_of: EntryOf, budget: int, count: Callable[[str], int]
) -> BranchSpan:
    """The part of `path` that is left behind.

    Args:
        path: Root → the leaf that is left.
        common: How much of it the new branch has too.
        entry_of: Decodes an entry.
        budget: Tokens; what is older than fits is left out, but never the question the branch begins with.
        count: Tokens of a text.
    """
    messages = [message for _, message in messages_from(path, common, entry_of)]
    question = _question(path, common, entry_of, messages)
    asked = serialise([question] if question is not None else messages[:1])
    rest = serialise(messages if question is not None else messages[1:])
    left = budget - sum(map(count, asked))
    newest: list[str] = []
    for part in reversed(rest):
        left -= count(part)
        if left < 0 and newest:
            break
        newest.append(part)
    summaries = [entry_of(entry_id) for entry_id, kind in path[common:] if kind in _SUMMARIES]
    return BranchSpan([*asked, *reversed(newest)], file_lists(messages, summaries))


_SUMMARIES = frozenset({"compaction", "branch_summary"})


def _question(
    path: Sequence[PathItem], common: int, entry_of: EntryOf, messages: Sequence[AgentMessage]
) -> AgentMessage | None:
    """The prompt that a branch answers, where the branch begins behind it."""
    if not messages or isinstance(messages[0], UserMessage):
        return None
    for place in range(common - 1, -1, -1):
        if path[place][1] == "message":
            for _, message in messages_from(path[: place + 1], place, entry_of):
                if isinstance(message, UserMessage):
                    return message
    return None
