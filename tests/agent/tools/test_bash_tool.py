"""`bash`: what comes back of any command, and that it comes back."""

import asyncio
import signal
from pathlib import Path

import pytest

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.workspace import Workspace


@pytest.mark.parametrize(
    ("command", "text"),
    [
        pytest.param("echo hi", "hi", id="plain"),
        pytest.param("true", "(no output)", id="nothing"),
        pytest.param("printf 'a\\nb'", "a\nb", id="no final newline"),
        pytest.param("echo 1; echo 2 >&2; echo 3; echo 4 >&2", "1\n2\n3\n4", id="both streams in order"),
        pytest.param("cat", "(no output)", id="reads stdin"),
        pytest.param('read x; echo "<$x>"', "<>", id="asks for input"),
        pytest.param("pwd -P", "CWD", id="working directory"),
        pytest.param(
            "printf '\\xe4\\xbd'; sleep 0.05; printf '\\xa0\\xe5\\xa5\\xbd'", "你好", id="split characters"
        ),
        pytest.param("printf 'caf\\xe9\\n'", "caf\ufffd", id="not UTF-8"),
        pytest.param("printf 'a\\0b\\n'", "ab", id="NUL"),
        pytest.param("printf '10%%\\r50%%\\r100%%\\n'", "100%", id="progress bar"),
        pytest.param("printf '\\e]133;A\\a\\e[2J\\e[31mred\\e[0m\\n'", "red", id="escape sequences"),
        pytest.param("exec >&- 2>&-; sleep 0.05", "(no output)", id="closes its output"),
        pytest.param("echo 'quo'\"'\"'te' \"$(echo \\$x)\"", "quo'te $x", id="quotes"),
        pytest.param("cat <<'E'\na\n  b\nE", "a\n  b", id="here document"),
        pytest.param('f() { echo "$1"; }; f x | tr x y', "y", id="bash itself"),
        pytest.param("[[ -t 0 || -t 1 ]] && echo tty || echo none", "none", id="no terminal"),
        pytest.param("(echo x > /dev/tty) 2>/dev/null || echo none", "none", id="no terminal by force"),
        pytest.param(
            "ps -o pgid= -p $$ | tr -d ' ' | grep -qx $$ && echo leader", "leader", id="a group of its own"
        ),
        pytest.param("echo $PI_SESSION_ID", "s-1", id="environment"),
    ],
)
async def test_what_a_command_says(call, workspace, command, text):
    workspace.environ = lambda: {"PI_SESSION_ID": "s-1"}
    outcome = await asyncio.wait_for(call("bash", command=command), 10)
    assert (outcome.text, outcome.is_error) == (text.replace("CWD", str(workspace.cwd)), False)
    assert outcome.details["exitCode"] == 0


@pytest.mark.parametrize(
    ("command", "code", "text"),
    [
        pytest.param("exit 5", 5, "Exit code 5.", id="code"),
        pytest.param("echo out; exit 1", 1, "out\n\nExit code 1.", id="output and code"),
        pytest.param("no-such-command-anywhere 2>/dev/null", 127, "Exit code 127.", id="not found"),
        pytest.param("kill -9 $$", 137, "Exit code 137 (128 + SIGKILL).", id="killed"),
        pytest.param("kill -TERM $$", 143, "Exit code 143 (128 + SIGTERM).", id="terminated"),
        pytest.param("bash -c 'kill -SEGV $$' 2>/dev/null", 139, None, id="a child crashed"),
        pytest.param("if", 2, None, id="syntax error"),
    ],
)
async def test_a_failure_is_an_error_result_with_the_code(call, command, code, text):
    outcome = await call("bash", command=command)
    assert outcome.is_error
    assert outcome.details["exitCode"] == code
    assert text is None or outcome.text == text


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        pytest.param({"command": "a\0b"}, "NUL", id="NUL"),
        pytest.param({"command": "echo \ud83d"}, "half of a surrogate pair", id="half a character"),
        pytest.param({"command": ": " + "x" * 200_000}, "Write it to a file and run that", id="too long"),
        pytest.param({"command": "true", "timeout": 0}, "timeout is 0", id="timeout 0"),
        pytest.param({"command": "true", "timeout": -1}, "timeout is -1", id="negative timeout"),
        pytest.param({"command": "true", "timeout": float("nan")}, "timeout is nan", id="timeout NaN"),
        pytest.param({"command": "true", "timeout": 1e300}, "timeout is 1e+300", id="endless timeout"),
    ],
)
async def test_what_cannot_be_run_is_refused(call, arguments, said):
    outcome = await call("bash", **arguments)
    assert outcome.is_error
    assert said in outcome.text


