"""A theme's colours on a page."""

from itertools import product

import pytest

from pi_tui.export.html.colors import _TEXTS, _css_name, contrast, readable, style_variables
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.palette import TOKENS, Palette

SHELF = discover_themes()
BACKGROUNDS = (
    *("--page", "--panel", "--code", "--user-message-bg", "--custom-message-bg"),
    *("--tool-success-bg", "--tool-error-bg", "--selected-bg"),
)


def test_contrast_is_that_of_the_guidelines() -> None:
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)
    assert contrast("#336699", "#336699") == 1


@pytest.mark.parametrize("name", [None, *sorted(SHELF.palettes)])
def test_every_text_of_every_shipped_theme_can_be_read_wherever_it_stands(name: str | None) -> None:
    for variables in style_variables(SHELF.palettes[name] if name else None).values():
        for token, background in product(_TEXTS, BACKGROUNDS):
            assert contrast(variables[_css_name(token)], variables[background]) >= 4.5, (token, background)


def test_a_theme_with_unreadable_colours_is_made_readable() -> None:
    faint = Palette("faint", "light", dict.fromkeys(TOKENS, "#eeeeee"))
    light = style_variables(faint)["light"]
    assert contrast(light["--error"], light["--page"]) >= 4.5
    assert readable("#000000", ["#ffffff"], "#222222") == "#000000"


def test_what_is_no_hex_colour_is_looked_up_and_else_taken_from_the_page() -> None:
    colors = {"accent": "color(196)", "success": "color(255)", "warning": "color(10)", "border": "default"}
    dark = style_variables(Palette("odd", "dark", {**colors, "error": "url(http://x)", "mdHr": "red;}"}))[
        "dark"
    ]
    assert dark["--success"] == "#eeeeee" and dark["--warning"] == "#00ff00"
    assert all(len(color) == 7 and color[0] == "#" for color in dark.values())
    same = style_variables(None)
    assert style_variables(Palette("odd", "dark", {}))["light"] == same["light"]
