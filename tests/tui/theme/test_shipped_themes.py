import pytest

from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.palette import TOKENS, thinking_token
from pi_tui.tui.theme.textual_theme import css_color, css_variable, textual_theme
from tests.tui.theme.contrast import LEVELS, NO_TEXT, PANELS, TEXTS, contrast

SHELF = discover_themes()
SHIPPED = ["dark", "light", "high-contrast", "colour-blind"]

TERMINALS = {"dark": ["#000000", "#1e1e1e", "#282c34"], "light": ["#ffffff", "#fafafa", "#fdf6e3"]}
"""Backgrounds people have: black, VS Code's, One Dark; white, GitHub's, Solarized."""


def test_the_contrast_of_the_test_itself_is_that_of_wcag():
    assert contrast("#ffffff", "#000000") == pytest.approx(21)
    assert contrast("#777777", "#ffffff") == pytest.approx(4.48, abs=0.01)


@pytest.mark.parametrize("name", SHIPPED)
def test_text_is_readable_on_every_panel_and_every_usual_terminal(name):
    palette = SHELF.palettes[name]
    backgrounds = [palette.color(token) for token in PANELS] + TERMINALS[palette.appearance]
    worst = min((contrast(palette.color(text), back), text, back) for text in TEXTS for back in backgrounds)
    limit = 7 if name == "high-contrast" else 4.5
    assert worst[0] >= limit, worst
    terminals = TERMINALS[palette.appearance]
    levels = min((contrast(palette.color(level), back), level) for level in LEVELS for back in terminals)
    assert levels[0] >= limit, levels


def test_every_colour_is_text_or_a_panel_or_a_line():
    assert sorted([*TEXTS, *LEVELS, *PANELS, *NO_TEXT]) == sorted(TOKENS)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_changed_within_a_line_is_as_readable_with_ink_and_paper_exchanged(name):
    palette = SHELF.palettes[name]
    for ink in ("toolDiffAdded", "toolDiffRemoved"):
        for paper in ("toolPendingBg", "toolSuccessBg", "toolErrorBg"):
            assert contrast(palette.color(paper), palette.color(ink)) >= 4.5


@pytest.mark.parametrize("name", SHIPPED)
def test_levels_of_thinking_can_be_told_apart(name):
    palette = SHELF.palettes[name]
    levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
    assert len({palette.color(thinking_token(level)) for level in levels}) == len(levels)


def test_added_and_removed_differ_for_the_colour_blind():
    # Seen by a deuteranope (Viénot, Brettel, Mollon 1999, linear RGB), blue is what is left to tell hues
    # apart.
    palette = SHELF.palettes["colour-blind"]
    for good, bad in (("toolDiffAdded", "toolDiffRemoved"), ("success", "error")):
        blue_of = [int(palette.color(token)[5:], 16) for token in (good, bad)]
        assert abs(blue_of[0] - blue_of[1]) > 100


def test_the_same_style_is_the_same_object():
    palette = SHELF.palettes["dark"]
    style = palette.style("accent", "selectedBg", bold=True)
    assert style is palette.style("accent", "selectedBg", bold=True)
    assert style.color.name == palette.color("accent")
    assert style.bgcolor.name == palette.color("selectedBg")
    assert style.bold
    assert palette.style().color is None


def test_every_token_is_a_variable_of_the_style_sheets():
    palette = SHELF.palettes["light"]
    variables = textual_theme(palette).to_color_system().generate()
    assert variables["pi-tool-pending-bg"] == palette.color("toolPendingBg")
    assert {css_variable(token) for token in TOKENS} <= variables.keys()
    assert variables["background"] == "ansi_default"


@pytest.mark.parametrize(
    ("color", "css"),
    [
        ("default", "ansi_default"),
        ("color(1)", "ansi_red"),
        ("color(12)", "ansi_bright_blue"),
        ("color(196)", "#ff0000"),
        ("color(244)", "#808080"),
        ("#123456", "#123456"),
    ],
)
def test_colours_of_the_terminal_stay_the_terminals(color, css):
    assert css_color(color) == css
