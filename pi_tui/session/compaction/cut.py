"""Where a conversation is cut: what lies before is summarised, what lies behind is kept."""

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CustomMessage,
    ToolResultMessage,
    UserMessage,
)


def find_cut(
    messages: Sequence[AgentMessage], sizes: Sequence[int], keep: int, most: int | None = None
) -> int | None:
    """The index of the first message that is kept; None if nothing can be cut off.

    A turn that fits is kept whole; a longer one is cut at one of its responses. Where an answer by itself is more
    than may be kept, and nothing waits for what it says, nothing is kept: the index is behind the last message.

    Args:
        messages: What may be summarised or kept, oldest first.
        sizes: Tokens of each.
        keep: Tokens that are kept at least, unless that is everything.
        most: Tokens that may be kept at most, where a later cut makes that possible.
    """
    cuts = legal_cuts(messages)
    if not cuts:
        return len(messages) if most is not None and sum(sizes) > most and _finished(messages) else None
    behind = [*accumulate(reversed(sizes))][::-1]
    total = behind[0]
    cut = _cut(messages, behind, cuts, keep) or _cut(messages, behind, cuts, total // 2) or cuts[0]
    if most is not None and behind[cut] > most:
        cut = next((later for later in cuts if later > cut and behind[later] <= most), max(cut, cuts[-1]))
        if behind[cut] > most and _finished(messages):
            return len(messages)
    return cut


def legal_cuts(messages: Sequence[AgentMessage]) -> list[int]:
    """Every index at which a conversation may be cut, none of them 0.

    A tool result stays with its call, and the newest prompt that is not answered is never cut off.
    """
    apart = _inside_calls(messages)
    last = _unanswered(messages)
    return [index for index in range(1, last + 1) if _may_begin(messages[index]) and index not in apart]


def turn_of(messages: Sequence[AgentMessage], index: int) -> int | None:
    """Where the turn begins that `index` is in the middle of; None at the beginning of a turn."""
    if not isinstance(messages[index], AssistantMessage):
        return None
    return next((at for at in range(index - 1, -1, -1) if isinstance(messages[at], UserMessage)), None)


def _cut(messages: Sequence[AgentMessage], behind: Sequence[int], cuts: Sequence[int], keep: int) -> int:
    """The last legal cut with `keep` tokens behind it; 0 if there is none."""
    at = max((index for index in range(len(messages)) if behind[index] >= keep), default=0)
    place = bisect_right(cuts, at) - 1
    if place < 0:
        return 0
    cut = cuts[place]
    turn = turn_of(messages, cut)
    if turn is not None and turn in cuts and behind[turn] - _after(messages, behind, cut) <= keep:
        return turn
    return cut


def _after(messages: Sequence[AgentMessage], behind: Sequence[int], index: int) -> int:
    """Tokens behind the turn that `index` is in."""
    following = (at for at in range(index + 1, len(messages)) if isinstance(messages[at], UserMessage))
    return next((behind[at] for at in following), 0)


def _finished(messages: Sequence[AgentMessage]) -> bool:
    """Whether the last message is an answer that waits for nothing."""
    match messages[-1:]:
        case [AssistantMessage(stop_reason=reason) as answer]:
            return reason not in ("error", "aborted") and not answer.tool_calls
    return False


def _may_begin(message: AgentMessage) -> bool:
    """Whether what is kept may begin with a message: one that is sent, and answers nothing before it."""
    match message:
        case AssistantMessage(stop_reason=reason):
            return reason not in ("error", "aborted")
        case BashExecutionMessage(exclude_from_context=left_out):
            return not left_out
    return isinstance(message, UserMessage | CustomMessage | BranchSummaryMessage)


def _inside_calls(messages: Sequence[AgentMessage]) -> set[int]:
    """The places between a call and its result."""
    inside: set[int] = set()
    called: dict[str, int] = {}
    for index, message in enumerate(messages):
        if isinstance(message, AssistantMessage):
            called.update((call.id, index) for call in message.tool_calls)
        elif isinstance(message, ToolResultMessage) and message.tool_call_id in called:
            # A result far behind its call is a stray that uses the id again: it binds nothing.
            inside.update(range(called.pop(message.tool_call_id) + 1, index + 1))
    return inside


def _unanswered(messages: Sequence[AgentMessage]) -> int:
    """The newest prompt if nothing has answered it, else the last message."""
    for index in range(len(messages) - 1, -1, -1):
        match messages[index]:
            case UserMessage():
                return index
            case AssistantMessage(stop_reason=reason) if reason not in ("error", "aborted"):
                break
    return len(messages) - 1
