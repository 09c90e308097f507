"""A palette in which every token has a colour of its own."""

import pytest

from pi_tui.tui.theme.palette import TOKENS, Palette
from pi_tui.tui.transcript.line import KeyHints, Look


def made_palette(name: str = "test") -> Palette:
    shift = sum(map(ord, name)) % 50
    return Palette(
        name, "dark", {token: f"#{shift:02x}{number:02x}80" for number, token in enumerate(TOKENS)}
    )


@pytest.fixture
def palette() -> Palette:
    return made_palette()


@pytest.fixture
def other_palette() -> Palette:
    return made_palette("other")


@pytest.fixture
def look(palette: Palette) -> Look:
    return Look(80, palette, keys=KeyHints("ctrl+o", "ctrl+t"))
