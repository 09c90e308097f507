"""What a fresh process loads before it shows anything."""

import subprocess
import sys

import pytest

SDKS = {"anthropic", "openai", "pydantic", "httpx", "httpx2", "aiohttp", "tiktoken", "genai_prices", "google"}
RENDERING = {"markdown_it", "pygments", "PIL"}
SCREEN = {"textual", "rich"}
OTHERS = {"jsonschema", "yaml", "json5", "platformdirs", "filelock"}


def loaded_after(code: str) -> set[str]:
    """The top-level modules of a fresh process that ran `code`."""
    script = f"{code}\nimport sys\nprint()\nprint(*{{name.partition('.')[0] for name in sys.modules}})"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    return set(done.stdout.splitlines()[-1].split())


def after_command(*argv: str) -> set[str]:
    return loaded_after(
        "import sys\n"
        f"sys.argv = ['pi', *{list(argv)!r}]\n"
        "from pi_tui.__main__ import main\n"
        "try: main()\n"
        "except SystemExit: pass"
    )


@pytest.mark.parametrize("option", ["--version", "-v", "--help", "-h"])
def test_answers_about_the_program_load_next_to_nothing(option: str) -> None:
    heavy = SDKS | RENDERING | SCREEN | OTHERS | {"msgspec", "asyncio", "inspect"}
    assert after_command(option) & heavy == set()


def test_the_version_is_answered_before_the_command_line_is_read() -> None:
    assert "argparse" not in after_command("--version")


def test_the_check_sees_what_is_loaded() -> None:
    assert {"msgspec", "rich"} <= loaded_after("import msgspec, rich")


def test_the_client_loads_no_sdk_and_nothing_that_only_answers_need() -> None:
    loaded = loaded_after("import pi_tui.cli.main, pi_tui.tui.run, pi_tui.tui.app, pi_tui.runtime.open")
    assert loaded & (SDKS | RENDERING | {"jsonschema", "yaml"}) == set()


def test_a_session_loads_no_screen_and_no_sdk() -> None:
    assert (
        loaded_after("import pi_tui.runtime.open, pi_tui.modes.print_mode") & (SDKS | RENDERING | SCREEN)
        == set()
    )
