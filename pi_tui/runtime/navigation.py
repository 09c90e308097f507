"""Moving to another place in the session's tree. Nothing is removed: what is left stays in the file."""

from collections.abc import Sequence
from typing import Final

from msgspec import Struct

from pi_tui.llm.messages import CustomMessage, ImageContent, UserBlock, UserMessage, text_of
from pi_tui.runtime.branch_summary import BranchSummary
from pi_tui.runtime.events import Notice, SessionReplaced
from pi_tui.runtime.session import AlreadyRunning, Session
from pi_tui.session.entries import CustomMessageEntry, MessageEntry
from pi_tui.session.log import SessionLog

TALK: Final = frozenset({"message", "custom_message", "branch_summary", "compaction"})
"""The types of entries whose loss from the context somebody would notice."""


class Destination(Struct):
    """Where a move to an entry leads."""

    leaf_id: str | None
    """The leaf from then on; None is the place before any entry."""
    text: str = ""
    """What the chosen message says, to be written anew."""
    images: Sequence[ImageContent] = ()


class SummaryChoice(Struct, frozen=True):
    """What to do about the branch that is left."""

    name: str
    description: str = ""
    wanted: bool = True
    focused: bool = False
    """Whether the user says what the summary should mind."""


NO_SUMMARY: Final = SummaryChoice("No summary", "it stays in the file, and out of the context", wanted=False)
SUMMARY_CHOICES: Final = (
    NO_SUMMARY,
    SummaryChoice("Summarize", "the model writes one, which stands where the conversation goes on"),
    SummaryChoice("Summarize with a focus", "the same, and you say what matters", focused=True),
)
"""What is offered when a branch is left, the first one by default."""


def destination(log: SessionLog, entry_id: str) -> Destination:
    """Where a move to an entry leads: before a user's or custom message, with its content; onto anything else."""
    match log.entry(entry_id):
        case MessageEntry(message=UserMessage(content=content) | CustomMessage(content=content)):
            return _before(log, entry_id, content)
        case CustomMessageEntry(content=content):
            return _before(log, entry_id, content)
    return Destination(entry_id)


def left_behind(log: SessionLog, leaf_id: str | None) -> list[str]:
    """The entries of the talk that a move to `leaf_id` takes off the active path, oldest first."""
    kept = set(log.branch(leaf_id)) if leaf_id is not None else set()
    return [
        entry_id
        for entry_id in log.branch()
        if entry_id not in kept and log.head(entry_id).type in TALK and log.role(entry_id) != "system"
    ]


def move_to(session: Session, entry_id: str, summary: BranchSummary | None = None) -> Destination:
    """Makes an entry the place where the conversation goes on, with the model and thinking level of that place.

    Args:
        session: Whose leaf moves.
        entry_id: The entry.
        summary: Of the branch that is left; it is stored at the new place.

    Raises:
        AlreadyRunning: A run is going; what it still appends would land on the new branch.
        KeyError: There is no such entry.
    """
    if session.running:
        raise AlreadyRunning("a run is going: stop it before moving to another place in the tree")
    if entry_id not in session.log:
        raise KeyError(entry_id)
    goal = destination(session.log, entry_id)
    session.log.move_to(goal.leaf_id)
    missing = _restore_choices(session)
    if summary is not None:
        summary.append(session.log)
    session.publish(SessionReplaced("tree"))
    if missing is not None:
        instead = f"{session.model.ref} answers instead" if session.model else "choose another with /model"
        session.publish(Notice("warning", f"{missing} was used here and is not available now: {instead}."))
    return goal


def label(session: Session, entry_id: str, text: str) -> None:
    """Labels an entry; an empty text takes its label away.

    Raises:
        SessionReadOnly: The session was opened to be read.
    """
    session.log.append_label(entry_id, " ".join(text.split()) or None)


def _before(log: SessionLog, entry_id: str, content: str | list[UserBlock]) -> Destination:
    images = [] if isinstance(content, str) else [one for one in content if isinstance(one, ImageContent)]
    return Destination(log.parent(entry_id), text_of(content), images)


def _restore_choices(session: Session) -> str | None:
    """Takes the model and level of the new place; returns the name of a model that cannot be had."""
    if session.log.leaf_id is None:
        return None
    wanted, level = session.log.choices()
    registry = session.services.registry
    model = registry.find(*wanted) if wanted is not None else session.model
    missing = model is None or (model != session.model and model not in registry.available())
    if model is not None and model != session.model and not missing:
        session.set_model(model)
    if session.model is not None:
        session.set_thinking_level(session.model.clamp(level))
    return "/".join(wanted) if missing and wanted is not None else None
