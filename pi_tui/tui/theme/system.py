"""The theme `system`: the colours of the terminal, placed so that everything can be read.

Hues come from the terminal's 16 colours, else from our own theme for its background; each colour is moved away
from the background until it stands out. A terminal that tells nothing gets its own colours by number.
"""

from functools import lru_cache
from typing import Final

from pi_tui.tui.terminal.appearance import RGB, TerminalColors
from pi_tui.tui.theme.oklab import contrast, luminance_of, mixed, oklab_of, oklab_to_hex
from pi_tui.tui.theme.palette import TERMINAL_DEFAULT, TOKENS, Palette

SYSTEM: Final = "system"
READABLE: Final = 4.6
"""Contrast of text, a little more than the 4.5 of WCAG AA, for what rounding takes away."""
VISIBLE: Final = 1.6
"""Contrast of lines with the background."""
DISTINCT: Final = 3.0
"""Contrast below which a foreground cannot be meant for a background."""
ROOMY: Final = 10.0
"""With this much contrast between background and ink, panels may come nearer to the ink."""
STEPS: Final = 8

_BLACK, _RED, _GREEN, _YELLOW, _BLUE, _MAGENTA, _CYAN = range(7)
_BRIGHT: Final = 8

_INK: Final = {
    "accent": _CYAN,
    "success": _GREEN,
    "error": _RED,
    "warning": _YELLOW,
    "customMessageLabel": _MAGENTA,
    "mdHeading": _CYAN,
    "mdLink": _BLUE,
    "mdCode": _CYAN,
    "mdListBullet": _CYAN,
    "toolDiffAdded": _GREEN,
    "toolDiffRemoved": _RED,
    "syntaxKeyword": _MAGENTA,
    "syntaxFunction": _BLUE,
    "syntaxString": _GREEN,
    "syntaxNumber": _YELLOW,
    "syntaxType": _YELLOW,
    "syntaxOperator": _CYAN,
    "bashMode": _YELLOW,
    "borderAccent": _CYAN,
    "thinkingLow": _CYAN,
    "thinkingMedium": _BLUE,
    "thinkingHigh": _MAGENTA,
    "thinkingXhigh": _MAGENTA + _BRIGHT,
    "thinkingMax": _RED,
}
"""Colours with a hue, which may be text: which of the 16 has it."""
_PANELS: Final = {
    # Steps of lightness away from the background, chroma, and whose hue.
    "userMessageBg": (0.05, 0.025, _BLUE),
    "customMessageBg": (0.045, 0.025, _MAGENTA),
    "toolPendingBg": (0.03, 0.0, _BLUE),
    "toolSuccessBg": (0.03, 0.02, _GREEN),
    "toolErrorBg": (0.045, 0.04, _RED),
    "selectedBg": (0.09, 0.05, _BLUE),
    "searchMatchBg": (0.09, 0.06, _YELLOW),
}
_SHARES: Final = {
    # Of the background in the ink: text that steps back, and lines.
    **dict.fromkeys(("muted", "toolOutput", "mdQuote", "toolDiffContext", "syntaxPunctuation"), 0.2),
    **dict.fromkeys(("dim", "thinkingText", "mdLinkUrl", "syntaxComment"), 0.38),
    **dict.fromkeys(("border", "mdCodeBlockBorder", "mdQuoteBorder", "mdHr", "thinkingMinimal"), 0.6),
    **dict.fromkeys(("scrollbarThumb",), 0.55),
    **dict.fromkeys(("borderMuted", "thinkingOff", "scrollbarTrack"), 0.75),
}
_DIVIDING: Final = frozenset({"border", "borderMuted", "mdCodeBlockBorder", "mdQuoteBorder", "mdHr"}) | {
    *("thinkingOff", "thinkingMinimal", "scrollbarThumb", "scrollbarTrack")
}


@lru_cache(maxsize=4)
def system_palette(terminal: TerminalColors, own: Palette) -> Palette:
    """The palette of a terminal.

    Args:
        own: Our theme for terminals of this appearance; its hues serve where the terminal names none.
    """
    if terminal.background is None:
        return _by_number(terminal)
    return _Placed(terminal, own).palette()


