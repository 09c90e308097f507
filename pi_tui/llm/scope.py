"""The models one key press leads through: the patterns of `--models` and `enabledModels`."""

from collections.abc import Sequence
from fnmatch import fnmatchcase

from msgspec import Struct

from pi_tui.llm.choosing import UnknownModel, choose
from pi_tui.llm.model import THINKING_LEVELS, Model, ThinkingLevel

GLOB_SIGNS = "*?["


class ScopedModel(Struct, frozen=True):
    model: Model
    level: ThinkingLevel | None = None
    """The thinking level its pattern asks for."""


def scope_of(patterns: Sequence[str], models: Sequence[Model]) -> tuple[list[ScopedModel], list[str]]:
    """The models that some patterns mean, in the order of the patterns, and what is wrong with the others.

    Args:
        patterns: Ids, `provider/id`, parts of names or globs, each with `:level` behind it or not.
        models: Those that can be used.
    """
    scope: dict[str, ScopedModel] = {}
    problems: list[str] = []
    for pattern in patterns:
        try:
            found = _meant(pattern.strip(), models)
        except UnknownModel as error:
            problems.append(str(error))
            continue
        for one in found:
            scope.setdefault(one.model.ref, one)
    return list(scope.values()), problems


def _meant(pattern: str, models: Sequence[Model]) -> list[ScopedModel]:
    if any(sign in pattern for sign in GLOB_SIGNS):
        return _matching(pattern, models)
    same = [model for model in models if model.id.lower() == pattern.lower()]
    if same:
        return [ScopedModel(model) for model in same]
    model, level = choose(pattern, models, models)
    return [ScopedModel(one, level) for one in models if one.id == model.id and _means(pattern, one, model)]


def _means(pattern: str, one: Model, chosen: Model) -> bool:
    """Of several providers that offer a model, all are meant, unless the pattern names one."""
    return one is chosen or "/" not in pattern


def _matching(pattern: str, models: Sequence[Model]) -> list[ScopedModel]:
    head, _, tail = pattern.rpartition(":")
    level = next((level for level in THINKING_LEVELS if level == tail.lower()), None)
    glob = (head if level is not None else pattern).lower()
    found = [
        ScopedModel(model, level)
        for model in models
        if fnmatchcase(model.ref.lower(), glob) or fnmatchcase(model.id.lower(), glob)
    ]
    if not found:
        raise UnknownModel(f"No model that can be used matches {pattern!r}.")
    return found
