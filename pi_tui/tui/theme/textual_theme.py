"""A palette as a Textual theme, so that style sheets can say `$pi-border`."""

import re
from functools import lru_cache
from typing import Final

from rich.color import Color
from rich.terminal_theme import DEFAULT_TERMINAL_THEME
from textual._color_constants import ANSI_COLORS
from textual.theme import Theme

from pi_tui.tui.theme.palette import TERMINAL_DEFAULT, Palette

NAME_PREFIX: Final = "pi-"
"""Keeps the names of our themes apart from those of Textual's."""

_CAPITAL: Final = re.compile(r"(?=[A-Z])")


@lru_cache(maxsize=512)
def css_variable(token: str) -> str:
    """The name of a token in style sheets, without the `$`: `toolPendingBg` is `pi-tool-pending-bg`."""
    return "pi-" + _CAPITAL.sub("-", token).lower()


def css_color(color: str) -> str:
    """A palette's colour in Textual's CSS; the 16 ANSI colours and the default stay the terminal's."""
    if color == TERMINAL_DEFAULT:
        return "ansi_default"
    if not color.startswith("color("):
        return color
    number = int(color[6:-1])
    if number < 16:
        return f"ansi_{ANSI_COLORS[number]}"
    return Color.from_ansi(number).get_truecolor(DEFAULT_TERMINAL_THEME).hex


def textual_theme(palette: Palette) -> Theme:
    """The Textual theme of a palette: every token is a variable, and the background is the terminal's own."""
    css = {token: css_color(color) for token, color in palette.colors.items()}
    variables = {css_variable(token): color for token, color in css.items()}
    variables |= {
        # Textual's own native theme lacks the two its style sheets refer to.
        "ansi-background": "ansi_default",
        "ansi-foreground": "ansi_default",
        "block-cursor-background": css["selectedBg"],
        "block-cursor-foreground": css["text"],
        "border": css["borderAccent"],
        "border-blurred": css["border"],
        "input-selection-background": css["selectedBg"],
        "input-selection-foreground": css["text"],
        "screen-selection-background": css["selectedBg"],
        "screen-selection-foreground": css["text"],
        "scrollbar": css["scrollbarThumb"],
        "scrollbar-hover": css["scrollbarThumb"],
        "scrollbar-active": css["accent"],
        "scrollbar-background": css["scrollbarTrack"],
        "scrollbar-background-hover": css["scrollbarTrack"],
        "scrollbar-background-active": css["scrollbarTrack"],
        "scrollbar-corner-color": css["scrollbarTrack"],
        "link-color": css["mdLink"],
        "text-muted": css["muted"],
        "text-disabled": css["dim"],
    }
    return Theme(
        name=NAME_PREFIX + palette.name,
        primary=css["accent"],
        secondary=css["borderAccent"],
        accent=css["accent"],
        success=css["success"],
        warning=css["warning"],
        error=css["error"],
        dark=palette.appearance == "dark",
        ansi=True,
        variables=variables,
    )
