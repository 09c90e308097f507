"""What waits until the first screen is painted: imports, local servers, the welcome."""

import asyncio
import gc
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

    # What is there by now lives as long as the process: no collection need look at it.
    gc.freeze()
    gc.enable()
    if app.session.model is None:
        await find_a_model(app)
    await asyncio.to_thread(warm_up_markdown)
    await asyncio.to_thread(prune_outputs)
    await asyncio.to_thread(lambda: app.session.services.prompt)
    if app.session.model is not None:
        await asyncio.to_thread(preload, app.session.model.api)
    await asyncio.to_thread(_import_lists)
    if not app.setup.prompts:
        await ask_for_missing_model(app)


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
