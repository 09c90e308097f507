"""Choosing models and thinking levels: `/model`, `/thinking`, and the keys that lead through them."""

import asyncio
from typing import TYPE_CHECKING, Any

from pi_tui.llm.choosing import UnknownModel
from pi_tui.llm.local_servers import find_local_models
from pi_tui.llm.model import THINKING_LEVELS, Model, ThinkingLevel
from pi_tui.resources.paths import SETTINGS_NAME
from pi_tui.resources.settings_file import SettingsFileError, save_setting
from pi_tui.tui.footer import compact_number
from pi_tui.tui.questions import confirm

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp
    from pi_tui.tui.picker.picker import PickerKey

TITLE = "Model · window · $ per million tokens in/out, as of {day}"
ONLY_DEMO = "Model: no key and no server on this machine, so only the demo; see /login"
LEVELS_IN_WORDS: dict[ThinkingLevel, str] = {
    "off": "answers at once",
    "minimal": "a moment",
    "low": "a little",
    "medium": "as most tasks need",
    "high": "thoroughly, for hard tasks",
    "xhigh": "at length; slow",
    "max": "as long as the model can; slow and dear",
}


async def choose_model(app: "PiApp", argument: str) -> None:
    """The model that is named, or chosen from a list of those that can be used."""
    if argument:
        try:
            model, level = app.session.services.registry.resolve(argument)
        except UnknownModel as error:
            app.conversation.note(f"/model {argument}: {error}", "error")
            return
        await use_model(app, model, level)
        return
    await _read_models(app)
    chosen = await _pick_model(app)
    if chosen is not None:
        await use_model(app, chosen)


async def _read_models(app: "PiApp") -> None:
    """What models.json, auth.json and the servers on this machine say now."""
    services = app.session.services
    known = {str(problem) for problem in services.registry.problems}
    await asyncio.to_thread(services.reload_models)
    for problem in services.registry.problems:
        if str(problem) not in known:
            app.conversation.note(str(problem), "warning")
    if not app.setup.offline:
        services.registry.local(await find_local_models())


async def _pick_model(app: "PiApp") -> Model | None:
    from pi_tui.tui.picker.list import PickerItem
    from pi_tui.tui.picker.picker import Picker

    models = {model.ref: model for model in _usable(app)}
    present = app.session.model.ref if app.session.model else None
    items = [
        PickerItem(ref, ref, _about(model), marker="✓" if ref == present else " ")
        for ref, model in models.items()
    ]

    def save(picker: "Picker[str]", ref: str | None) -> None:
        if ref is not None:
            model = models[ref]
            app.run_worker(_save_default_model(app, model))
            picker.set_title(f"Model: {ref} is the default for new sessions")

    only_demo = all(model.api == "demo" for model in models.values())
    picker = Picker(
        ONLY_DEMO if only_demo else TITLE.format(day=app.session.services.registry.catalog_made),
        items,
        palette=app.palette,
        bindings=app.setup.bindings,
        current=present,
        keys=_keys(app, "app.models.save", "save as default", save),
        empty_text="No model that can be used fits; with /login there may be more",
    )
    chosen = await app.push_screen_wait(picker)
    return models[chosen] if chosen is not None else None


def _usable(app: "PiApp") -> list[Model]:
    """The models that can be used; the demo, which everybody has, comes last."""
    return sorted(app.session.services.registry.available(), key=lambda model: model.api == "demo")


def _about(model: Model) -> str:
    """Window, prices and name; of models that cost nothing only window and name."""
    price = f"${model.cost.input:g}/${model.cost.output:g}" if model.cost.output else ""
    name = "" if model.name == model.id else model.name
    return f"{compact_number(model.context_window):>5}  {price:<11}  {name}".rstrip()


async def use_model(app: "PiApp", model: Model, level: ThinkingLevel | None = None) -> bool:
    """Goes on with a model, unless it cannot hold what there is and the user says no."""
    if not await _takes_context(app, model):
        return False
    app.session.set_model(model, level)
    registry = app.session.services.registry
    if model not in registry.available():
        variables = " or ".join(registry.key_variables(model.provider))
        hint = f" or set {variables}" if variables else ""
        app.conversation.note(
            f"There is no key for {model.provider} yet: /login stores one{hint}.", "warning"
        )
    thinking = f", thinking {app.session.thinking_level}" if model.reasoning else ""
    app.status.remark(f"model: {model.ref}{thinking}")
    return True