async def test_a_working_directory_that_is_gone_is_said_to_be(call, workspace):
    workspace.cwd.rmdir()
    outcome = await call("bash", command="true")
    assert outcome.text == f"The working directory {workspace.cwd} does not exist any more. Make it again."


async def test_shell_and_prefix_come_from_the_settings(tmp_path, call, workspace):
    shell = tmp_path / "shell"
    shell.write_text('#!/bin/sh\necho "shell: $2"\n')
    shell.chmod(0o755)
    workspace.shell_path, workspace.shell_prefix = str(shell), "shopt -s expand_aliases"
    assert (await call("bash", command="ll")).text == "shell: shopt -s expand_aliases\nll"
    workspace.shell_path = "/no/such/shell"
    assert "The shell /no/such/shell does not exist" in (await call("bash", command="ll")).text


def full_output(outcome) -> Path:
    return Path(outcome.details["fullOutputPath"])


async def test_many_lines_leave_the_last_and_the_rest_in_a_file(call, workspace):
    outcome = await call("bash", command="seq 1 3001")
    body, _, note = outcome.text.rpartition("\n\n")
    assert body == "\n".join(str(n) for n in range(1002, 3002))
    assert note == f"[Lines 1002-3001 of 3001. Full output: {full_output(outcome)}]"
    assert full_output(outcome).read_text() == "".join(f"{n}\n" for n in range(1, 3002))
    assert full_output(outcome).parent == workspace.cache_dir / "bash-output"
    assert outcome.details["truncation"] == {
        "by": "lines",
        "firstLine": 1002,
        "lastLine": 3001,
        "totalLines": 3001,
        "totalBytes": 13898,
    }


async def test_many_bytes_leave_whole_lines(call):
    outcome = await call("bash", command="for i in $(seq 1500); do printf '%064d\\n' $i; done")
    body, _, note = outcome.text.rpartition("\n\n")
    assert len(body) <= limits.MAX_BYTES
    assert body.splitlines()[0] == f"{714:064}"
    assert note.startswith("[Lines 714-1500 of 1500 (50 KiB limit).")


async def test_one_endless_line_leaves_its_end(call):
    outcome = await call("bash", command="head -c 120000 /dev/zero | tr '\\0' x; printf end")
    body, _, note = outcome.text.rpartition("\n\n")
    assert body == "x" * (limits.MAX_BYTES - 3) + "end"
    assert note.startswith("[The last 51200 bytes of line 1, which is longer.")


@pytest.mark.parametrize(
    "command", ["seq 1 2000", "head -c 51200 /dev/zero | tr '\\0' x"], ids=["lines", "bytes"]
)
async def test_what_just_fits_leaves_no_file(call, workspace, command):
    outcome = await call("bash", command=command)
    assert "fullOutputPath" not in outcome.details
    assert "Full output" not in outcome.text
    assert not (workspace.output_folder).exists() or list(workspace.output_folder.iterdir()) == []


async def test_a_long_progress_bar_is_one_line_and_leaves_no_file(call, workspace):
    command = "echo start; for i in $(seq 8000); do printf '\\r%5d of 8000' $i; done; echo; echo end"
    outcome = await call("bash", command=command)
    assert outcome.text == "start\n 8000 of 8000\nend"
    assert list(workspace.output_folder.iterdir()) == []


