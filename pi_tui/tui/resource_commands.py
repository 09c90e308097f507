"""The commands about what the user and the project bring: `/reload`, `/trust`, `/theme`."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from pi_tui.resources.paths import SETTINGS_NAME
from pi_tui.resources.settings_file import SettingsFileError, save_setting
from pi_tui.resources.trust import TrustFileError, load_decisions, protected_resources, save_decision
from pi_tui.runtime.session import AlreadyRunning
from pi_tui.tui.questions import Answer, pick
from pi_tui.tui.session_commands import refuse
from pi_tui.tui.theme.system import SYSTEM

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp


async def reload(app: "PiApp", argument: str) -> None:
    if await reload_all(app, "/reload"):
        app.follower.show_loaded()


async def reload_all(app: "PiApp", command: str) -> bool:
    """Reads everything anew and uses it; False, with a note, while a run is going."""
    from pi_tui.tui.keys.bindings import load_key_bindings

    try:
        await app.session.reload()
    except AlreadyRunning as error:
        refuse(app, command, error)
        return False
    services = app.session.services
    bindings, problems = await asyncio.to_thread(load_key_bindings, services.agent_dir)
    services.problems += [str(problem) for problem in problems]
    app.setup.bindings.take_over(bindings)
    app.name_keys()
    app.use_settings()
    await app.themes.reload()
    return True


async def decide_trust(app: "PiApp", argument: str) -> None:
    services = app.session.services
    cwd = services.cwd
    found = await asyncio.to_thread(protected_resources, cwd, services.agent_dir)
    decision = load_decisions(services.agent_dir).closest(cwd)
    answers = [
        Answer("trust", f"trust {cwd}"),
        Answer("parent", f"trust {cwd.parent} and everything in it"),
        Answer("refuse", f"do not trust {cwd}"),
    ]
    if decision is not None:
        folder, trusted = decision
        said = "trusted" if trusted else "not trusted"
        answers.append(Answer("forget", f"forget what was decided: {folder} is {said}"))
    brought = ", ".join(found) or "nothing yet that needs trust"
    chosen = await pick(app, f"Trust this project? It brings {brought}", answers)
    if chosen is None:
        return
    folder = cwd.parent if chosen == "parent" else decision[0] if chosen == "forget" and decision else cwd
    value = None if chosen == "forget" else chosen != "refuse"
    try:
        await asyncio.to_thread(save_decision, services.agent_dir, folder, value)
    except (TrustFileError, OSError) as error:
        app.conversation.note(f"/trust: the decision was not stored: {error}.", "error")
        return
    if services.trust is not None:
        services.trust.forget_this_run()
    if app.session.running:
        app.conversation.note("The decision is stored. /reload applies it when this run is over.")
    elif await reload_all(app, "/trust"):
        app.follower.show_loaded()


async def choose_theme(app: "PiApp", argument: str) -> None:
    from pi_tui.tui.picker.list import PickerItem
    from pi_tui.tui.picker.picker import Picker

    await app.themes.reload()
    before = app.setup.theme
    names = [SYSTEM, *sorted(app.setup.shelf.palettes)]
    chosen: str | None = argument
    if not argument:
        items = [
            PickerItem(name, name, _described(app, name), marker="✓" if name == before else " ")
            for name in names
        ]
        picker = Picker(
            "Theme",
            items,
            palette=app.palette,
            bindings=app.setup.bindings,
            current=before,
            on_move=lambda name: app.themes.show(name or before),
        )
        chosen = await app.push_screen_wait(picker)
        if chosen is None:
            app.themes.show(before)
            return
    elif any(part not in names for part in argument.split("/")):
        app.conversation.note(f"/theme {argument}: there is no such theme; /theme lists them.", "error")
        return
    assert chosen is not None
    app.themes.show(chosen)
    app.setup.theme_option = None
    services = app.session.services
    services.settings = replace(services.settings, theme=chosen)
    await save(app, "theme", chosen)


async def save(app: "PiApp", key: str, value: object, folder: Path | None = None) -> bool:
    """Stores a setting in the settings file of a folder, the user's where None; whether that worked."""
    path = (folder or app.session.services.agent_dir) / SETTINGS_NAME
    try:
        await asyncio.to_thread(save_setting, path, key, value)
    except (SettingsFileError, OSError) as error:
        reason = (error.strerror or str(error)) if isinstance(error, OSError) else str(error)
        app.conversation.note(f"{key} was not stored: {path} {reason}.", "error")
        return False
    return True


def theme_names(app: "PiApp") -> list[str]:
    return [SYSTEM, *sorted(app.setup.shelf.palettes)]


def _described(app: "PiApp", name: str) -> str:
    if name == SYSTEM:
        return "the terminal's own colours"
    return f"for {app.setup.shelf.palettes[name].appearance} terminals"
