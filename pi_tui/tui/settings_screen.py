"""`/settings`: a list of the common settings, each with its value and where that comes from."""

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pi_tui.resources.paths import PROJECT_DIR, SETTINGS_NAME
from pi_tui.resources.settings import USER_ONLY, misfit
from pi_tui.resources.settings_file import SettingsFileError, read_settings
from pi_tui.tui.questions import Answer, ask_text, pick
from pi_tui.tui.resource_commands import choose_theme, reload_all, save
from pi_tui.tui.settings_table import ROWS, Row, shown, stored_in, value_of

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

THEME = "theme"
KEY_CELLS = max(len(row.key) for row in ROWS) + 1
_RESET = "(not set)"
_YOURS, _PROJECTS = "yours", "project"


async def change_settings(app: "PiApp", argument: str) -> None:
    """Lets the user change one setting after another, until they close the list."""
    rows = {row.key: row for row in ROWS}
    present: str | None = argument if argument in rows else None
    while True:
        chosen = await pick(app, "Settings", await asyncio.to_thread(_answers, app), present)
        if chosen is None:
            return
        present = chosen
        if chosen == THEME:
            await choose_theme(app, "")
        else:
            await _change(app, rows[chosen])


def _answers(app: "PiApp") -> list[Answer]:
    services = app.session.services
    user = _content(app, services.agent_dir / SETTINGS_NAME)
    trusted = services.resources is not None and services.resources.trusted
    project = _content(app, services.cwd / PROJECT_DIR / SETTINGS_NAME) if trusted else {}

    def answer(key: str, value: object, description: str) -> Answer:
        source = "project" if stored_in(project, key) else "yours" if stored_in(user, key) else "default"
        return Answer(key, f"{key:<{KEY_CELLS}} {shown(value)}", f"{source}: {description}")

    theme = answer(THEME, app.setup.theme, "the colours")
    return [theme, *(answer(row.key, value_of(services.settings, row.key), row.description) for row in ROWS)]


def _content(app: "PiApp", path: Path) -> dict[str, Any]:
    try:
        return read_settings(path)[0]
    except SettingsFileError:
        # The header of the client says what is wrong with it.
        return {}


async def _change(app: "PiApp", row: Row) -> None:
    present = value_of(app.session.services.settings, row.key)
    value: object
    if row.choices:
        by_text = {shown(choice): choice for choice in row.choices}
        answers = [Answer(text, text) for text in [*by_text, _RESET]]
        text = await pick(app, f"{row.key}: {row.description}", answers, shown(present))
        if text is None:
            return
        value = by_text.get(text)
    else:
        written = "" if present is None else str(present)
        typed = await ask_text(app, f"{row.key}: {row.description} (empty: not set)", value=written)
        if typed is None or typed == written:
            return
        value = _read(row, typed.strip())
    if value is not None and (problem := misfit(row.key, value)):
        app.conversation.note(f"{row.key} was not changed: {problem}.", "error")
        return
    folder = await _folder(app, row)
    if folder is not None and await save(app, row.key, value, folder):
        await _apply(app, row, value)


async def _folder(app: "PiApp", row: Row) -> Path | None:
    """Where the user wants it stored; None if nowhere. A project that is not trusted has no say."""
    services = app.session.services
    project = services.cwd / PROJECT_DIR
    if row.key in USER_ONLY or services.resources is None or not services.resources.trusted:
        return services.agent_dir
    is_projects = stored_in(_content(app, project / SETTINGS_NAME), row.key)
    answers = [
        Answer(_YOURS, "for you, in every project", str(services.agent_dir / SETTINGS_NAME)),
        Answer(_PROJECTS, "for this project", str(project / SETTINGS_NAME)),
    ]
    chosen = await pick(app, f"{row.key}: where?", answers, _PROJECTS if is_projects else _YOURS)
    return None if chosen is None else project if chosen == _PROJECTS else services.agent_dir


def _read(row: Row, typed: str) -> object:
    if not typed:
        return None
    if row.is_number and typed.removeprefix("-").isdecimal():
        return int(typed[:20])
    return typed


async def _apply(app: "PiApp", row: Row, stored: object) -> None:
    if app.session.running:
        app.status.remark(f"{row.key} is stored; /reload applies it when this run is over")
    elif await reload_all(app, "/settings"):
        app.transcript.show_thinking = not app.session.services.settings.hide_thinking_block
        app.follower.refresh_footer()
        value = value_of(app.session.services.settings, row.key)
        if stored is not None and value != stored:
            note = f"{row.key} is stored, and stays {shown(value)} here: this project's settings say so."
            app.conversation.note(note, "warning")
        else:
            app.status.remark(f"{row.key}: {shown(value)}")
