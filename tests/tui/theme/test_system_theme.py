import colorsys
from itertools import product

import pytest

from pi_tui.tui.terminal.appearance import TerminalColors, appearance_of, colors_from
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.palette import TERMINAL_DEFAULT, TOKENS, thinking_token
from tests.tui.theme.contrast import LEVELS, PANELS, TEXTS, contrast

SHELF = discover_themes()
GREYS = [(value,) * 3 for value in range(0, 256, 15)]
TINTED = [(0, 43, 54), (253, 246, 227), (40, 44, 52), (48, 10, 36), (0, 0, 170), (255, 255, 0), (90, 200, 90)]
XTERM = (
    *((0, 0, 0), (205, 0, 0), (0, 205, 0), (205, 205, 0), (0, 0, 238), (205, 0, 205), (0, 205, 205)),
    *((229, 229, 229), (127, 127, 127), (255, 0, 0), (0, 255, 0), (255, 255, 0), (92, 92, 255)),
    *((255, 0, 255), (0, 255, 255), (255, 255, 255)),
)


def system(background, ansi=XTERM, foreground=None):
    appearance = appearance_of(background)
    terminal = TerminalColors(appearance, background, foreground, ansi)
    return SHELF.choose("system", terminal)


def hue(color):
    return colorsys.rgb_to_hls(*(int(color[at : at + 2], 16) / 255 for at in (1, 3, 5)))[0]


@pytest.mark.parametrize("ansi", [XTERM, ()], ids=["16 colours", "background only"])
@pytest.mark.parametrize("background", GREYS + TINTED, ids=str)
def test_text_is_readable_on_any_background_and_every_panel_of_it(background, ansi):
    palette = system(background, ansi)
    papers = [bytes(background).hex().rjust(7, "#"), *(palette.color(token) for token in PANELS)]
    worst = min(
        (contrast(palette.color(text), paper), text, paper) for text, paper in product(TEXTS + LEVELS, papers)
    )
    assert worst[0] >= 4.5, worst


def test_hues_are_those_of_the_terminal():
    palette = system((30, 30, 46), ansi=(*XTERM[:4], (255, 170, 0), *XTERM[5:]))
    assert abs(hue(palette.color("mdLink")) - hue("#ffaa00")) < 0.03
    assert abs(hue(palette.color("error")) - hue("#cd0000")) < 0.03


def test_a_colour_that_stands_out_already_stays_as_it_is():
    palette = system((0, 0, 0), ansi=(*XTERM[:2], (120, 255, 120), *XTERM[3:]), foreground=(250, 250, 240))
    assert palette.color("success") == "#78ff78"
    assert palette.color("text") == "#fafaf0"


def test_a_foreground_that_cannot_be_meant_for_the_background_is_not_used():
    palette = system((255, 255, 255), foreground=(220, 220, 220))
    assert palette.color("text") == SHELF.palettes["light"].color("text")


def test_text_steps_back_by_degrees():
    palette = system((20, 20, 20))
    contrasts = [
        contrast(palette.color(token), "#141414") for token in ("text", "muted", "dim", "borderMuted")
    ]
    assert contrasts == sorted(contrasts, reverse=True)
    assert len(set(contrasts)) == 4


@pytest.mark.parametrize("background", [(0, 0, 0), (255, 255, 255)], ids=["black", "white"])
def test_levels_of_thinking_can_be_told_apart(background):
    palette = system(background)
    levels = ["off", "minimal", "low", "medium", "high", "xhigh", "max"]
    assert len({palette.color(thinking_token(level)) for level in levels}) == len(levels)


def test_a_terminal_that_tells_nothing_keeps_its_own_colours():
    palette = SHELF.choose("system", TerminalColors())
    allowed = {TERMINAL_DEFAULT, *(f"color({number})" for number in range(16))}
    assert {palette.color(token) for token in TOKENS} <= allowed
    assert all(palette.color(panel) == TERMINAL_DEFAULT for panel in PANELS)
    assert palette.color("text") == palette.color("muted") == TERMINAL_DEFAULT
    assert palette.style("muted").dim
    assert not palette.style("text").dim
    assert palette.style("text", "selectedBg").reverse


def test_the_same_terminal_gives_the_same_palette():
    assert system((1, 2, 3)) is system((1, 2, 3))
    assert system((1, 2, 3)) is not system((3, 2, 1))


def test_replies_are_the_colours_of_a_terminal_only_if_all_16_came():
    replies = [("11", (255, 255, 255)), ("10", (0, 0, 0))]
    numbers = [(f"4;{number}", color) for number, color in enumerate(XTERM)]
    many = {"TERM": "xterm-256color"}
    assert colors_from(replies + numbers, many) == TerminalColors("light", (255, 255, 255), (0, 0, 0), XTERM)
    assert colors_from(replies + numbers[1:], many).ansi == ()
    assert colors_from(replies + numbers, {"TERM": "vt100"}) == TerminalColors("light")
    assert colors_from([], {"COLORFGBG": "0;15"}) == TerminalColors("light")
