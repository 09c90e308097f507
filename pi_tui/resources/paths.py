"""Where things are: the agent dir, the folders of the platform, and what is shipped with the program."""

import os
from pathlib import Path

SETTINGS_NAME = "settings.json"
PROJECT_DIR = ".pi"

_PACKAGE = Path(__file__).resolve().parent


def agent_dir() -> Path:
    """The user's settings, keys, models and sessions: `PI_CODING_AGENT_DIR`, else `~/.pi/agent`."""
    named = os.environ.get("PI_CODING_AGENT_DIR")
    return Path(named).expanduser().absolute() if named else Path.home() / ".pi" / "agent"


def cache_dir() -> Path:
    """What can be made again: full tool outputs, metadata of sessions. Not created here."""
    import platformdirs

    return platformdirs.user_cache_path("pi", appauthor=False)


def state_dir() -> Path:
    """What is worth keeping but is no setting: prompt history, crash reports. Not created here."""
    import platformdirs

    return platformdirs.user_state_path("pi", appauthor=False)


def log_dir() -> Path:
    """Not created here."""
    import platformdirs

    return platformdirs.user_log_path("pi", appauthor=False)


def shipped_dir(kind: str) -> Path:
    """The folder of shipped `themes` or `skills`: in the package, or at the root of a checkout."""
    packaged = _PACKAGE / "shipped" / kind
    return packaged if packaged.is_dir() else _PACKAGE.parent.parent / kind


def resolve(path: str, base: Path) -> Path:
    """A path as a user writes it, with `~`, relative to `base`."""
    try:
        return base / Path(path).expanduser()
    except RuntimeError:
        return base / path
