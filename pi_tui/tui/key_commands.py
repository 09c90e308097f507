"""`/login` and `/logout`: the keys in auth.json."""

import asyncio
from typing import TYPE_CHECKING

from pi_tui.llm.credentials import CredentialsError
from pi_tui.llm.providers import PROVIDERS
from pi_tui.llm.registry import ModelRegistry
from pi_tui.tui.model_commands import use_model
from pi_tui.tui.questions import ask_text, confirm

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


async def log_in(app: "PiApp", argument: str) -> None:
    """Stores a key for the provider that is named, or chosen from a list."""
    registry = app.session.services.registry
    known = providers(app)
    provider = _named(argument, known) or await _pick(app, "Store a key for", known)
    if provider is None:
        return
    if provider not in known:
        app.conversation.note(
            f"/login {provider}: there is no such provider; /login alone lists them.", "error"
        )
        return
    if not await _may_replace(app, registry, provider):
        return
    title = f"Key for {registry.provider_name(provider)} (kept in auth.json, for you alone to read)"
    key = (await ask_text(app, title, secret=True) or "").strip()
    if not key:
        return
    if any(one.isspace() or not one.isprintable() for one in key):
        app.conversation.note(
            f"The key for {provider} was not stored: there are blanks in it. Copy it again.", "error"
        )
        return
    try:
        await asyncio.to_thread(registry.credentials.store, provider, key)
    except CredentialsError as error:
        app.conversation.note(f"The key was not stored: {error}", "error")
        return
    count = sum(model.provider == provider for model in registry.available())
    app.conversation.note(
        f"The key for {registry.provider_name(provider)} is stored; /model lists {_counted(count, 'model')} of theirs."
    )
    if app.session.model is None:
        model = registry.default(provider, None)
        if model is not None:
            await use_model(app, model)


async def log_out(app: "PiApp", argument: str) -> None:
    """Forgets the stored key of the provider that is named, or chosen from a list."""
    registry = app.session.services.registry
    stored = stored_providers(app)
    provider = _named(argument, stored)
    if not provider:
        if not stored:
            app.conversation.note(
                "No key is stored. Keys in environment variables or models.json stay where they are."
            )
            return
        chosen = await _pick(app, "Remove the stored key of", stored)
        if chosen is None:
            return
        provider = chosen
    if provider not in stored:
        app.conversation.note(f"There is no stored key of {provider}; /logout alone lists those that are.")
        return
    try:
        await asyncio.to_thread(registry.credentials.remove, provider)
    except CredentialsError as error:
        app.conversation.note(f"The key was not removed: {error}", "error")
        return
    source = registry.key_source(provider)
    left = f" {source} still gives one." if source else ""
    app.conversation.note(f"The stored key of {registry.provider_name(provider)} is removed.{left}")
    model = app.session.model
    if model is not None and model.provider == provider and model not in registry.available():
        app.conversation.note(f"{model.ref} cannot be used any more: choose another with /model.", "warning")


def providers(app: "PiApp") -> list[str]:
    """Those a key can be stored for: the known ones, then the user's own."""
    registry = app.session.services.registry
    own = dict.fromkeys(model.provider for model in registry.models if registry.needs_key(model))
    return list(dict.fromkeys([*PROVIDERS, *own]))


def stored_providers(app: "PiApp") -> list[str]:
    return app.session.services.registry.credentials.providers


def _named(argument: str, known: list[str]) -> str:
    """The provider that is meant, whatever the case of its letters."""
    name = argument.strip()
    return next((one for one in known if one.lower() == name.lower()), name)


async def _pick(app: "PiApp", title: str, among: list[str]) -> str | None:
    from pi_tui.tui.picker.list import PickerItem
    from pi_tui.tui.picker.picker import Picker

    registry = app.session.services.registry
    items = [
        PickerItem(
            one,
            registry.provider_name(one),
            f"key from {source}" if (source := registry.key_source(one)) else "",
            marker="✓" if source else " ",
            search=one,
        )
        for one in among
    ]
    picker = Picker(title, items, palette=app.palette, bindings=app.setup.bindings)
    return await app.push_screen_wait(picker)


async def _may_replace(app: "PiApp", registry: ModelRegistry, provider: str) -> bool:
    """An entry of another kind belongs to another program: it is not replaced unasked."""
    kind = registry.credentials.foreign_entry(provider)
    return kind is None or await confirm(
        app,
        f"Replace the entry of {provider}?",
        f"auth.json holds an entry of the type {kind}, which another program uses. A key would take its place.",
    )


def _counted(count: int, noun: str) -> str:
    return f"{count} {noun}{'' if count == 1 else 's'}"
