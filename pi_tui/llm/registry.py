"""Every model this run knows (catalog, models.json, local servers, demo), and which key reaches which."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Self

from pi_tui.llm import demo_models, values
from pi_tui.llm.catalog import load_catalog
from pi_tui.llm.choosing import choose
from pi_tui.llm.credentials import Credentials
from pi_tui.llm.model import Model, ThinkingLevel
from pi_tui.llm.models_file import ModelsFile
from pi_tui.llm.problems import Problem
from pi_tui.llm.providers import PROVIDERS

AUTH_HEADERS = frozenset({"authorization", "x-api-key", "api-key"})


class ModelRegistry:
    """Made by `load`. Finding and listing touch neither disk nor network; keys may run a command."""

    def __init__(
        self,
        models: list[Model],
        credentials: Credentials,
        file: ModelsFile,
        environ: Mapping[str, str],
        api_key: str | None,
    ) -> None:
        self.models = models
        self.credentials = credentials
        self.problems: list[Problem] = [*file.problems]
        if credentials.problem is not None:
            self.problems.append(credentials.problem)
        self._file = file
        self._environ = environ
        self._api_key = api_key
        self._api_key_provider: str | None = None
        self._found: list[Model] = []
        self.catalog_made = ""
        """The day the catalog's prices and windows are of, as YYYY-MM-DD."""

    @classmethod
    def load(cls, agent_dir: Path, environ: Mapping[str, str], *, api_key: str | None = None) -> Self:
        """Reads catalog, models.json and auth.json.

        Args:
            agent_dir: Where models.json and auth.json are, if they are.
            environ: The environment with the providers' key variables.
            api_key: A key of this run alone. It belongs to the provider of the first model that is chosen.
        """
        file = ModelsFile(agent_dir / "models.json", environ)
        credentials = Credentials(agent_dir / "auth.json", environ)
        catalog = load_catalog()
        models = [*file.applied_to(catalog.models), *demo_models.MODELS]
        registry = cls(models, credentials, file, environ, api_key)
        registry.catalog_made = catalog.made
        return registry

    def reloaded(self, agent_dir: Path) -> Self:
        """The same after reading models.json and auth.json anew; what was found on this machine stays."""
        fresh = self.load(agent_dir, self._environ, api_key=self._api_key)
        fresh._api_key_provider = self._api_key_provider
        fresh.local(self._found)
        return fresh

    def available(self) -> list[Model]:
        """The models whose key is there, or that need none."""
        known: dict[str, bool] = {}
        for model in self.models:
            if model.provider not in known:
                known[model.provider] = self.key_source(model.provider) is not None
        return [model for model in self.models if known[model.provider] or not self.needs_key(model)]

    def find(self, provider: str, model_id: str) -> Model | None:
        return next((one for one in self.models if one.provider == provider and one.id == model_id), None)

    def resolve(self, pattern: str, provider: str | None = None) -> tuple[Model, ThinkingLevel | None]:
        """The model a user means: an id, `provider/id` or part of a name, with `:level` behind it or not.

        Raises:
            UnknownModel: None, or several that nothing tells apart; it says which come near.
        """
        model, level = choose(pattern, self.models, self.available(), provider)
        self._claim_key(model)
        return model, level

    def default(self, settings_provider: str | None, settings_model: str | None) -> Model | None:
        """The model to start with: the one in the settings, else the first that has a key; None without."""
        available = self.available()
        wanted = next(
            (
                model
                for model in available
                if settings_model == model.id and settings_provider in (None, model.provider)
            ),
            None,
        )
        usual = (
            model
            for model in available
            if settings_provider in (None, model.provider) and model.api != "demo"
        )
        model = wanted or next(usual, None) or next((one for one in available if one.api != "demo"), None)
        if model is not None:
            self._claim_key(model)
        return model

    def key_for(self, model: Model) -> str | None:
        """The key from the option, auth.json, models.json or the environment, in this order.

        May run a command: to be called in a thread.
        """
        key = self._key_for(model)
        # A file or a variable easily gets a line break that no header can carry.
        return key.strip() if key else None

    def _key_for(self, model: Model) -> str | None:
        if self._api_key and self._api_key_provider in (None, model.provider):
            return self._api_key
        stored = self.credentials.key(model.provider)
        if stored:
            return stored
        written = self._file.keys.get(model.provider)
        if written and (resolved := values.resolve(written, self._environ)):
            return resolved
        return next(
            (self._environ[name] for name in self.key_variables(model.provider) if self._environ.get(name)),
            None,
        )

    def headers_for(self, model: Model) -> dict[str, str]:
        """The headers that models.json gets from commands, for `StreamOptions.headers`. Runs them: blocks."""
        commands = self._file.commands.get(model.ref, {})
        found = {name: values.run(command, self._environ) for name, command in commands.items()}
        return {name: value for name, value in found.items() if value is not None}

    def needs_key(self, model: Model) -> bool:
        """False for the demo, for servers on this machine, and where a header does the work of a key."""
        if model.api == "demo" or model.is_local:
            return False
        names = {*model.headers, *self._file.commands.get(model.ref, {})}
        return not any(name.lower() in AUTH_HEADERS for name in names)

    def provider_name(self, provider: str) -> str:
        """What a provider is called in front of people."""
        known = PROVIDERS.get(provider)
        return self._file.names.get(provider) or (known.name if known else provider)

    def key_variables(self, provider: str) -> tuple[str, ...]:
        """The environment variables that may hold this provider's key."""
        return PROVIDERS[provider].key_variables if provider in PROVIDERS else ()

    def local(self, models: Iterable[Model]) -> None:
        """Takes what servers on this machine offer now in place of what they offered before.

        Models of the same name that the user wrote down stay.
        """
        before = {model.ref for model in self._found}
        others = [model for model in self.models if model.ref not in before]
        known = {model.ref for model in others}
        found = {model.ref: model for model in models if model.ref not in known}
        self._found = list(found.values())
        self.models = others + self._file.applied_to_found(self._found)

    def key_source(self, provider: str) -> str | None:
        """Where the key of a provider comes from, in words; None where there is none. Runs no command."""
        if self._api_key and self._api_key_provider in (None, provider):
            return "--api-key"
        if self.credentials.has_key(provider):
            return "auth.json"
        written = self._file.keys.get(provider)
        if written and (values.is_command(written) or values.interpolate(written, self._environ)):
            return "models.json"
        return next((name for name in self.key_variables(provider) if self._environ.get(name)), None)

    def _claim_key(self, model: Model) -> None:
        """From now on the option's key goes to this provider and to no other."""
        if self._api_key_provider is None:
            self._api_key_provider = model.provider
