"""Standard output that is closed, is left by its reader, or knows few characters."""

import os
import subprocess
from pathlib import Path

import pytest

from tests.cli.test_main import PI, environment, pi, stored_session

COMMANDS = [
    ["--help"],
    ["--version"],
    ["--list-models", "--offline"],
    ["--completions", "zsh"],
    ["--completions", "models"],
    ["--export", "abc1"],
]


@pytest.fixture(autouse=True)
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    stored_session("abc1", tmp_path, "naïve – 日本語")
    monkeypatch.setenv("OPENAI_API_KEY", "nobodys")


@pytest.mark.parametrize(
    ("arguments", "unbuffered"),
    [*((command, "1") for command in COMMANDS), (["--list-models", "--offline"], "")],
)
def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, arguments: list[str], unbuffered: str) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [*PI, *arguments],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=environment(PYTHONUNBUFFERED=unbuffered),
            check=False,
        )
    assert done.returncode == 0
    assert "rror" not in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize("encoding", ["ascii"])
@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
def test_any_encoding_of_the_output_will_do(tmp_path: Path, arguments: list[str], encoding: str) -> None:
    done = subprocess.run(
        [*PI, *arguments],
        cwd=tmp_path,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        timeout=60,
        env=environment(PYTHONIOENCODING=encoding),
        check=False,
    )
    assert done.returncode == 0
    assert b"Traceback" not in done.stderr
    assert done.stdout.decode(encoding)


@pytest.mark.parametrize("columns", ["40", "80", "300"])
def test_help_fits_the_terminal_and_is_never_wider_than_80_columns(tmp_path: Path, columns: str) -> None:
    lines = pi("--help", cwd=tmp_path, COLUMNS=columns).stdout.splitlines()
    assert max(map(len, lines)) <= 80
    described = [line for line in lines if line.startswith("  ") and "--" in line.partition("examples:")[0]]
    assert described
    options = lines[: lines.index("examples:")]
    assert columns != "40" or max(len(line) for line in options if line.startswith(" " * 8)) <= 40


def test_help_is_in_groups(tmp_path: Path) -> None:
    done = pi("--help", cwd=tmp_path)
    groups = [line for line in done.stdout.splitlines() if line.endswith(":") and not line.startswith(" ")]
    assert groups[:6] == [
        "how to run:",
        "session:",
        "model:",
        "tools:",
        "prompt and looks:",
        "what you and the project bring:",
    ]
    assert done.stdout.isascii()
