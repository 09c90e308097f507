"""Expected values: computed with coloraide 4.5, `oklch` with its `oklch-chroma` gamut mapping."""

import pytest

from pi_tui.tui.theme.oklab import okhsl_to_hex, oklch_to_hex


def distance(one: str, other: str) -> int:
    """The greatest difference of two colours in one channel."""
    return max(abs(int(one[i : i + 2], 16) - int(other[i : i + 2], 16)) for i in (1, 3, 5))


@pytest.mark.parametrize(
    ("hue", "saturation", "lightness", "expected"),
    [
        (250, 0.6, 0.55, "#4e88c2"),
        (0, 1, 0.5, "#d70071"),
        (120, 0.5, 0.8, "#bfcf92"),
        (29, 0.9, 0.2, "#57100b"),
        (300, 0, 0.6, "#919191"),
        (200, 1, 0.95, "#c8fcff"),
        (234.57347, 0.78872, 0.1101, "#031b28"),
        (10, 0.5, 0, "#000000"),
        (10, 0.5, 1, "#ffffff"),
    ],
)
def test_okhsl_agrees_with_an_independent_implementation(hue, saturation, lightness, expected):
    assert distance(okhsl_to_hex(hue, saturation, lightness), expected) <= 1


@pytest.mark.parametrize(
    ("lightness", "chroma", "hue", "expected"),
    [
        (0.62, 0.1, 200, "#1c989e"),
        (0.3, 0.05, 280, "#292b46"),
        (1, 0.1, 20, "#ffffff"),
        (0, 0.1, 20, "#000000"),
        (0.5, 0.25, 30, "#c30000"),
        (0.7, 0.3, 150, "#00c248"),
        (0.9, 0.4, 110, "#e8e800"),
        (0.93076, 0.07925, 17.4457, "#ffd9da"),
        (0.21613, 0.15791, 257.795, "#000160"),
    ],
)
def test_oklch_is_mapped_into_srgb_as_css_does(lightness, chroma, hue, expected):
    assert distance(oklch_to_hex(lightness, chroma, hue), expected) <= 1


def test_primaries_of_srgb_have_their_published_oklch_values():
    # https://www.w3.org/TR/css-color-4/ gives red, green and blue in OKLCH.
    assert distance(oklch_to_hex(0.62796, 0.25768, 29.234), "#ff0000") <= 1
    assert distance(oklch_to_hex(0.86644, 0.29483, 142.495), "#00ff00") <= 1
    assert distance(oklch_to_hex(0.45201, 0.31321, 264.052), "#0000ff") <= 1
