"""What the terminal tells of its colours, and whether it is light or dark."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias

Appearance: TypeAlias = Literal["dark", "light"]
RGB: TypeAlias = tuple[int, int, int]

ColorDepth: TypeAlias = Literal["standard", "256", "truecolor"]

_RGB_REPLY: Final = re.compile(r"rgba?:([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})/([0-9a-fA-F]{1,4})")
_HEX_REPLY: Final = re.compile(r"#([0-9a-fA-F]{6})\Z")
_TRUE_COLOR: Final = ("alacritty", "foot", "ghostty", "kitty", "wezterm", "-direct")
"""What is in the TERM of terminals that show every colour, also where COLORTERM is lost on the way (ssh)."""

LIGHT_ANSI_BACKGROUNDS: Final = frozenset({7, *range(9, 16)})
"""Which of the 16 ANSI colours are light when `COLORFGBG` names them as the background."""

FOREGROUND: Final = "10"
BACKGROUND: Final = "11"
ANSI_COLORS: Final = 16

_REPLY: Final = re.compile(r"(10|11|4;\d{1,3});(.*)", re.DOTALL)


@dataclass(frozen=True)
class TerminalColors:
    """The colours of a terminal, as far as it told them."""

    appearance: Appearance = "dark"
    background: RGB | None = None
    foreground: RGB | None = None
    ansi: tuple[RGB, ...] = ()
    """All 16, or none."""
    colourless: bool = False
    """Whether colours are not wanted (https://no-color.org)."""


def color_reply(text: str) -> tuple[str, RGB] | None:
    """Which colour an OSC string from the terminal tells (`10`, `11`, `4;N`), and the colour."""
    match = _REPLY.fullmatch(text)
    color = parse_color_reply(match[2]) if match is not None else None
    return (match[1], color) if match is not None and color is not None else None


def colors_from(replies: Sequence[tuple[str, RGB]], environ: Mapping[str, str]) -> TerminalColors:
    """What the replies to `modes.COLOR_QUERIES` say together; the environment helps where they say nothing."""
    # Colours that were made would come out as some of the 16.
    told = {} if color_depth(environ) == "standard" else dict(replies)
    numbers = [told.get(f"4;{number}") for number in range(ANSI_COLORS)]
    appearance = detect_appearance(dict(replies).get(BACKGROUND), environ)
    return TerminalColors(
        appearance=appearance,
        background=told.get(BACKGROUND),
        foreground=told.get(FOREGROUND),
        ansi=tuple(color for color in numbers if color is not None) if all(numbers) else (),
        colourless=bool(environ.get("NO_COLOR")),
    )


def color_depth(environ: Mapping[str, str]) -> ColorDepth:
    """How many colours the terminal shows: its 16, 256, or all."""
    term = environ.get("TERM", "")
    if environ.get("COLORTERM") in ("truecolor", "24bit") or any(name in term for name in _TRUE_COLOR):
        return "truecolor"
    return "256" if "256color" in term else "standard"


def parse_color_reply(body: str) -> RGB | None:
    """The colour in the answer to `OSC 11 ; ?`, which is written as X11 writes colours; each part 0–255."""
    if match := _RGB_REPLY.search(body):
        red, green, blue = (round(int(part, 16) * 255 / (16 ** len(part) - 1)) for part in match.groups())
        return red, green, blue
    if match := _HEX_REPLY.search(body):
        red, green, blue = bytes.fromhex(match[1])
        return red, green, blue
    return None


def relative_luminance(color: RGB) -> float:
    """The luminance of an sRGB colour from 0 (black) to 1 (white), as WCAG 2 defines it."""
    red, green, blue = (linear(part) for part in color)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def linear(part: int) -> float:
    """The light of one channel, from 0 to 1."""
    value = part / 255
    return value / 12.92 if value <= 0.04045 else ((value + 0.055) / 1.055) ** 2.4


def appearance_of(background: RGB) -> Appearance:
    """Light when black text has more contrast on it than white text."""
    luminance = relative_luminance(background)
    return "light" if (luminance + 0.05) / 0.05 > 1.05 / (luminance + 0.05) else "dark"


def detect_appearance(background: RGB | None, environ: Mapping[str, str]) -> Appearance:
    """What the terminal said of its background; else what `COLORFGBG` says; else dark."""
    if background is not None:
        return appearance_of(background)
    last = environ.get("COLORFGBG", "").rpartition(";")[2]
    if last.isdecimal() and int(last) in LIGHT_ANSI_BACKGROUNDS:
        return "light"
    return "dark"
