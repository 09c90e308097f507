"""What a front end asks for when it opens a session."""

from pathlib import Path

import msgspec
from msgspec import Struct


class Launch(Struct, kw_only=True):
    """The options that decide which session opens, with which model, tools and prompt.

    Fields are None (or empty) where the user said nothing: then settings and the session itself decide.
    """

    cwd: Path
    continue_last: bool = False
    session: str | None = None
    """A path or the beginning of an id."""
    session_id: str | None = None
    session_dir: Path | None = None
    in_memory: bool = False
    name: str | None = None
    provider: str | None = None
    model: str | None = None
    api_key: str | None = None
    thinking: str | None = None
    tools: list[str] | None = None
    """Names replace the default set; `+name` and `-name` change it; an empty list means no tools."""
    exclude_tools: list[str] = msgspec.field(default_factory=list)
    context_files: bool = True
    system_prompt: str | None = None
    append_system_prompt: list[str] = msgspec.field(default_factory=list)
    demo: bool = False
    offline: bool = False


class LaunchError(Exception):
    """A session that cannot be opened as asked: says why and what to do. Exit code 2."""
