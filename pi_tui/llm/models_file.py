"""models.json: the user's own providers and models, and changes to the known ones.

Comments and trailing commas are allowed. What is wrong is reported with line and field, and everything else
works.
"""

from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import UNSET, Struct, UnsetType, structs

from pi_tui.llm import values
from pi_tui.llm.model import Model, ModelCost
from pi_tui.llm.problems import Problem, line_of
from pi_tui.llm.providers import PROVIDERS
from pi_tui.llm.relaxed_json import NotJson, decode
from pi_tui.llm.wires.registry import WIRES

MAX_BYTES = 4 * 1024 * 1024
WITHOUT_EFFECT = ("oauth", "inputLimits", "promptCache")
"""Fields of the format that nothing here looks at."""


class _Changes(Struct, rename="camel", kw_only=True):
    """What an override may say of a model."""

    name: str | UnsetType = UNSET
    reasoning: bool | UnsetType = UNSET
    input: tuple[Literal["text", "image"], ...] | UnsetType = UNSET
    context_window: int | float | UnsetType = UNSET
    max_tokens: int | float | UnsetType = UNSET
    cost: dict[str, Any] | UnsetType = UNSET
    headers: dict[str, str] | UnsetType = UNSET
    compat: dict[str, Any] | UnsetType = UNSET
    thinking_level_map: dict[str, str | None] | UnsetType = UNSET
    sampling_params: dict[str, Any] | UnsetType = UNSET
    sampling_params_by_thinking_level: dict[str, dict[str, Any]] | UnsetType = UNSET


class _ModelEntry(_Changes, kw_only=True):
    id: str
    api: str | UnsetType = UNSET
    base_url: str | UnsetType = UNSET


class _ProviderEntry(Struct, rename="camel", kw_only=True):
    name: str = ""
    base_url: str = ""
    api_key: str | None = None
    api: str = ""
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    compat: dict[str, Any] = msgspec.field(default_factory=dict)
    auth_header: bool = False
    models: list[Any] = msgspec.field(default_factory=list)
    model_overrides: dict[str, Any] = msgspec.field(default_factory=dict)


