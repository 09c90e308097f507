"""`pi --export`: a stored session as a file."""

import sys
from pathlib import Path
from typing import TYPE_CHECKING

from pi_tui.cli.options import Options
from pi_tui.export.errors import ExportError
from pi_tui.export.to_file import checked_target, default_target, write_export
from pi_tui.resources.paths import SETTINGS_NAME, agent_dir, resolve
from pi_tui.resources.settings import Settings, load_settings
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.locate import find_session, sessions_of
from pi_tui.session.errors import SessionError
from pi_tui.session.folder import all_folders
from pi_tui.session.log import SessionLog

if TYPE_CHECKING:
    from pi_tui.tui.theme.palette import Palette

FAILED = 1


def export_stored(options: Options, launch: Launch) -> int:
    """Writes the session that `--export` names, and prints where it is; the session may be open elsewhere.

    Returns:
        The exit code: 0 written, 1 not written.

    Raises:
        LaunchError: There is no such session, or several fit.
    """
    assert options.export is not None
    settings = load_settings(agent_dir() / SETTINGS_NAME).settings
    source = _find(options.export, launch, settings)
    try:
        log = _opened(source)
        target = resolve(options.messages[0], launch.cwd) if options.messages else None
        path = checked_target(log, target or default_target(log, launch.cwd))
        for notice in log.notices:
            print(f"pi: {source}: {notice}", file=sys.stderr)
        write_export(log, path, theme=_theme(options, launch, settings))
    except ExportError as error:
        print(f"pi: --export: {error}", file=sys.stderr)
        return FAILED
    print(path)
    return 0


def _find(reference: str, launch: Launch, settings: Settings) -> Path:
    directory = agent_dir()
    folder = sessions_of(launch, directory, settings)
    try:
        path, _ = find_session("--export", reference, launch.cwd, [folder], all_folders(directory))
    except OSError as error:
        raise LaunchError(f"--export: {error.strerror or error}") from error
    return path


def _opened(path: Path) -> SessionLog:
    try:
        if path.is_file() and path.stat().st_size == 0:
            raise ExportError(f"{path} is empty: name a session file")
        return SessionLog.open(path, read_only=True)
    except SessionError as error:
        raise ExportError(str(error).rstrip(".")) from error
    except OSError as error:
        raise ExportError(f"{path} cannot be read: {error.strerror or error}") from error


def _theme(options: Options, launch: Launch, settings: Settings) -> "Palette | None":
    """The colours that the command line or the settings name; None for those that the page has of its own."""
    wanted = options.use_theme or settings.theme
    name = wanted.partition("/")[2] or wanted
    if name == "system":
        return None
    from pi_tui.tui.theme.discover import discover_themes

    sources = [resolve(one, launch.cwd) for one in options.theme]
    if not options.no_themes:
        sources.append(agent_dir() / "themes")
    shelf = discover_themes(sources)
    if name not in shelf.palettes and options.use_theme is not None:
        raise ExportError(f"there is no theme {name!r}; there are {', '.join(sorted(shelf.palettes))}")
    return shelf.palettes.get(name)
