"""`SYSTEM.md` and `APPEND_SYSTEM.md`, and the options that say the same."""

from collections.abc import Sequence
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_tui.llm.problems import Problem
from pi_tui.resources.paths import resolve
from pi_tui.resources.text_file import read_text

SYSTEM_NAME = "SYSTEM.md"
APPEND_NAME = "APPEND_SYSTEM.md"
MAX_PATH_CHARACTERS = 4_096


class PromptTexts(Struct):
    instead: str | None
    """What takes the place of our own prompt."""
    addendum: str
    """What is added to it; empty for nothing."""
    problems: list[Problem]
    files: list[Path] = msgspec.field(default_factory=list)
    """Those of `SYSTEM.md` and `APPEND_SYSTEM.md` that count."""


def load_prompt_texts(
    cwd: Path,
    agent_dir: Path,
    project_dir: Path | None = None,
    *,
    system_option: str | None = None,
    append_options: Sequence[str] = (),
) -> PromptTexts:
    """The changes to the system prompt: an option wins over the project's file, that over the user's.

    Args:
        cwd: What the paths in options are relative to.
        agent_dir: The user's folder.
        project_dir: The project's `.pi` folder, once it is trusted.
        system_option: `--system-prompt`: a text, or the path of a file.
        append_options: `--append-system-prompt`, as often as it was given.
    """
    problems: list[Problem] = []
    folders = [folder for folder in (project_dir, agent_dir) if folder is not None]
    files: list[Path] = []
    instead = _first_file(folders, SYSTEM_NAME, files, problems) if system_option is None else None
    if system_option is not None:
        instead = _text_or_file(system_option, cwd, problems)
    if append_options:
        addenda = [_text_or_file(option, cwd, problems) for option in append_options]
    else:
        addenda = [_first_file(folders, APPEND_NAME, files, problems) or ""]
    addendum = "\n\n".join(text.strip() for text in addenda if text.strip())
    return PromptTexts(instead, addendum, problems, files)


def _first_file(folders: Sequence[Path], name: str, files: list[Path], problems: list[Problem]) -> str | None:
    for folder in folders:
        if (folder / name).exists():
            files.append(folder / name)
            return read_text(folder / name, problems)
    return None


def _text_or_file(value: str, cwd: Path, problems: list[Problem]) -> str:
    if not value or "\n" in value or "\0" in value or len(value) > MAX_PATH_CHARACTERS:
        return value
    path = resolve(value, cwd)
    try:
        is_file = path.is_file()
    except OSError:
        return value
    return (read_text(path, problems) or "") if is_file else value