async def _takes_context(app: "PiApp", model: Model) -> bool:
    tokens = app.session.context_tokens()
    if tokens is None or tokens <= model.context_window:
        return True
    return await confirm(
        app,
        f"Go on with {model.ref}?",
        f"The conversation takes about {compact_number(tokens)} tokens, and this model's window is "
        f"{compact_number(model.context_window)}. It will be compacted before the next request.",
    )


async def cycle_model(app: "PiApp", step: int) -> None:
    """The next model of the scope, or the one before; past the end comes the beginning."""
    scope = app.session.services.scope()
    refs = [one.model.ref for one in scope]
    present = app.session.model.ref if app.session.model else None
    if not scope or refs == [present]:
        app.status.remark("there is no other model to switch to", "warning")
        return
    start = -1 if step > 0 else 0
    place = refs.index(present) if present in refs else start
    chosen = scope[(place + step) % len(scope)]
    await use_model(app, chosen.model, chosen.level)


async def choose_thinking(app: "PiApp", argument: str) -> None:
    """The thinking level that is named, or chosen from those the model takes."""
    levels = app.session.model.levels if app.session.model else THINKING_LEVELS
    wanted = argument.lower() or await _pick_level(app, levels)
    if wanted is None:
        return
    level = next((one for one in levels if one == wanted), None)
    if level is None:
        app.conversation.note(
            f"/thinking {wanted}: the levels of this model are {', '.join(levels)}.", "error"
        )
        return
    app.session.set_thinking_level(level)
    app.status.remark(f"thinking level: {level}")


async def _pick_level(app: "PiApp", levels: tuple[ThinkingLevel, ...]) -> str | None:
    from pi_tui.tui.picker.list import PickerItem
    from pi_tui.tui.picker.picker import Picker

    present = app.session.thinking_level
    items = [
        PickerItem(str(one), str(one), LEVELS_IN_WORDS[one], marker="✓" if one == present else " ")
        for one in levels
    ]

    def save(picker: "Picker[str]", level: str | None) -> None:
        if level is not None:
            app.run_worker(_save(app, "defaultThinkingLevel", level))
            picker.set_title(f"Thinking level: {level} is the default for new sessions")

    picker = Picker(
        "Thinking level",
        items,
        palette=app.palette,
        bindings=app.setup.bindings,
        current=str(present),
        keys=_keys(app, "app.thinking.save", "save as default", save),
    )
    return await app.push_screen_wait(picker)


def cycle_thinking(app: "PiApp") -> None:
    """The next thinking level of the model, after the last one the first."""
    model = app.session.model
    levels = model.levels if model else ()
    if len(levels) < 2:
        app.status.remark("this model has no thinking levels" if model else "no model is chosen", "warning")
        return
    present = app.session.thinking_level
    level = levels[(levels.index(present) + 1) % len(levels)] if present in levels else levels[0]
    app.session.set_thinking_level(level)
    app.status.remark(f"thinking level: {level}")


async def ask_for_missing_model(app: "PiApp") -> None:
    """Lets the user choose where the model of the session cannot be used."""
    if app.session.missing_model is None:
        return
    app.session.missing_model = None
    await choose_model(app, "")


async def choose_scope(app: "PiApp", argument: str) -> None:
    """Which models the cycling keys lead through, and in which order."""
    from pi_tui.tui.scope_screen import ScopePicker

    await _read_models(app)
    services = app.session.services

    def save(patterns: list[str]) -> None:
        app.run_worker(_save(app, "enabledModels", patterns or None))

    picker = ScopePicker(
        _usable(app),
        services.scope() if services.patterns else (),
        palette=app.palette,
        bindings=app.setup.bindings,
        save=save,
    )
    before = picker.patterns
    await app.push_screen_wait(picker)
    if picker.patterns != before:
        services.scope_patterns = picker.patterns
        count = len(picker.patterns)
        app.status.remark(f"{count} to switch between" if count else "all models to switch between")


async def _save_default_model(app: "PiApp", model: Model) -> None:
    if await _save(app, "defaultProvider", model.provider):
        await _save(app, "defaultModel", model.id)


async def _save(app: "PiApp", key: str, value: object) -> bool:
    path = app.session.services.agent_dir / SETTINGS_NAME
    try:
        await asyncio.to_thread(save_setting, path, key, value)
    except SettingsFileError as error:
        app.conversation.note(f"Not saved: {path} {error}.", "error")
    except OSError as error:
        app.conversation.note(f"Not saved: {path}: {error.strerror}.", "error")
    else:
        return True
    return False


def _keys(app: "PiApp", action: str, label: str, run: Any) -> "list[PickerKey[str]]":
    from pi_tui.tui.picker.picker import PickerKey

    return [PickerKey(key, label, run) for key in app.setup.bindings.keys(action)]
