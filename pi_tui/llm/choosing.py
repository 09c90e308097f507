"""Which model a user means by a few letters."""

from collections.abc import Sequence

from pi_tui.llm.model import THINKING_LEVELS, Model, ThinkingLevel

MAX_NAMED = 5
"""How many candidates a message lists."""


class UnknownModel(Exception):
    """No model, or more than one, is meant by a pattern; the message names those that come near."""


def choose(
    pattern: str, models: Sequence[Model], available: Sequence[Model], provider: str | None = None
) -> tuple[Model, ThinkingLevel | None]:
    """The one model of `models` that `pattern` means, and the thinking level behind a colon, if any.

    Exact ids win over parts of names, and reachable models over others. Among equals the first is taken:
    lists are in order of preference.

    Raises:
        UnknownModel: None is meant, or several of different providers that cannot be reached.
    """
    if provider is not None:
        models = [model for model in models if model.provider == provider]
        if not models:
            raise UnknownModel(f"No provider is called {provider!r}; see /model or --list-models.")
    reachable = {model.ref for model in available}
    # Ids may hold colons of their own (qwen3:8b), so the whole is tried first.
    model = _meant(pattern.strip(), models, reachable)
    if model is not None:
        return model, None
    name, _, suffix = pattern.strip().rpartition(":")
    level = next((level for level in THINKING_LEVELS if level == suffix.lower()), None)
    if name and level is not None:
        model = _meant(name, models, reachable)
        if model is not None:
            return model, level
    raise UnknownModel(_no_match(name if name and level else pattern, suffix if name else "", models))


def _meant(pattern: str, models: Sequence[Model], reachable: set[str]) -> Model | None:
    wanted = pattern.lower()
    if not wanted:
        return None
    exact = [model for model in models if wanted in (model.ref.lower(), model.id.lower())]
    if exact:
        return _preferred(pattern, exact, reachable)
    head, slash, tail = wanted.partition("/")
    if slash and any(model.provider == head for model in models):
        models = [model for model in models if model.provider == head]
        wanted = tail
    words = wanted.replace("/", " ").split()
    named = [model for model in models if all(word in f"{model.id} {model.name}".lower() for word in words)]
    return _preferred(pattern, named, reachable) if named else None


def _preferred(pattern: str, candidates: Sequence[Model], reachable: set[str]) -> Model:
    for model in candidates:
        if model.ref in reachable:
            return model
    first_of = {model.provider: model for model in reversed(candidates)}
    if len(first_of) == 1:
        return candidates[0]
    listed = _listed([model.ref for model in candidates if model is first_of[model.provider]])
    raise UnknownModel(
        f"{pattern!r} is offered by several providers, and there is no key for any of them: {listed}. "
        "Name one with --provider, or store a key with /login."
    )


def _no_match(pattern: str, suffix: str, models: Sequence[Model]) -> str:
    import difflib

    message = f"No model matches {pattern!r}."
    names = {model.id.lower(): model.ref for model in models} | {
        model.ref.lower(): model.ref for model in models
    }
    near = difflib.get_close_matches(pattern.lower(), names, n=MAX_NAMED, cutoff=0.5)
    if near:
        message += f" Near: {_listed(list(dict.fromkeys(names[name] for name in near)))}."
    if suffix and difflib.get_close_matches(suffix.lower(), THINKING_LEVELS, n=1):
        message += f" Thinking levels are {', '.join(THINKING_LEVELS)}."
    return f"{message} All models: --list-models."


def _listed(names: Sequence[str]) -> str:
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
