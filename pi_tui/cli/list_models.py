"""`pi --list-models`: what can be used now, as a table."""

import os
from collections.abc import Iterable, Sequence

from pi_tui.llm.model import Model
from pi_tui.llm.registry import ModelRegistry
from pi_tui.resources.paths import agent_dir

HEADINGS = ("model", "context", "output", "thinking", "images", "$ in", "$ out")


def list_models(search: str) -> Iterable[str]:
    """The lines of the table; prices are US dollars per million tokens.

    Args:
        search: Words that all occur in the name or id of a model; empty for all models.
    """
    registry = ModelRegistry.load(agent_dir(), os.environ)
    models = [model for model in registry.available() if _fits(model, search)]
    if not models:
        yield "no model fits" if search else "no model can be used: set a key such as ANTHROPIC_API_KEY"
        return
    yield from _table([HEADINGS, *(_row(model) for model in models)])


def _fits(model: Model, search: str) -> bool:
    text = f"{model.ref} {model.name}".lower()
    return all(word in text for word in search.lower().split())


def _row(model: Model) -> tuple[str, ...]:
    levels = [level for level in model.levels if level != "off"]
    return (
        model.ref,
        _tokens(model.context_window),
        _tokens(model.max_tokens),
        f"{levels[0]}-{levels[-1]}" if levels else "no",
        "yes" if model.takes_images else "no",
        f"{model.cost.input:g}",
        f"{model.cost.output:g}",
    )


def _tokens(count: int) -> str:
    return f"{count / 1_000_000:g}M" if count >= 1_000_000 else f"{count / 1_000:.0f}k"


def _table(rows: Sequence[Sequence[str]]) -> Iterable[str]:
    widths = [max(len(row[column]) for row in rows) for column in range(len(HEADINGS))]
    for row in rows:
        yield "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