class ModelsFile:
    """models.json as far as it can be read; a file that is not there is an empty one."""

    def __init__(self, path: Path, environ: Mapping[str, str]) -> None:
        self.path = path
        self.problems: list[Problem] = []
        self.keys: dict[str, str] = {}
        """Provider → `apiKey`, not resolved."""
        self.names: dict[str, str] = {}
        """Provider → the name it is shown by, where the file gives one."""
        self.commands: dict[str, dict[str, str]] = {}
        """Model (`provider/id`) → the headers that a `!command` gives."""
        self._environ = environ
        self._text = ""
        self._providers: dict[str, _ProviderEntry] = {}
        content = self._read()
        if content is None:
            return
        providers = content.get("providers", {}) if isinstance(content, dict) else None
        if not isinstance(providers, dict):
            self._report([], "must be an object with `providers`, an object of providers")
            return
        for provider, given in providers.items():
            keys = ["providers", provider]
            entry = self._convert(given, _ProviderEntry, keys)
            if entry is not None:
                entry.api = self._known_api(entry.api, keys)
                entry.compat = self._switches(entry.compat, None, keys)
                self._providers[provider] = entry
                if entry.name:
                    self.names[provider] = entry.name
                if entry.api_key:
                    self.keys[provider] = entry.api_key

    def applied_to(self, known: list[Model]) -> list[Model]:
        """The known models with the changes of this file, and its own models after them."""
        models = {model.ref: model for model in known}
        for provider, entry in self._providers.items():
            for model in [one for one in models.values() if one.provider == provider]:
                models[model.ref] = self._rerouted(model, entry)
            for index, given in enumerate(entry.models):
                model_entry = self._convert(given, _ModelEntry, ["providers", provider, "models", index])
                if model_entry is not None:
                    own = self._own(provider, entry, model_entry)
                    if own is not None:
                        models[own.ref] = own
            self._override(models, provider, entry)
        return list(models.values())

    def applied_to_found(self, found: Iterable[Model]) -> list[Model]:
        """Models of servers on this machine with what the file says of them; they stay where they were found."""
        models = {model.ref: model for model in found}
        for provider, entry in self._providers.items():
            for model in [one for one in models.values() if one.provider == provider]:
                changed = self._rerouted(model, entry)
                models[model.ref] = structs.replace(changed, base_url=model.base_url, api=model.api)
            self._override(models, provider, entry)
        return list(models.values())

    def _override(self, models: dict[str, Model], provider: str, entry: _ProviderEntry) -> None:
        for model_id, given in entry.model_overrides.items():
            keys = ["providers", provider, "modelOverrides", model_id]
            ref = f"{provider}/{model_id}"
            if ref in models and (changes := self._convert(given, _Changes, keys)) is not None:
                models[ref] = self._changed(models[ref], changes, keys)

    def _rerouted(self, model: Model, entry: _ProviderEntry) -> Model:
        return structs.replace(
            model,
            api=entry.api or model.api,
            base_url=entry.base_url or model.base_url,
            headers={**model.headers, **self._headers(model.ref, entry.headers)},
            compat={**model.compat, **entry.compat},
            auth_header=entry.auth_header or model.auth_header,
        )

    def _own(self, provider: str, entry: _ProviderEntry, given: _ModelEntry) -> Model | None:
        keys = ["providers", provider, "models", given.id]
        known = PROVIDERS.get(provider)
        given_api = self._known_api(given.api or "", keys)
        api = given_api or entry.api or (known.api if known else "")
        base_url = given.base_url or entry.base_url or (known.base_url if known else "")
        if given.api and not given_api:
            return None
        if not api or not base_url:
            self._report(
                keys, f"needs {'`api`' if not api else '`baseUrl`'}, at the provider or at the model"
            )
            return None
        model = Model(
            id=given.id,
            provider=provider,
            api=api,
            name=given.id,
            base_url=base_url,
            headers=self._headers(f"{provider}/{given.id}", entry.headers),
            compat=entry.compat,
            auth_header=entry.auth_header,
        )
        return self._changed(model, given, keys)

    def _changed(self, model: Model, changes: _Changes, keys: Sequence[str | int]) -> Model:
        """Objects merge field by field, the rest replaces."""
        new: dict[str, Any] = {}
        for field in _Changes.__struct_fields__:
            value = getattr(changes, field)
            if value is UNSET:
                continue
            if field == "cost":
                value = self._cost(model.cost, value, keys)
            elif field == "headers":
                value = {**model.headers, **self._headers(model.ref, value)}
            elif field == "compat":
                value = {**model.compat, **self._switches(value, model.api, keys)}
            elif field in ("context_window", "max_tokens"):
                value = max(1, int(value))
            elif field == "sampling_params_by_thinking_level":
                before = model.sampling_params_by_thinking_level
                value = before | {level: {**before.get(level, {}), **given} for level, given in value.items()}
            elif isinstance(value, dict):
                value = {**getattr(model, field), **value}
            new[field] = value
        return structs.replace(model, **new)

    def _known_api(self, api: str, keys: Sequence[str | int]) -> str:
        if api and api not in WIRES:
            self._report([*keys, "api"], f"{api!r} is not spoken here, only {', '.join(WIRES)}; left out")
            return ""
        return api

    def _switches(self, given: dict[str, Any], api: str | None, keys: Sequence[str | int]) -> dict[str, Any]:
        if not given:
            return {}
        # Most files set none, and a start need not wait for the tables.
        from pi_tui.llm.compat_check import check

        good, wrong = check(given, api)
        for switch, reason in wrong.items():
            self._report([*keys, "compat", switch], reason)
        return good

    def _cost(self, before: ModelCost, given: dict[str, Any], keys: Sequence[str | int]) -> ModelCost:
        merged = {**msgspec.to_builtins(before), **given}
        return self._convert(merged, ModelCost, [*keys, "cost"]) or before

    def _headers(self, ref: str, given: dict[str, str]) -> dict[str, str]:
        """The headers that can be had without running something; the others are kept for later."""
        headers: dict[str, str] = {}
        for name, value in given.items():
            if values.is_command(value):
                self.commands.setdefault(ref, {})[name] = value
            elif (resolved := values.interpolate(value, self._environ)) is not None:
                headers[name] = resolved
        return headers

    def _read(self) -> Any:
        try:
            if self.path.stat().st_size > MAX_BYTES:
                self._report([], f"is larger than {MAX_BYTES} bytes")
                return None
            self._text = self.path.read_text("utf-8")
        except FileNotFoundError:
            return None
        except (OSError, UnicodeDecodeError) as error:
            self._report([], f"cannot be read: {error}")
            return None
        try:
            return decode(self._text)
        except NotJson as error:
            self.problems.append(Problem(str(self.path), error.line, "", f"is not valid JSON: {error}"))
            return None

    def _convert(self, given: Any, kind: Any, keys: Sequence[str | int]) -> Any:
        try:
            converted = msgspec.convert(given, kind)
        except msgspec.ValidationError as error:
            reason, _, where = str(error).partition(" - at `$")
            inner = [part for part in where.rstrip("`").replace("[", ".").replace("]", "").split(".") if part]
            self._report([*keys, *inner], f"{reason[:1].lower()}{reason[1:]}; this entry is left out")
            return None
        fields = kind.__struct_encode_fields__
        for name in given:
            if name in WITHOUT_EFFECT:
                self._report([*keys, name], "has no effect: nothing here looks at it")
            elif name not in fields and name[:1] not in ("_", "$"):
                near = get_close_matches(name, fields, n=1)
                self._report([*keys, name], f"is no field of this{f': is {near[0]} meant?' if near else ''}")
        return converted

    def _report(self, keys: Sequence[str | int], message: str) -> None:
        named = [key for key in keys if isinstance(key, str) and key != "..."]
        field = ".".join(str(key) for key in keys if key != "...")
        self.problems.append(Problem(str(self.path), line_of(self._text, named), field, message))
