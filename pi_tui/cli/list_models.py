"""`pi --list-models`: what can be used now, as a table."""

import asyncio
import os
import sys
from collections.abc import Iterable, Sequence

from pi_tui.llm.catalog import load_catalog
from pi_tui.llm.local_servers import find_local_models
from pi_tui.llm.model import Model
from pi_tui.llm.registry import ModelRegistry
from pi_tui.resources.paths import agent_dir

HEADINGS = ("model", "context", "output", "thinking", "images", "$ in", "$ out")


def list_models(search: str, offline: bool) -> int:
    """Prints the models that can be used, with prices in US dollars per million tokens; remarks go to stderr.

    Args:
        search: Words that all occur in the name or id of a model; empty for all models.
        offline: Do not ask the servers on this machine.

    Returns:
        The exit code: 1 if nothing fits.
    """
    registry = ModelRegistry.load(agent_dir(), os.environ)
    for problem in registry.problems:
        print(f"pi: {problem}", file=sys.stderr)
    if not offline:
        registry.local(asyncio.run(find_local_models()))
    usable = registry.available()
    models = [model for model in usable if _fits(model, search)]
    if models:
        for line in _table([HEADINGS, *map(_row, models)]):
            print(line)
    else:
        print(f"pi: {_no_match(registry, search)}", file=sys.stderr)
    print(_remark(usable), file=sys.stderr)
    return 0 if models else 1


def _fits(model: Model, search: str) -> bool:
    text = f"{model.ref} {model.name}".lower()
    return all(word in text for word in search.lower().split())


def _no_match(registry: ModelRegistry, search: str) -> str:
    providers = dict.fromkeys(model.provider for model in registry.models if _fits(model, search))
    more = f"; with a key for {' or '.join(providers)} one would: /login stores it" if providers else ""
    return f"no model that can be used fits {search!r}{more}"


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


def _remark(usable: Sequence[Model]) -> str:
    if all(model.api == "demo" for model in usable):
        return "pi: a key such as ANTHROPIC_API_KEY, or a server in models.json, gives you more than the demo"
    catalog = load_catalog()
    sources = ", ".join(f"{name} {version}" for name, version in catalog.sources.items())
    return f"pi: windows and prices as of {catalog.made} ({sources})"
