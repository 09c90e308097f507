"""Perceptual colours: OKLCH and OKHSL to sRGB.

Formulas and constants: Björn Ottosson, "A perceptual color space for image processing" and "Okhsv and Okhsl".
A mature colour library does the same, but takes 170 ms to import, which is half of what the client needs to
start.
"""

import math
from typing import Final, NamedTuple, TypeAlias

from pi_tui.tui.terminal.appearance import linear, relative_luminance

RGB: TypeAlias = tuple[float, float, float]

GAMUT_STEPS: Final = 24
"""Halvings in the search for the edge of the gamut; 24 go beyond what 8 bits per channel can show."""

JUST_NOTICEABLE: Final = 0.02
"""The distance in OKLab below which two colours look the same."""

_GAMUT_TOLERANCE: Final = 1e-4


class _Hue(NamedTuple):
    a: float
    b: float
    cusp_lightness: float
    cusp_chroma: float


def oklch_to_hex(lightness: float, chroma: float, hue: float) -> str:
    """`#rrggbb` of an OKLCH colour (lightness 0–1, hue in degrees).

    Where sRGB has too little, chroma gives way until clipping makes no difference one could see: the gamut
    mapping of CSS Color 4.
    """
    a, b = math.cos(math.radians(hue)), math.sin(math.radians(hue))
    if not 0 < lightness < 1:
        return "#ffffff" if lightness > 0 else "#000000"
    linear = _linear_rgb(lightness, chroma * a, chroma * b)
    if _in_gamut(linear) or _clipping_shows_not(lightness, chroma * a, chroma * b):
        return _hex(linear)
    inside, outside = 0.0, chroma
    for _ in range(GAMUT_STEPS):
        middle = (inside + outside) / 2
        if _clipping_shows_not(lightness, middle * a, middle * b):
            inside = middle
        else:
            outside = middle
    return _hex(_linear_rgb(lightness, inside * a, inside * b))


def okhsl_to_hex(hue: float, saturation: float, lightness: float) -> str:
    """`#rrggbb` of an OKHSL colour: hue in degrees, saturation and lightness from 0 to 1."""
    saturation, lightness = min(1.0, max(0.0, saturation)), min(1.0, max(0.0, lightness))
    if lightness in (0.0, 1.0):
        return "#ffffff" if lightness else "#000000"
    position = _hue(hue)
    oklab_lightness = _inverse_toe(lightness)
    chroma = _chroma_of_saturation(oklab_lightness, saturation, position)
    return _hex(_linear_rgb(oklab_lightness, chroma * position.a, chroma * position.b))


def oklab_of(color: str) -> RGB:
    """Lightness, a and b of `#rrggbb`."""
    red, green, blue = (linear(part) for part in bytes.fromhex(color[1:]))
    return _oklab((red, green, blue))


def oklab_to_hex(lightness: float, a: float, b: float) -> str:
    """`#rrggbb` of an OKLab colour; what sRGB does not have is clipped."""
    return _hex(_linear_rgb(lightness, a, b))


def mixed(one: str, other: str, share: float) -> str:
    """`one` with a share (0 to 1) of `other`, both `#rrggbb`."""
    steps = zip(oklab_of(one), oklab_of(other), strict=True)
    return oklab_to_hex(*(a + (b - a) * share for a, b in steps))


def luminance_of(color: str) -> float:
    """The relative luminance of `#rrggbb`, from 0 to 1."""
    red, green, blue = bytes.fromhex(color[1:])
    return relative_luminance((red, green, blue))


def contrast(one: str, other: str) -> float:
    """The contrast ratio of two colours, from 1 to 21, as WCAG 2 defines it."""
    dark, light = sorted((luminance_of(one), luminance_of(other)))
    return (light + 0.05) / (dark + 0.05)


def _linear_rgb(lightness: float, a: float, b: float) -> RGB:
    long = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3
    medium = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3
    short = (lightness - 0.0894841775 * a - 1.2914855480 * b) ** 3
    return (
        4.0767416621 * long - 3.3077115913 * medium + 0.2309699292 * short,
        -1.2684380046 * long + 2.6097574011 * medium - 0.3413193965 * short,
        -0.0041960863 * long - 0.7034186147 * medium + 1.7076147010 * short,
    )


def _oklab(linear: RGB) -> RGB:
    red, green, blue = linear
    long = (0.4122214708 * red + 0.5363325363 * green + 0.0514459929 * blue) ** (1 / 3)
    medium = (0.2119034982 * red + 0.6806995451 * green + 0.1073969566 * blue) ** (1 / 3)
    short = (0.0883024619 * red + 0.2817188376 * green + 0.6299787005 * blue) ** (1 / 3)
    return (
        0.2104542553 * long + 0.7936177850 * medium - 0.0040720468 * short,
        1.9779984951 * long - 2.4285922050 * medium + 0.4505937099 * short,
        0.0259040371 * long + 0.7827717662 * medium - 0.8086757660 * short,
    )


