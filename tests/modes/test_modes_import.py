"""What the modes without a screen load before their first record."""

import subprocess
import sys

HEAVY = {
    "textual",
    "rich",
    "openai",
    "anthropic",
    "pydantic",
    "httpx",
    "markdown_it",
    "pygments",
    "PIL",
    "jinja2",
}


def test_neither_a_screen_nor_an_sdk_is_loaded() -> None:
    code = (
        "import pi_tui.modes.rpc.server, pi_tui.modes.json_mode, pi_tui.runtime.open, sys\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.split())
    assert "msgspec" in loaded
    assert loaded & HEAVY == set()
