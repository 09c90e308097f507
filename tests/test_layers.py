"""Which parts know of which: beside the contracts of import-linter, what importing a part really loads."""

import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import pi_tui

ABOVE = {
    "llm": ("agent", "session", "resources", "extensions", "runtime", "modes", "tui", "cli"),
    "agent": ("session", "resources", "extensions", "runtime", "modes", "tui", "cli"),
    "session": ("agent", "resources", "extensions", "runtime", "modes", "tui", "cli"),
    "resources": ("agent", "session", "extensions", "runtime", "modes", "tui", "cli"),
    "runtime": ("modes", "tui", "cli"),
    "modes": ("tui", "cli"),
    "tui": ("modes", "cli"),
}
"""For each part, those it must not need."""

PACKAGE = Path(pi_tui.__file__).parent


def modules_of(part: str) -> list[str]:
    found = pkgutil.walk_packages([str(PACKAGE / part)], f"pi_tui.{part}.")
    return [f"pi_tui.{part}", *(module.name for module in found)]


@pytest.mark.parametrize("part", ABOVE)
def test_a_part_loads_nothing_from_above(part: str) -> None:
    imports = "; ".join(f"import {name}" for name in modules_of(part))
    code = f"{imports}; import sys; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = {".".join(name.split(".")[:2]) for name in done.stdout.split() if name.startswith("pi_tui.")}
    assert loaded & {f"pi_tui.{one}" for one in ABOVE[part]} == set()
    if part not in ("tui", "modes"):
        assert {name.partition(".")[0] for name in done.stdout.split()} & {"textual", "rich"} == set()