async def test_binary_output_comes_back_clean(call):
    outcome = await call("bash", command="head -c 300000 /dev/urandom")
    assert full_output(outcome).stat().st_size == 300_000
    assert not [char for char in outcome.text if char < " " and char not in "\n\t"]


async def test_colours_are_for_the_screen_only(call):
    outcome = await call("bash", command="printf '\\e[1;31mred\\e[0m plain\\n'")
    assert outcome.text == "red plain"
    assert outcome.details["ansi"] == "\x1b[1;31mred\x1b[0m plain\n"
    assert "ansi" not in (await call("bash", command="echo plain")).details
    many = await call("bash", command="for i in $(seq 9000); do printf '\\e[31m%d\\e[0m\\n' $i; done")
    assert len(many.details["ansi"]) <= limits.ANSI_DETAILS_BYTES
    assert many.details["ansi"].endswith("9000\x1b[0m\n")


async def test_the_output_is_not_in_the_details(call):
    outcome = await call("bash", command="seq 1 3000")
    assert len(repr(outcome.details)) < 500


async def test_output_streams_in_bounded_updates(call, workspace):
    updates = []
    command = "echo first; until [ -e go ]; do sleep 0.01; done; seq 1 20000; sleep 0.2"
    task = asyncio.create_task(call("bash", updates, command=command))
    while not updates:
        await asyncio.sleep(0.005)
    assert updates[0].content[0].text == "first\n"
    (workspace.cwd / "go").touch()
    outcome = await task
    assert updates[-1].content[0].text.endswith("20000\n")
    assert max(len(update.content[0].text) for update in updates) <= limits.UPDATE_BYTES
    assert len(updates) <= 2 + outcome.details["durationMs"] / 1000 * limits.UPDATES_PER_SECOND
    count = len(updates)
    await asyncio.sleep(0)
    assert len(updates) == count


async def test_a_timeout_keeps_what_there_was(call):
    outcome = await call("bash", command="echo a; sleep 60", timeout=0.2)
    assert outcome.text == "a\n\nTimed out after 0.2 s: the command and everything it had started were ended."
    assert outcome.is_error
    assert (outcome.details["timedOut"], outcome.details["cancelled"]) == (True, False)


async def test_an_abort_keeps_what_there_was(call):
    updates = []
    task = asyncio.create_task(call("bash", updates, command="echo a; sleep 60"))
    while not updates:
        await asyncio.sleep(0.005)
    task.cancel()
    outcome = await asyncio.wait_for(task, 5)
    assert outcome.text.startswith("a\n\nAborted by the user")
    assert (outcome.details["timedOut"], outcome.details["cancelled"]) == (False, True)
    assert outcome.details["exitCode"] == 128 + signal.SIGTERM


async def test_commands_run_side_by_side(call):
    await asyncio.wait_for(
        asyncio.gather(
            call("bash", command="mkfifo p 2>/dev/null; echo x > p"),
            call("bash", command="until [ -p p ]; do sleep 0.01; done; cat p"),
        ),
        10,
    )


async def test_many_commands_do_not_keep_other_tools_waiting(call, workspace):
    (workspace.cwd / "f").write_text("x\n")
    commands = [
        asyncio.create_task(call("bash", command="until [ -e go ]; do sleep 0.02; done")) for _ in range(40)
    ]
    outcome = await asyncio.wait_for(call("read", path="f"), 5)
    assert outcome.text == "x\n"
    (workspace.cwd / "go").touch()
    assert [(await command).is_error for command in commands] == [False] * 40


async def test_output_that_cannot_be_kept_is_said_not_to_be(tmp_path, workspace, call):
    (tmp_path / "cache").write_text("not a folder")
    outcome = await call("bash", command="seq 1 3001")
    assert "The full output could not be kept" in outcome.text
    assert "fullOutputPath" not in outcome.details
    assert isinstance(workspace, Workspace)