def _clipping_shows_not(lightness: float, a: float, b: float) -> bool:
    red, green, blue = (min(1.0, max(0.0, part)) for part in _linear_rgb(lightness, a, b))
    return math.dist(_oklab((red, green, blue)), (lightness, a, b)) < JUST_NOTICEABLE


def _in_gamut(linear: RGB) -> bool:
    return all(-_GAMUT_TOLERANCE <= part <= 1 + _GAMUT_TOLERANCE for part in linear)


def _hex(linear: RGB) -> str:
    def encoded(part: float) -> int:
        part = min(1.0, max(0.0, part))
        return round(255 * (12.92 * part if part <= 0.0031308 else 1.055 * part ** (1 / 2.4) - 0.055))

    return "#" + "".join(f"{encoded(part):02x}" for part in linear)


def _max_chroma(lightness: float, a: float, b: float) -> float:
    """The chroma at the edge of the gamut."""
    inside, outside = 0.0, 0.5
    for _ in range(GAMUT_STEPS):
        middle = (inside + outside) / 2
        if _in_gamut(_linear_rgb(lightness, middle * a, middle * b)):
            inside = middle
        else:
            outside = middle
    return inside


def _inverse_toe(lightness: float) -> float:
    k1, k2 = 0.206, 0.03
    k3 = (1 + k1) / (1 + k2)
    return (lightness * lightness + k1 * lightness) / (k3 * (lightness + k2))


def _hue(degrees: float) -> _Hue:
    a, b = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    saturation = _max_saturation(a, b)
    brightest = max(_linear_rgb(1.0, saturation * a, saturation * b))
    cusp_lightness = (1 / brightest) ** (1 / 3)
    return _Hue(a, b, cusp_lightness, cusp_lightness * saturation)


def _max_saturation(a: float, b: float) -> float:
    """The greatest chroma ÷ lightness of a hue: a fitted polynomial and one step of Halley's method."""
    if -1.88170328 * a - 0.80936493 * b > 1:  # red leaves the gamut first
        k0, k1, k2, k3, k4 = 1.19086277, 1.76576728, 0.59662641, 0.75515197, 0.56771245
        w_long, w_medium, w_short = 4.0767416621, -3.3077115913, 0.2309699292
    elif 1.81444104 * a - 1.19445276 * b > 1:  # green
        k0, k1, k2, k3, k4 = 0.73956515, -0.45954404, 0.08285427, 0.12541070, 0.14503204
        w_long, w_medium, w_short = -1.2684380046, 2.6097574011, -0.3413193965
    else:  # blue
        k0, k1, k2, k3, k4 = 1.35733652, -0.00915799, -1.15130210, -0.50559606, 0.00692167
        w_long, w_medium, w_short = -0.0041960863, -0.7034186147, 1.7076147010
    saturation = k0 + k1 * a + k2 * b + k3 * a * a + k4 * a * b
    value = first = second = 0.0
    for weight, slope in (
        (w_long, 0.3963377774 * a + 0.2158037573 * b),
        (w_medium, -0.1055613458 * a - 0.0638541728 * b),
        (w_short, -0.0894841775 * a - 1.2914855480 * b),
    ):
        root = 1 + saturation * slope
        value += weight * root**3
        first += weight * 3 * slope * root**2
        second += weight * 6 * slope**2 * root
    return saturation - value * first / (first * first - 0.5 * value * second)


def _chroma_of_saturation(lightness: float, saturation: float, hue: _Hue) -> float:
    a, b = hue.a, hue.b
    c_max = _max_chroma(lightness, a, b)
    by_black, by_white = hue.cusp_chroma / hue.cusp_lightness, hue.cusp_chroma / (1 - hue.cusp_lightness)
    scale = c_max / min(lightness * by_black, (1 - lightness) * by_white)

    s_mid = 0.11516993 + 1 / (
        7.44778970
        + 4.15901240 * b
        + a * (-2.19557347 + 1.75198401 * b)
        + a**2 * (-2.13704948 - 10.02301043 * b)
        + a**3 * (-4.24894561 + 5.38770819 * b + 4.69891013 * a)
    )
    t_mid = 0.11239642 + 1 / (
        1.61320320
        - 0.68124379 * b
        + a * (0.40370612 + 0.90148123 * b)
        + a**2 * (-0.27087943 + 0.61223990 * b)
        + a**3 * (0.00299215 - 0.45399568 * b - 0.14661872 * a)
    )
    c_mid = (
        0.9 * scale / math.sqrt(math.hypot(1 / (lightness * s_mid) ** 2, 1 / ((1 - lightness) * t_mid) ** 2))
    )
    c_0 = 1 / math.hypot(1 / (lightness * 0.4), 1 / ((1 - lightness) * 0.8))

    middle = 0.8
    if saturation < middle:
        t = saturation / middle
        k1 = middle * c_0
        return t * k1 / (1 - (1 - k1 / c_mid) * t)
    t = (saturation - middle) / (1 - middle)
    k1 = (1 - middle) * c_mid**2 / (middle**2 * c_0)
    return c_mid + t * k1 / (1 - (1 - k1 / (c_max - c_mid)) * t)
