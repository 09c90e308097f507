"""Reading a theme file: strict about what it says, and never fatal."""

import json
import re
from pathlib import Path
from typing import Any, Final

from pi_tui.llm.problems import Problem, line_of
from pi_tui.tui.terminal.appearance import appearance_of
from pi_tui.tui.theme.colors import ColorError, resolve_color
from pi_tui.tui.theme.palette import FALLBACKS, TOKENS, Appearance, Palette
from pi_tui.tui.theme.system import SYSTEM

THEME_BYTES_LIMIT: Final = 256 * 1024

_TOP_LEVEL: Final = frozenset({"$schema", "name", "appearance", "vars", "colors", "export"})
_EXPORT: Final = frozenset({"pageBg", "cardBg", "infoBg"})
_HEX: Final = re.compile(r"#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})\Z")


def load_theme(path: Path) -> tuple[Palette | None, list[Problem]]:
    """The theme in a file, or `None` and everything that is wrong with it."""
    try:
        if path.stat().st_size > THEME_BYTES_LIMIT:
            text = f"is larger than {THEME_BYTES_LIMIT} bytes; the theme is not used"
            return None, [Problem(str(path), None, "", text)]
        text = path.read_text("utf-8-sig")
        data = json.loads(text)
    except OSError as error:
        return None, [Problem(str(path), None, "", f"cannot be read: {error.strerror}")]
    except (ValueError, RecursionError) as error:
        line = error.lineno if isinstance(error, json.JSONDecodeError) else None
        return None, [Problem(str(path), line, "", f"is not valid JSON ({error}); the theme is not used")]
    return theme_from(data, str(path), text)


def theme_from(data: object, path: str, text: str = "") -> tuple[Palette | None, list[Problem]]:
    """The theme a decoded theme file describes; `path` and `text` of the file are for the problems."""
    reader = _ThemeReader(path, text)
    palette = reader.read(data)
    return (None, reader.problems) if reader.problems else (palette, [])


class _ThemeReader:
    def __init__(self, path: str, text: str) -> None:
        self._path = path
        self._text = text
        self.problems: list[Problem] = []

    def _wrong(self, field: str, message: str) -> None:
        line = line_of(self._text, field.split(".")) if field else None
        self.problems.append(Problem(self._path, line, field, f"{message}; the theme is not used"))

    def read(self, data: object) -> Palette | None:
        if not isinstance(data, dict):
            self._wrong("", "holds no JSON object")
            return None
        for key in data.keys() - _TOP_LEVEL:
            self._wrong(str(key), "there is no such field in a theme")
        name = self._name(data.get("name"))
        variables = self._section(data, "vars", required=False)
        colors = self._colors(self._section(data, "colors", required=True), variables)
        self._export(self._section(data, "export", required=False), variables)
        appearance = data.get("appearance")
        if appearance not in (None, "dark", "light"):
            self._wrong("appearance", 'must be "dark" or "light"')
        if self.problems:
            return None
        return Palette(name, appearance or appearance_of_colors(colors), colors)

    def _name(self, name: object) -> str:
        if not isinstance(name, str) or not name:
            self._wrong("name", "is missing, or no text")
        elif "/" in name:
            self._wrong("name", 'must not contain "/"')
        elif name == SYSTEM:
            self._wrong("name", f'"{SYSTEM}" is reserved')
        return str(name)

    def _section(self, data: dict[str, Any], key: str, *, required: bool) -> dict[str, object]:
        section = data.get(key, None if required else {})
        if isinstance(section, dict):
            return section
        self._wrong(key, "is missing" if section is None else "must be an object")
        return {}

    def _colors(self, section: dict[str, object], variables: dict[str, object]) -> dict[str, str]:
        for key in section.keys() - set(TOKENS):
            self._wrong(f"colors.{key}", 'there is no such colour (your own go under "vars")')
        colors = {
            token: self._color(f"colors.{token}", section[token], variables)
            for token in TOKENS
            if token in section
        }
        if section:
            for token in TOKENS:
                if token not in section and token not in FALLBACKS:
                    self._wrong(f"colors.{token}", "is missing")
        for token, other in FALLBACKS.items():
            colors.setdefault(token, colors.get(other, ""))
        return colors

    def _export(self, section: dict[str, object], variables: dict[str, object]) -> None:
        for key, value in section.items():
            if key in _EXPORT:
                self._color(f"export.{key}", value, variables)
            else:
                self._wrong(f"export.{key}", "there is no such colour")

    def _color(self, field: str, value: object, variables: dict[str, object]) -> str:
        try:
            return resolve_color(value, variables)
        except ColorError as error:
            self._wrong(field, str(error))
            return ""


def appearance_of_colors(colors: dict[str, str]) -> Appearance:
    """The background a theme is made for, by its panels, else its text; dark when neither tells."""
    for token, of_background in (("userMessageBg", True), ("toolPendingBg", True), ("text", False)):
        if match := _HEX.match(colors[token]):
            red, green, blue = (int(part, 16) for part in match.groups())
            found = appearance_of((red, green, blue))
            return found if of_background else "light" if found == "dark" else "dark"
    return "dark"
