"""A theme's colours as CSS variables, light and dark, with every text readable where it stands."""

import json
import re
from collections.abc import Mapping
from typing import Final, Protocol

from pi_tui.resources.paths import shipped_dir

MIN_CONTRAST: Final = 4.6
"""A little over the 4.5 of WCAG 2.2, 1.4.3, since colours are rounded."""

_PAGE: Final = {"light": "#fcfcfb", "dark": "#12151a"}
_TEXT: Final = {"light": "#222731", "dark": "#e2e5e9"}
_BACKGROUNDS: Final = ("userMessageBg", "customMessageBg", "toolSuccessBg", "toolErrorBg", "selectedBg")
_LINES: Final = ("border", "borderMuted", "borderAccent", "mdHr", "mdQuoteBorder")
_TEXTS: Final = (
    *("accent", "success", "error", "warning", "muted", "dim", "text", "thinkingText"),
    *(
        "customMessageLabel",
        "toolTitle",
        "toolOutput",
        "mdHeading",
        "mdLink",
        "mdCode",
        "mdQuote",
        "bashMode",
    ),
    *("toolDiffAdded", "toolDiffRemoved", "toolDiffContext"),
    *("syntaxComment", "syntaxKeyword", "syntaxFunction", "syntaxVariable", "syntaxString", "syntaxNumber"),
    *("syntaxType", "syntaxOperator"),
)
_HEX = re.compile(r"#[0-9a-f]{6}\Z")
_INDEXED = re.compile(r"color\((\d{1,3})\)\Z")
_SYSTEM_COLORS: Final = (
    *("000000", "cd0000", "00cd00", "cdcd00", "0000ee", "cd00cd", "00cdcd", "e5e5e5"),
    *("7f7f7f", "ff0000", "00ff00", "ffff00", "5c5cff", "ff00ff", "00ffff", "ffffff"),
)
"""What xterm shows for the indexes 0 to 15."""

RGB = tuple[float, float, float]


class Theme(Protocol):
    """What the page takes of a theme: colours by token, as `#rrggbb`, `color(0…255)` or `default`."""

    @property
    def appearance(self) -> str: ...

    @property
    def colors(self) -> Mapping[str, str]: ...


def style_variables(theme: Theme | None) -> dict[str, dict[str, str]]:
    """For `light` and for `dark`: CSS variable → `#rrggbb`. The theme gives one of them, a shipped one the other."""
    given = {theme.appearance: theme.colors} if theme is not None else {}
    return {
        appearance: _variables(given.get(appearance) or _shipped(appearance), appearance)
        for appearance in ("light", "dark")
    }


def _variables(colors: Mapping[str, str], appearance: str) -> dict[str, str]:
    page, ink = _PAGE[appearance], _TEXT[appearance]
    found = {"page": page, "panel": _mixed(page, ink, 0.04), "code": _mixed(page, ink, 0.055)}
    for token in _BACKGROUNDS:
        found[token] = _concrete(colors.get(token, ""), found["panel"])
    for token in _LINES:
        found[token] = _concrete(colors.get(token, ""), _mixed(page, ink, 0.25))
    behind = [found[name] for name in ("page", "panel", "code", *_BACKGROUNDS)]
    for token in _TEXTS:
        found[token] = readable(_concrete(colors.get(token, ""), ink), behind, ink)
    return {_css_name(token): color for token, color in found.items()}


def readable(color: str, backgrounds: list[str], ink: str) -> str:
    """The colour, moved towards black or white as far as it takes to be read on every background."""
    extreme = "#000000" if _luminance(_rgb(ink)) < 0.5 else "#ffffff"
    for step in range(21):
        mixed = _mixed(color, extreme, step / 20)
        if all(contrast(mixed, background) >= MIN_CONTRAST for background in backgrounds):
            return mixed
    return extreme


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, 1 to 21 (WCAG 2.2)."""
    low, high = sorted((_luminance(_rgb(one)), _luminance(_rgb(other))))
    return (high + 0.05) / (low + 0.05)


def _shipped(appearance: str) -> dict[str, str]:
    """The colours of the theme that is shipped for an appearance; none if its file is damaged."""
    try:
        data = json.loads((shipped_dir("themes") / f"{appearance}.json").read_text("utf-8"))
        variables = data.get("vars", {})
        return {token: variables.get(color, color) for token, color in data["colors"].items()}
    except (OSError, ValueError, KeyError, AttributeError, TypeError):
        return {}


def _concrete(color: object, default: str) -> str:
    """A colour as `#rrggbb`; the terminal's own, or one nobody can read, is the default."""
    text = color.lower() if isinstance(color, str) else ""
    if _HEX.match(text):
        return text
    indexed = _INDEXED.match(text)
    index = int(indexed[1]) if indexed else 256
    if index < 16:
        return f"#{_SYSTEM_COLORS[index]}"
    if index < 232:
        steps = ((index - 16) // 36, (index - 16) // 6 % 6, (index - 16) % 6)
        return "#" + "".join(f"{55 + 40 * step if step else 0:02x}" for step in steps)
    return "#" + f"{8 + 10 * (index - 232):02x}" * 3 if index < 256 else default


def _css_name(token: str) -> str:
    return "--" + re.sub(r"[A-Z]", lambda match: "-" + match[0].lower(), token)


def _rgb(color: str) -> RGB:
    return (int(color[1:3], 16) / 255, int(color[3:5], 16) / 255, int(color[5:7], 16) / 255)


def _mixed(color: str, other: str, share: float) -> str:
    pairs = zip(_rgb(color), _rgb(other), strict=True)
    return "#" + "".join(f"{round(255 * (a + (b - a) * share)):02x}" for a, b in pairs)


def _luminance(color: RGB) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in color
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue
