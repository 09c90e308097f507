"""Which themes there are, and which one the settings mean."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from pi_tui.llm.problems import Problem
from pi_tui.resources.paths import shipped_dir
from pi_tui.tui.terminal.appearance import TerminalColors
from pi_tui.tui.theme.load import load_theme
from pi_tui.tui.theme.palette import Palette
from pi_tui.tui.theme.system import SYSTEM, system_palette, without_colors

THEME_FILES_LIMIT: Final = 500
"""Theme files of one folder that are looked at."""


@dataclass
class ThemeShelf:
    """The themes that could be read, by name, and what was wrong with the others."""

    palettes: dict[str, Palette] = field(default_factory=dict)
    problems: list[Problem] = field(default_factory=list)
    files: dict[str, Path] = field(default_factory=dict)
    """Where those come from that are not shipped."""
    replaced: set[str] = field(default_factory=set)
    """Names of shipped ones that one of `files` has taken the place of."""

    def choose(self, setting: str | None, terminal: TerminalColors) -> Palette:
        """The theme that the `theme` setting means on a terminal with these colours.

        A name, `light/dark` as a pair of names, or `system`. A name nobody has becomes a problem and `system`.
        Where colours are not wanted it is none of them.
        """
        if terminal.colourless:
            return without_colors(terminal)
        wanted = setting or SYSTEM
        light, pair, dark = wanted.partition("/")
        name = (light if terminal.appearance == "light" else dark) if pair else wanted
        palette = self.palettes.get(name)
        if palette is not None and name != SYSTEM:
            return palette
        if name != SYSTEM:
            known = ", ".join([SYSTEM, *sorted(self.palettes)])
            text = f'there is no theme "{name}"; there are: {known}'
            self.problems.append(Problem("settings.json", None, "theme", text))
        return system_palette(terminal, self.palettes[terminal.appearance])


def discover_themes(
    sources: Iterable[Path] = (), allows: Callable[[Path], bool] = lambda path: True
) -> ThemeShelf:
    """The shipped themes, and those of `sources`: folders and files, those that count first at the front.

    A theme of one's own may take the name of a shipped one; of two others with one name the first is used,
    and the second is a problem.

    Args:
        allows: Says of a file whether it is to be looked at.
    """
    shelf = ThemeShelf()
    for path in _theme_files(shipped_dir("themes")):
        palette, problems = load_theme(path)
        shelf.problems += problems
        if palette is not None:
            shelf.palettes[palette.name] = palette
    for path in _own_files(sources, allows, shelf.problems):
        palette, problems = load_theme(path)
        shelf.problems += problems
        if palette is None:
            continue
        if palette.name in shelf.files:
            text = f'{shelf.files[palette.name]} is named "{palette.name}" as well; this one is not used'
            shelf.problems.append(Problem(str(path), None, "name", text))
            continue
        if palette.name in shelf.palettes:
            shelf.replaced.add(palette.name)
        shelf.files[palette.name] = path
        shelf.palettes[palette.name] = palette
    return shelf


def _own_files(
    sources: Iterable[Path], allows: Callable[[Path], bool], problems: list[Problem]
) -> list[Path]:
    files: dict[Path, Path] = {}
    for source in sources:
        if source.suffix == ".json" and not source.exists():
            problems.append(Problem(str(source), None, "", "is not there: no theme is loaded from it"))
        for path in _theme_files(source):
            if allows(path.absolute()):
                files.setdefault(path.resolve(), path)
    return list(files.values())


def _theme_files(source: Path) -> list[Path]:
    try:
        return [source] if source.is_file() else sorted(source.glob("*.json"))[:THEME_FILES_LIMIT]
    except OSError:
        return []