class _Placed:
    """Colours for one background."""

    def __init__(self, terminal: TerminalColors, own: Palette) -> None:
        assert terminal.background is not None
        self._terminal = terminal
        self._own = own
        self._paper = _hex(terminal.background)
        self._is_dark = terminal.appearance == "dark"
        self._far = "#ffffff" if self._is_dark else "#000000"
        self._done: dict[tuple[str, float], str] = {}
        self._colors = {token: self._panel(token) for token in _PANELS}
        self._papers = (self._paper, *self._colors.values())
        # Only the panel that is nearest to the ink matters.
        self._nearest = min(self._papers, key=lambda paper: contrast(paper, self._far))

    def palette(self) -> Palette:
        ink = self._placed(self._ink(), READABLE)
        for token in TOKENS:
            if token in _INK:
                self._colors[token] = self._placed(self._hue(token, _INK[token]), READABLE)
            elif token in _SHARES:
                wanted = VISIBLE if token in _DIVIDING else READABLE
                self._colors[token] = self._placed(mixed(ink, self._paper, _SHARES[token]), wanted)
            elif token not in _PANELS:
                self._colors[token] = ink
        return Palette(SYSTEM, self._terminal.appearance, {token: self._colors[token] for token in TOKENS})

    def _ink(self) -> str:
        """The terminal's foreground, unless it is nearly the background."""
        told = self._terminal.foreground
        if told is None or contrast(_hex(told), self._paper) < DISTINCT:
            return self._own.color("text")
        return _hex(told)

    def _hue(self, token: str, number: int) -> str:
        ansi = self._terminal.ansi
        if not ansi:
            return self._own.color(token)
        if token == "thinkingXhigh":
            # The bright magenta is often the plain one, once it is placed.
            return mixed(_hex(ansi[_MAGENTA]), _hex(ansi[_RED]), 0.5)
        return _hex(ansi[number])

    def _panel(self, token: str) -> str:
        step, chroma, number = _PANELS[token]
        lightness, a, b = oklab_of(self._paper)
        towards_ink = contrast(self._paper, self._far) >= ROOMY
        up = self._is_dark == towards_ink
        if self._terminal.ansi:
            _, hue_a, hue_b = oklab_of(_hex(self._terminal.ansi[number]))
        else:
            _, hue_a, hue_b = oklab_of(self._own.color(token))
        length = (hue_a**2 + hue_b**2) ** 0.5 or 1.0
        lightness = min(1.0, max(0.0, lightness + (step if up else -step)))
        return oklab_to_hex(lightness, a + chroma * hue_a / length, b + chroma * hue_b / length)

    def _placed(self, color: str, wanted: float) -> str:
        """The colour, with as much black or white as it needs to stand out from every panel."""
        found = self._done.get((color, wanted))
        if found is None:
            found = self._done[color, wanted] = self._moved(color, wanted)
        return found

    def _moved(self, color: str, wanted: float) -> str:
        paper = luminance_of(self._nearest)
        limit = (paper + 0.05) * wanted - 0.05 if self._is_dark else (paper + 0.05) / wanted - 0.05

        def stands_out(one: str) -> bool:
            return luminance_of(one) >= limit if self._is_dark else luminance_of(one) <= limit

        if stands_out(color):
            return color
        near, far = 0.0, 1.0
        for _ in range(STEPS):
            middle = (near + far) / 2
            if stands_out(mixed(color, self._far, middle)):
                far = middle
            else:
                near = middle
        return mixed(color, self._far, far)


def _by_number(terminal: TerminalColors) -> Palette:
    """For a terminal that tells nothing: it knows best what its own colours look like on its background."""
    plain = without_colors(terminal)
    colors = plain.colors | {token: f"color({number})" for token, number in _INK.items()}
    return Palette(SYSTEM, terminal.appearance, colors, plain.faint, plain.reversed)


@lru_cache(maxsize=2)
def without_colors(terminal: TerminalColors) -> Palette:
    """Ink and paper of the terminal only: what is chosen is shown reversed, what steps back faint."""
    faint = frozenset(token for token in _SHARES if token not in _DIVIDING)
    colors = dict.fromkeys(TOKENS, TERMINAL_DEFAULT)
    return Palette(SYSTEM, terminal.appearance, colors, faint, frozenset({"selectedBg", "searchMatchBg"}))


def _hex(color: RGB) -> str:
    return "#" + bytes(color).hex()
