"""The command line as a process: what is written where, and the exit codes."""

import os
import pty
import subprocess
import sys
from pathlib import Path

import pytest

from pi_tui import __version__

PI = [sys.executable, "-m", "pi_tui"]


def environment(**changes: str) -> dict[str, str]:
    """Where a child process finds the package under test."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, sys.path)), **changes}


def pi(*argv: str, cwd: Path, **changes: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PI, *argv],
        cwd=cwd,
        input="",
        capture_output=True,
        text=True,
        timeout=60,
        env=environment(**changes),
        check=False,
    )


@pytest.mark.parametrize("option", ["-v", "--version"])
def test_the_version_is_one_line(tmp_path: Path, option: str) -> None:
    done = pi(option, cwd=tmp_path)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"pi {__version__}\n", "")


def test_help_names_every_option_and_gives_examples(tmp_path: Path) -> None:
    done = pi("--help", cwd=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    for option in (
        "--print",
        "--continue",
        "--session",
        "--model",
        "--tools",
        "--no-context-files",
        "--demo",
    ):
        assert option in done.stdout
    assert "examples:" in done.stdout


def test_help_and_version_need_no_known_characters(tmp_path: Path) -> None:
    assert pi("--help", cwd=tmp_path, PYTHONIOENCODING="ascii").returncode == 0


@pytest.mark.parametrize(
    "argv",
    [["--frobnicate"], ["-c", "--no-session"], ["-p"], ["-p", "@gone.md"], ["-r"], ["--fork", "x", "y"]],
)
def test_wrong_usage_is_one_line_on_stderr_and_code_2(tmp_path: Path, argv: list[str]) -> None:
    done = pi(*argv, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr.startswith("pi: ")
    assert done.stderr.count("\n") == 1


def test_a_working_directory_that_is_gone_is_said_to_be(tmp_path: Path) -> None:
    gone = tmp_path / "gone"
    gone.mkdir()
    code = (
        "import os, sys; from pi_tui.__main__ import main\n"
        "os.rmdir(os.getcwd()); sys.argv[1:] = ['-p', 'x']; sys.exit(main())"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=gone, capture_output=True, text=True, env=environment(), check=False
    )
    assert done.returncode == 2
    assert "working directory" in done.stderr
    assert "Traceback" not in done.stderr


def test_the_demo_answers_on_stdout_and_leaves_no_session_behind(tmp_path: Path, home: Path) -> None:
    done = pi("--demo", "-p", "hello", cwd=tmp_path)
    assert done.returncode == 0
    assert done.stdout.strip()
    assert list(home.rglob("*.jsonl")) == []


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "w") as closed:
        done = subprocess.run(
            [*PI, "--demo", "-p", "hello"],
            cwd=tmp_path,
            stdin=subprocess.DEVNULL,
            stdout=closed,
            stderr=subprocess.PIPE,
            text=True,
            timeout=60,
            env=environment(),
            check=False,
        )
    assert (done.returncode, done.stderr) == (0, "")


def test_with_no_model_print_mode_says_what_to_do(tmp_path: Path) -> None:
    done = pi("--offline", "-p", "hello", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (1, "")
    assert "ANTHROPIC_API_KEY" in done.stderr


def test_closed_standard_streams_do_not_break_it(tmp_path: Path) -> None:
    command = f'"{sys.executable}" -m pi_tui --demo -p hello <&- >&- 2>&-'
    done = subprocess.run(command, shell=True, cwd=tmp_path, env=environment(), timeout=60, check=False)
    assert done.returncode == 0


def test_a_terminal_on_one_side_only_is_print_mode(tmp_path: Path) -> None:
    master, slave = pty.openpty()
    try:
        done = subprocess.run(
            [*PI, "--demo", "hello"],
            cwd=tmp_path,
            stdin=slave,
            capture_output=True,
            text=True,
            timeout=60,
            env=environment(),
            check=False,
        )
    finally:
        os.close(master)
        os.close(slave)
    assert done.returncode == 0
    assert done.stdout.strip()
