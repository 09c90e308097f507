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
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{__version__}\n", "")


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


def stored_session(session_id: str, cwd: Path, said: str = "words") -> Path:
    """A session of `cwd` in the agent dir of this test."""
    from pi_tui.llm.messages import UserMessage
    from pi_tui.resources.paths import agent_dir
    from pi_tui.session.folder import session_folder
    from pi_tui.session.log import SessionLog

    log = SessionLog.create(cwd, session_folder(agent_dir(), cwd, None), session_id=session_id)
    log.append_message(UserMessage(said))
    log.close()
    assert log.path is not None
    return log.path


def test_without_a_terminal_the_list_of_sessions_is_refused(tmp_path: Path) -> None:
    done = pi("-r", "hello", cwd=tmp_path)
    assert done.returncode == 2
    assert "--resume" in done.stderr and "--session" in done.stderr


def test_an_ambiguous_id_lists_the_sessions(tmp_path: Path) -> None:
    stored_session("abc1", tmp_path, "the one")
    stored_session("abc2", tmp_path, "the other")
    done = pi("--offline", "--session", "abc", "-p", "hello", cwd=tmp_path)
    assert done.returncode == 2
    assert {"  abc1  the one", "  abc2  the other"} <= set(done.stderr.splitlines())


def test_without_a_terminal_nobody_is_asked_how_to_open_a_session(tmp_path: Path) -> None:
    """Of another folder, of a folder that is gone, and open in another process: what to do is said."""
    from pi_tui.session.log import SessionLog

    here, other = tmp_path / "here", tmp_path / "other"
    here.mkdir()
    other.mkdir()
    stored_session("elsewhere", other)
    gone = stored_session("gone", tmp_path / "none")
    busy = stored_session("busy", here)
    holder = SessionLog.open(busy)
    before = {path: path.read_bytes() for path in (gone, busy)}
    for session, says in (
        ("elsewhere", "--fork elsewhere"),
        (str(gone), "is gone"),
        ("busy", "open in another pi"),
    ):
        done = pi("--offline", "--session", session, "-p", "hello", cwd=here)
        assert (done.returncode, done.stdout) == (2, "")
        assert says in done.stderr and "--fork" in done.stderr
    done = pi("--offline", "-c", "-p", "hello", cwd=here)
    assert done.returncode == 2 and "open in another pi" in done.stderr
    holder.close()
    assert before == {path: path.read_bytes() for path in before}


@pytest.mark.parametrize("option", ["--session", "--fork", "--export"])
def test_a_pipe_or_a_folder_is_no_session_and_is_not_waited_for(tmp_path: Path, option: str) -> None:
    os.mkfifo(tmp_path / "pipe.jsonl")
    (tmp_path / "folder.jsonl").mkdir()
    for name in ("pipe.jsonl", "folder.jsonl"):
        done = pi("--offline", option, name, *([] if option == "--export" else ["-p", "hi"]), cwd=tmp_path)
        assert (done.returncode, done.stdout) == (1 if option == "--export" else 2, "")
        assert "not a regular file" in done.stderr
