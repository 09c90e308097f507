"""What waits until the first screen is painted: imports, local servers, the welcome."""

import asyncio
import gc
from collections.abc import Callable
from typing import TYPE_CHECKING

from pi_tui.llm.providers import PROVIDERS
from pi_tui.llm.wires.registry import preload
from pi_tui.resources.paths import cache_dir
from pi_tui.tui.model_commands import ask_for_missing_model

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

SHOWN_VARIABLES = ("anthropic", "openai", "google", "openrouter")
"""Providers whose variable the welcome names."""


async def warm_up(app: "PiApp") -> None:
    """Imports what the first answer will need, while the user reads and types."""
    from pi_tui.tui.transcript.markdown import warm_up as warm_up_markdown

    if app.session.model is None:
        await find_a_model(app)
    elif app.session.model.api == "demo" and not app.session.log.entry_ids and not app.setup.prompts:
        send = app.setup.bindings.readable("tui.input.submit")
        app.status.remark(
            f"this is the demo: type tour and press {send}, and it shows what pi does", "accent"
        )
    await for_good(warm_up_markdown)
    await for_good(lambda: _import_run(app))
    if app.session.model is not None:
        await load_sdk(app.session.model.api)
    await for_good(_import_lists)
    await asyncio.to_thread(prune_outputs)
    if not app.setup.prompts:
        await ask_for_missing_model(app)


async def for_good(work: Callable[[], object]) -> None:
    """Does in a thread what makes things that live as long as the process: imports.

    No collection looks at what is there by then: with an SDK loaded each would hold up every thread for a tenth of
    a second.
    """
    gc.disable()
    try:
        await asyncio.to_thread(work)
    finally:
        gc.freeze()
        gc.enable()


async def load_sdk(api: str) -> None:
    """Imports what a wire format needs, before the first prompt does."""
    await for_good(lambda: preload(api))


def _import_run(app: "PiApp") -> None:
    """The loop, the tools and the prompt, which the first prompt needs."""
    import pi_tui.runtime.driver  # noqa: F401

    _ = app.session.services.prompt


def _import_lists() -> None:
    """What `/resume` shows; the first page is to come at once."""
    import pi_tui.tui.resume.deeds
    import pi_tui.tui.resume.screen  # noqa: F401


def prune_outputs() -> None:
    """Removes full outputs of commands that are past their age."""
    from pi_tui.agent.tools.output_files import prune
    from pi_tui.agent.tools.workspace import OUTPUT_FOLDER

    prune(cache_dir() / OUTPUT_FOLDER)


async def find_a_model(app: "PiApp") -> None:
    """Looks for a server on this machine; without one, the welcome says what can be done."""
    from pi_tui.runtime.local_models import use_local_model
    from pi_tui.tui.reports import welcome_report

    if not app.setup.offline:
        await use_local_model(app.session)
        model = app.session.model
        if model is not None:
            app.status.remark(f"{model.ref} was found on this machine")
            return
    variables = [(PROVIDERS[one].name, PROVIDERS[one].key_variables[0]) for one in SHOWN_VARIABLES]
    app.conversation.report(welcome_report(variables))
