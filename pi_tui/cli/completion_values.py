"""What may stand after an option, for the shells: fixed words, files, or what `pi --completions models` lists."""

import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Final, Literal, NamedTuple

from pi_tui.cli.arguments import SHELLS, THINKING_LEVELS

MAX_SESSIONS: Final = 50
"""Sessions that are offered, the latest first."""
MAX_DESCRIPTION: Final = 60
"""Characters."""

Source = Literal["words", "files", "folders", "models", "sessions", "themes", "providers", "tools"]


class Values(NamedTuple):
    """What one option takes."""

    source: Source
    words: tuple[str, ...] = ()
    listed: bool = False
    """Several, separated by commas."""
    or_files: bool = False


FILES: Final = Values("files")
TAKES: Final = {
    "mode": Values("words", ("text", "json", "rpc")),
    "export": Values("sessions", or_files=True),
    "completions": Values("words", SHELLS),
    "session": Values("sessions", or_files=True),
    "session_id": Values("sessions"),
    "fork": Values("sessions", or_files=True),
    "session_dir": Values("folders"),
    "provider": Values("providers"),
    "model": Values("models"),
    "models": Values("models", listed=True),
    "thinking": Values("words", THINKING_LEVELS),
    "list_models": Values("providers"),
    "tools": Values("tools", listed=True),
    "exclude_tools": Values("tools", listed=True),
    "system_prompt": FILES,
    "append_system_prompt": FILES,
    "theme": FILES,
    "use_theme": Values("themes"),
    "skill": FILES,
    "prompt_template": FILES,
}
"""By the name the parser gives the option; of all others nothing is known."""


def print_values(source: str) -> int:
    """Prints what there is to choose from, one a line, with a tab before its description."""
    for value, description in LISTED[source]():
        shown = "".join(sign if sign.isprintable() else " " for sign in description)[:MAX_DESCRIPTION]
        sys.stdout.write(f"{value}\t{shown}\n" if shown else f"{value}\n")
    return 0


def _models() -> Iterable[tuple[str, str]]:
    from pi_tui.llm.registry import ModelRegistry
    from pi_tui.resources.paths import agent_dir

    models = ModelRegistry.load(agent_dir(), os.environ).available()
    return [(model.ref, model.name if model.name != model.id else "") for model in models]


def _providers() -> Iterable[tuple[str, str]]:
    return [(name, "") for name in dict.fromkeys(value.partition("/")[0] for value, _ in _models())]


def _sessions() -> Iterable[tuple[str, str]]:
    from itertools import islice

    from pi_tui.resources.paths import SETTINGS_NAME, agent_dir
    from pi_tui.resources.settings import load_settings
    from pi_tui.runtime.launch import Launch
    from pi_tui.runtime.locate import sessions_of, title_of
    from pi_tui.session.folder import session_files
    from pi_tui.session.listing import read_info

    settings = load_settings(agent_dir() / SETTINGS_NAME).settings
    folder = sessions_of(Launch(cwd=Path.cwd()), agent_dir(), settings)
    for path in islice(session_files(folder), MAX_SESSIONS):
        if (info := read_info(path)) is not None and info.id.isprintable():
            yield info.id, title_of(info)


def _themes() -> Iterable[tuple[str, str]]:
    import msgspec

    from pi_tui.resources.paths import agent_dir, shipped_dir

    class Named(msgspec.Struct):
        name: str

    names = {"system"}
    for folder in (shipped_dir("themes"), agent_dir() / "themes"):
        for path in sorted(folder.glob("*.json")):
            try:
                names.add(msgspec.json.decode(path.read_bytes(), type=Named).name)
            except (OSError, msgspec.DecodeError, UnicodeDecodeError):
                continue
    return [(name, "") for name in sorted(names) if name.isprintable()]


def _tools() -> Iterable[tuple[str, str]]:
    from pi_tui.runtime.toolset import BUILTIN_TOOLS

    return [(name, "") for name in BUILTIN_TOOLS]


LISTED: Final[dict[str, Callable[[], Iterable[tuple[str, str]]]]] = {
    "models": _models,
    "providers": _providers,
    "sessions": _sessions,
    "themes": _themes,
    "tools": _tools,
}
