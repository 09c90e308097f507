"""What a page says about its session: the title, where and when it was, what it used."""

from typing import Final

from msgspec import Struct

from pi_tui.export.html.snapshot import Snapshot
from pi_tui.export.html.terminal_text import one_line
from pi_tui.session.outline.kinds import Kind
from pi_tui.session.totals import UNKNOWN_MODEL, SessionTotals

MAX_TITLE: Final = 120
MAX_MODELS: Final = 8


class Facts(Struct):
    title: str
    folder: str
    begun: str
    """ISO 8601; empty if unknown."""
    prompts: int
    answers: int
    models: list[str]
    tokens: int
    cost: float
    """US dollars."""


def facts_of(shot: Snapshot) -> Facts:
    totals = SessionTotals(shot.log)
    for _ in totals.update():
        pass
    models = [one_line(model, MAX_TITLE) for model in totals.per_model if model != UNKNOWN_MODEL]
    return Facts(
        title=_title(shot),
        folder=one_line(shot.log.header.cwd, 300),
        begun=one_line(shot.log.header.timestamp, 40),
        prompts=totals.messages["user"],
        answers=totals.messages["assistant"],
        models=models[:MAX_MODELS],
        tokens=totals.usage.total_tokens,
        cost=totals.usage.cost.total,
    )


def _title(shot: Snapshot) -> str:
    """The session's name, else its first prompt."""
    if shot.name:
        return one_line(shot.name, MAX_TITLE)
    first = next((number for number, kind in enumerate(shot.kinds) if kind == Kind.USER), None)
    said = one_line(shot.text(first).text, MAX_TITLE) if first is not None else ""
    return said or "Session"
