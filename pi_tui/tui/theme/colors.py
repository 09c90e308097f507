"""The forms in which a theme file may write a colour."""

import re
from collections.abc import Mapping
from typing import Final

from pi_tui.tui.theme.oklab import okhsl_to_hex, oklch_to_hex
from pi_tui.tui.theme.palette import TERMINAL_DEFAULT

_HEX: Final = re.compile(r"#([0-9a-fA-F]{3}|[0-9a-fA-F]{6})\Z")
_FUNCTION: Final = re.compile(r"(oklch|okhsl)\(\s*(\S+)\s+(\S+)\s+(\S+)\s*\)\Z")
_NUMBER: Final = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(%|deg)?\Z")

CHROMA_OF_100_PERCENT: Final = 0.4
"""As CSS defines percentages of chroma."""


class ColorError(ValueError):
    """A colour nobody can read; the message says why."""


def resolve_color(value: object, variables: Mapping[str, object]) -> str:
    """The colour a value of a theme file means, as Rich writes it; raises `ColorError`."""
    seen: list[str] = []
    while isinstance(value, str) and value and not _is_literal(value):
        if value in seen:
            raise ColorError(f"the variables refer to each other in a circle: {' → '.join([*seen, value])}")
        if value not in variables:
            raise ColorError(f'"{value}" is neither a colour nor a variable under "vars"')
        seen.append(value)
        value = variables[value]
    return parse_color(value)


def parse_color(value: object) -> str:
    """A colour without references: hex, `oklch()`, `okhsl()`, 0–255, or `""` for the terminal's own."""
    if isinstance(value, int) and not isinstance(value, bool):
        if not 0 <= value <= 255:
            raise ColorError(f"{value} is no colour index from 0 to 255")
        return f"color({value})"
    if not isinstance(value, str):
        raise ColorError("a colour is a string or a number from 0 to 255")
    if not value:
        return TERMINAL_DEFAULT
    if match := _HEX.match(value):
        digits = match[1] if len(match[1]) == 6 else "".join(digit * 2 for digit in match[1])
        return f"#{digits.lower()}"
    if match := _FUNCTION.match(value):
        first, second, third = match.groups()[1:]
        if match[1] == "okhsl":
            return okhsl_to_hex(_hue(first), _fraction(second, 1.0), _fraction(third, 1.0))
        return oklch_to_hex(_fraction(first, 1.0), _fraction(second, CHROMA_OF_100_PERCENT), _hue(third))
    raise ColorError(
        f'"{value}" is no colour: write #rgb, #rrggbb, oklch(62% 0.1 200), okhsl(250 60% 55%) or 0–255'
    )


def _is_literal(value: str) -> bool:
    return value.startswith("#") or "(" in value


def _hue(text: str) -> float:
    match = _NUMBER.match(text)
    if match is None or match[2] == "%":
        raise ColorError(f'"{text}" is no hue: write degrees')
    return float(match[1])


def _fraction(text: str, full: float) -> float:
    match = _NUMBER.match(text)
    if match is None or match[2] == "deg":
        raise ColorError(f'"{text}" is neither a number nor a percentage')
    return float(match[1]) / 100 * full if match[2] else float(match[1])
