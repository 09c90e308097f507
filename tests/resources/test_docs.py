"""The pages name what there is."""

from pathlib import Path

import msgspec
import pytest

from pi_tui.resources.settings import Settings
from pi_tui.resources.trust import PROTECTED
from pi_tui.tui.theme.discover import discover_themes
from pi_tui.tui.theme.palette import TOKENS

DOCS = Path(__file__).parents[2] / "docs"


def names(section: type[msgspec.Struct], before: str = "") -> list[str]:
    found: list[str] = []
    for field in msgspec.structs.fields(section):
        is_section = isinstance(field.type, type) and issubclass(field.type, msgspec.Struct)
        inner = names(field.type, f"{before}{field.encode_name}.") if is_section else []
        found += inner or [before + field.encode_name]
    return found


@pytest.mark.parametrize("name", names(Settings))
def test_every_setting_is_described(name: str) -> None:
    assert f"`{name}`" in (DOCS / "resources.md").read_text()


def test_everything_that_needs_trust_is_named() -> None:
    text = (DOCS / "resources.md").read_text()
    assert [name for name in PROTECTED if name not in text] == []


def test_every_role_and_every_theme_is_named_and_shown() -> None:
    text = (DOCS / "themes.md").read_text()
    assert [token for token in TOKENS if f"`{token}`" not in text] == []
    for name in [*discover_themes().palettes, "system"]:
        assert f"`{name}`" in text
        assert f"(images/theme-{name}.png)" in text
        assert (DOCS / "images" / f"theme-{name}.png").stat().st_size < 200 * 1024
