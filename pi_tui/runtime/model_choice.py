"""Which model a session begins with: an option, what the session used, the scope, the settings."""

from msgspec import Struct

from pi_tui.llm.choosing import UnknownModel
from pi_tui.llm.local_servers import PORTS, find_local_models_now
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.registry import ModelRegistry
from pi_tui.llm.scope import ScopedModel, scope_of
from pi_tui.resources.settings import Settings
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.session.log import SessionLog

DEMO = ("demo", "tour")


class ModelChoice(Struct):
    model: Model | None
    level: ThinkingLevel
    """As it was asked for; the model may take less."""
    missing: str | None = None
    """The model the session used, where it cannot be used now: the user is to be asked."""
    problems: list[str] = []

    @property
    def remarks(self) -> list[str]:
        """What the user should know of the choice, a sentence each."""
        if self.missing is None:
            return self.problems
        instead = f"{self.model.ref} answers instead" if self.model else "choose another with /model"
        return [
            f"This session used {self.missing}, which is not available now: {instead}.",
            *self.problems,
        ]


def choose_model(launch: Launch, settings: Settings, registry: ModelRegistry, log: SessionLog) -> ModelChoice:
    """The model to begin with. An option counts before the session's own model, and that before the settings.

    Servers on this machine are asked only where a model of theirs may be meant.

    Raises:
        LaunchError: An option names no model.
    """
    stored, stored_level = log.choices()
    choice = ModelChoice(None, settings.default_thinking_level)
    asked: ThinkingLevel | None = None
    if launch.demo:
        choice.model = registry.find(*DEMO)
    elif launch.model is not None:
        choice.model, asked = _named(launch, registry)
    elif stored is not None:
        choice.model = _stored(launch, registry, *stored)
        if choice.model is None:
            choice.missing = "/".join(stored)
    if choice.model is None:
        first = _first_of_scope(launch, settings, registry, choice)
        if first is not None:
            choice.model, asked = first.model, first.level
        else:
            choice.model = registry.default(settings.default_provider, settings.default_model)
    level = launch.thinking or asked or (stored_level if log.entry_ids else None)
    if level is None and choice.model is not None:
        level = settings.model_thinking_levels.get(choice.model.ref)
    choice.level = _known(level) or settings.default_thinking_level
    return choice


def _named(launch: Launch, registry: ModelRegistry) -> tuple[Model, ThinkingLevel | None]:
    assert launch.model is not None
    try:
        return registry.resolve(launch.model, launch.provider)
    except UnknownModel as error:
        refusal = error
    if not launch.offline:
        registry.local(find_local_models_now())
        try:
            return registry.resolve(launch.model, launch.provider)
        except UnknownModel:
            pass
    raise LaunchError(f"--model {launch.model}: {refusal}") from refusal


def _stored(launch: Launch, registry: ModelRegistry, provider: str, model_id: str) -> Model | None:
    """The session's own model, if it can be used."""
    model = registry.find(provider, model_id)
    if model is None and provider in PORTS and not launch.offline:
        registry.local(find_local_models_now())
        model = registry.find(provider, model_id)
    return model if model in registry.available() else None


def _first_of_scope(
    launch: Launch, settings: Settings, registry: ModelRegistry, choice: ModelChoice
) -> ScopedModel | None:
    """The model of the settings if it is in the scope, else the first in it; None without a scope."""
    patterns = settings.enabled_models if launch.models is None else launch.models
    if not patterns:
        return None
    scope, problems = scope_of(patterns, registry.available())
    where = "enabledModels in settings.json" if launch.models is None else "--models"
    choice.problems = [f"{where}: {problem}" for problem in problems]
    if not scope and launch.models is not None:
        raise LaunchError(choice.problems[0])
    usual = (settings.default_provider, settings.default_model)
    found = next((one for one in scope if (one.model.provider, one.model.id) == usual), None)
    first = found or next(iter(scope), None)
    if first is not None:
        # An --api-key belongs to the model that is chosen first.
        registry.resolve(first.model.ref)
    return first


def _known(level: str | None) -> ThinkingLevel | None:
    from pi_tui.llm.model import THINKING_LEVELS

    return next((one for one in THINKING_LEVELS if one == level), None)
