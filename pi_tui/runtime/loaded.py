"""What a session was given, for people to read."""

from pathlib import Path

from msgspec import Struct

from pi_tui.resources.paths import shipped_dir
from pi_tui.runtime.services import Services


class LoadedSection(Struct, frozen=True):
    title: str
    items: list[str]


def loaded_sections(services: Services) -> list[LoadedSection]:
    """Settings, context files, skills and templates, each in the order in which they count.

    Of two with one name the first counts, except of settings. What is empty is left out.
    """
    resources = services.resources
    if resources is None:
        return []
    shipped = shipped_dir("skills")
    skills = [
        f"{skill.name}  {'shipped' if skill.path.is_relative_to(shipped) else short(skill.path)}"
        + ("" if skill.model_may_use else "  (only with /skill)")
        for skill in resources.skills
    ]
    sections = [
        LoadedSection("Settings", [short(path) for path in resources.settings_files]),
        LoadedSection("System prompt", [short(path) for path in resources.texts.files]),
        LoadedSection("Context", [short(Path(file.path)) for file in resources.context_files]),
        LoadedSection("Skills", skills),
        LoadedSection("Templates", [f"/{one.name}  {short(one.path)}" for one in resources.templates]),
    ]
    return [section for section in sections if section.items]


def loaded_lines(services: Services) -> list[str]:
    """The same, a line for each."""
    return [f"{section.title}: {item}" for section in loaded_sections(services) for item in section.items]


def short(path: Path) -> str:
    """A path with the home folder as `~`."""
    home = Path.home()
    return f"~/{path.relative_to(home)}" if path.is_relative_to(home) else str(path)
