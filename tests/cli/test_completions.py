"""The shells' scripts: each option is in them, the shells take them, and Tab completes what it should."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from pi_tui.cli.arguments import SHELLS, UsageError, make_parser
from pi_tui.cli.completion_values import LISTED, TAKES
from pi_tui.cli.completions import options, print_completions, script
from tests.e2e.terminal import Terminal

SHELL_SECONDS = 30


def shell(name: str) -> str:
    found = shutil.which(name)
    if found is None:
        pytest.skip(f"{name} is not installed")
    return found


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with some files, and a `pi` on the path that is the one under test."""
    commands = tmp_path / "bin"
    commands.mkdir()
    command = commands / "pi"
    command.write_text(f'#!/bin/sh\nexec "{sys.executable}" -m pi_tui "$@"\n')
    command.chmod(0o755)
    here = tmp_path / "here"
    (here / "subfolder").mkdir(parents=True)
    (here / "notes.md").touch()
    (here / "with space.txt").touch()
    monkeypatch.setenv("PATH", f"{commands}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, sys.path)))
    monkeypatch.chdir(here)
    return here


def stored_session(session_id: str) -> None:
    from tests.cli.test_main import stored_session as store

    store(session_id, Path.cwd(), "what it is about")


@pytest.mark.parametrize("name", SHELLS)
def test_every_option_of_the_help_is_in_the_script(name: str) -> None:
    made = script(name)
    for option in options():
        for spelled in option.names:
            assert spelled in made or (name == "fish" and f" {spelled.strip('-')} " in made)


def test_only_options_that_exist_are_said_to_take_values() -> None:
    takes_value = {action.dest for action in make_parser()._actions if action.nargs != 0}
    assert set(TAKES) <= takes_value
    assert {values.source for values in TAKES.values()} <= {*LISTED, "words", "files", "folders"}


@pytest.mark.parametrize("name", SHELLS)
def test_the_shell_takes_the_script(name: str, tmp_path: Path) -> None:
    path = tmp_path / "completions"
    path.write_text(script(name))
    done = subprocess.run([shell(name), "-n", str(path)], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_another_shell_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(UsageError, match="bash, zsh, fish"):
        print_completions("tcsh")


def test_what_can_be_chosen_is_listed_with_its_description(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    stored_session("abc1")
    for wanted, expected in (
        ("models", "demo/tour\tDemo tour"),
        ("themes", "system"),
        ("tools", "grep"),
        ("providers", "demo"),
        ("sessions", "abc1\twhat it is about"),
    ):
        assert print_completions(wanted) == 0
        assert expected in capsys.readouterr().out.splitlines()


BASH = r"""
source "$1"
COMP_LINE=$2 COMP_POINT=${#2} COMPREPLY=()
_pi pi "$3"
printf '%s\n' "${COMPREPLY[@]}"
"""
"""Bash calls the function with the piece of the line that will be replaced."""


@pytest.mark.parametrize(
    ("line", "piece", "offered"),
    [
        ("pi --thi", "--thi", ["--thinking"]),
        ("pi -x", "-x", ["-xt"]),
        ("pi --thinking h", "h", ["high"]),
        ("pi --thinking=h", "h", ["high"]),
        ("pi --mode ", "", ["text", "json", "rpc"]),
        ("pi --completions=", "", ["bash", "zsh", "fish"]),
        ("pi -t re", "re", ["read"]),
        ("pi -t read,gr", "read,gr", ["read,grep"]),
        ("pi --model demo/t", "demo/t", ["demo/tour"]),
        ("pi --session ab", "ab", ["abc1"]),
        ("pi --use-theme li", "li", ["light"]),
        ("pi @no", "@no", ["@notes.md"]),
        ("pi -p @with", "@with", ["@with space.txt"]),
        ("pi --export no", "no", ["notes.md"]),
        ("pi --export abc1 no", "no", ["notes.md"]),
        ("pi --session-dir s", "s", ["subfolder"]),
        ("pi --list-models --of", "--of", ["--offline"]),
        ("pi -- -", "-", []),
        ("pi --api-key ", "", []),
        ("pi some words ", "", []),
    ],
)
def test_bash_offers_what_fits(
    folder: Path, tmp_path: Path, line: str, piece: str, offered: list[str]
) -> None:
    path = tmp_path / "pi.bash"
    path.write_text(script("bash"))
    stored_session("abc1")
    done = subprocess.run(
        [shell("bash"), "--norc", "-c", BASH, "bash", str(path), line, piece],
        capture_output=True,
        text=True,
        check=False,
        timeout=SHELL_SECONDS,
    )
    assert done.stderr == ""
    assert [one for one in done.stdout.split("\n") if one] == offered


@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("pi --thi", ["--thinking"]),
        ("pi -x", ["-xt"]),
        ("pi --thinking=h", ["--thinking=high"]),
        ("pi -t re", ["read"]),
        ("pi -t read,gr", ["read,grep"]),
        ("pi --model demo/t", ["demo/tour"]),
        ("pi --session ab", ["abc1"]),
        ("pi @no", ["@notes.md"]),
        ("pi --export abc1 no", ["notes.md"]),
        ("pi some words ", []),
    ],
)
def test_fish_offers_what_fits(folder: Path, tmp_path: Path, line: str, offered: list[str]) -> None:
    path = tmp_path / "pi.fish"
    path.write_text(script("fish"))
    stored_session("abc1")
    done = subprocess.run(
        [shell("fish"), "--no-config", "-c", f"source {path}; complete -C '{line}'"],
        capture_output=True,
        text=True,
        check=False,
        timeout=SHELL_SECONDS,
    )
    assert done.stderr == ""
    assert [one.partition("\t")[0] for one in done.stdout.splitlines()] == offered


@pytest.mark.parametrize(
    ("name", "arguments", "load"),
    [
        ("bash", ["--norc", "--noprofile", "-i"], "source {}"),
        ("zsh", ["-f", "-i"], "autoload -U compinit; compinit -D; source {}"),
    ],
)
def test_tab_completes_in_the_real_shell(
    folder: Path, tmp_path: Path, name: str, arguments: list[str], load: str
) -> None:
    path = tmp_path / f"completions.{name}"
    path.write_text(script(name))
    environment = {**os.environ, "PS1": "$ ", "PROMPT": "$ ", "TERM": "xterm-256color"}
    with Terminal([shell(name), *arguments], cwd=folder, env=environment) as terminal:
        terminal.wait_for("$", SHELL_SECONDS)
        terminal.send(load.format(path) + "; echo READ''Y\r")
        terminal.wait_for("READY", SHELL_SECONDS)
        for typed, completed in (
            ("pi --thinki\t", "pi --thinking"),
            ("\x15pi --thinking hig\t", "pi --thinking high"),
            (" --use-theme da\t", "--use-theme dark"),
            (" -xt read,gr\t", "-xt read,grep"),
            (" @not\t", "@notes.md"),
        ):
            terminal.send(typed)
            terminal.wait_for(completed.rstrip(), SHELL_SECONDS)


@pytest.mark.parametrize("wanted", ["bash", "models", "sessions", "themes"])
def test_completion_loads_no_screen_and_no_sdk(folder: Path, wanted: str) -> None:
    code = (
        f"import sys; sys.argv = ['pi', '--completions', {wanted!r}]\n"
        "from pi_tui.__main__ import main\n"
        "main()\n"
        "print(*{name.partition('.')[0] for name in sys.modules})"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = set(done.stdout.splitlines()[-1].split())
    assert "argparse" in loaded
    assert not loaded & {"textual", "rich", "anthropic", "openai", "httpx", "pydantic", "PIL", "tiktoken"}
