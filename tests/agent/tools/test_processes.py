"""No command keeps its call waiting, and nothing it started lives on when it should be gone."""

import asyncio
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from pi_tui.agent.tools import limits, live_commands, process_tree


def is_alive(pid: int) -> bool:
    try:
        stat = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return False
    return stat.rpartition(")")[2].split()[0] not in "ZX"


def pids_in(text: str) -> list[int]:
    return [int(pid) for pid in re.findall(r"^pid (\d+)$", text, re.MULTILINE)]


async def gone(pids: list[int], seconds: float = 15) -> bool:
    deadline = time.monotonic() + seconds
    while any(map(is_alive, pids)) and time.monotonic() < deadline:
        await asyncio.sleep(0.01)
    return not any(map(is_alive, pids))


@pytest.fixture(autouse=True)
def nothing_left():
    yield
    live_commands.kill_all()


@pytest.mark.parametrize(
    "command",
    [
        pytest.param("sleep 60 & echo pid $!", id="holds the pipe"),
        pytest.param("sleep 60 </dev/null >/dev/null 2>&1 & echo pid $!", id="without the pipe"),
        pytest.param("(sleep 60 & echo pid $!)", id="double fork"),
        pytest.param("nohup sleep 60 >/dev/null 2>&1 & echo pid $!", id="nohup"),
        pytest.param("sleep 60 & echo pid $!; disown", id="disowned"),
        pytest.param("(trap '' TERM; sleep 60) & echo pid $!", id="ignores TERM"),
        pytest.param("(while :; do echo tick; sleep 0.01; done) & echo pid $!", id="talks on"),
    ],
)
async def test_a_background_child_keeps_no_call_waiting_and_does_not_outlive_the_program(call, command):
    outcome = await asyncio.wait_for(call("bash", command=command), 5)
    assert not outcome.is_error
    assert outcome.details["durationMs"] < 2000
    (pid,) = pids_in(outcome.text)
    assert is_alive(pid)
    assert live_commands.live_groups()
    await asyncio.to_thread(live_commands.kill_all)
    assert not is_alive(pid)
    assert live_commands.live_groups() == []


async def test_what_a_background_child_prints_later_does_not_end_it(call, workspace):
    command = "(until [ -e go ]; do sleep 0.01; done; seq 1 100000; touch done; sleep 60) & echo pid $!"
    outcome = await call("bash", command=command)
    assert "still runs in the background" in outcome.text
    (workspace.cwd / "go").touch()
    async with asyncio.timeout(30):
        while not (workspace.cwd / "done").exists():
            await asyncio.sleep(0.01)
    assert is_alive(pids_in(outcome.text)[0])


async def test_quick_output_of_a_background_child_is_still_collected(call):
    outcome = await call("bash", command="(sleep 0.03; echo late) & echo early")
    assert outcome.text == "early\nlate"


async def test_everything_in_the_pipe_when_the_shell_ends_is_collected(call):
    outcome = await call("bash", command="sleep 60 & head -c 900000 /dev/urandom | base64 -w 0; printf END")
    assert "END" in outcome.text
    assert Path(outcome.details["fullOutputPath"]).stat().st_size == 1_200_003


HARD = [
    pytest.param("echo pid $$; sleep 60", id="plain"),
    pytest.param("sleep 60 & echo pid $!; wait", id="waits for a child"),
    pytest.param("trap '' TERM; echo pid $$; sleep 60; sleep 60", id="ignores TERM"),
    pytest.param("setsid sleep 60 & echo pid $!; sleep 60", id="setsid"),
    pytest.param("setsid bash -c 'sleep 60 & echo pid $!; wait' & sleep 60", id="setsid with a child"),
    pytest.param("(setsid bash -c 'echo pid $$; exec sleep 60' &) ; sleep 60", id="double fork and setsid"),
    pytest.param("(setsid bash -c 'trap \"\" TERM HUP; echo pid $$; sleep 60' &) ; sleep 60", id="all of it"),
    pytest.param("env -i setsid sleep 60 & echo pid $!; sleep 60", id="setsid without environment"),
    pytest.param("kill -STOP $$ & echo pid $$; sleep 60", id="stopped"),
    pytest.param("yes & echo pid $! >> log; sleep 60", id="floods"),
    pytest.param("exec 1>&- ; echo pid $$ >&2; sleep 60", id="output half closed"),
    pytest.param("for i in 1 2 3 4 5; do (sleep 60 & echo pid $!; wait) & done; wait", id="many"),
]


async def first_pids(updates, workspace) -> None:
    async with asyncio.timeout(30):
        while not any("pid " in update.content[0].text for update in updates) and not log_of(workspace):
            await asyncio.sleep(0.005)


def log_of(workspace) -> str:
    log = workspace.cwd / "log"
    return log.read_text() if log.exists() else ""


@pytest.mark.parametrize("command", HARD)
async def test_an_abort_ends_everything_the_command_started(call, workspace, monkeypatch, command):
    monkeypatch.setattr(limits, "KILL_GRACE_SECONDS", 0.2)
    updates = []
    task = asyncio.create_task(call("bash", updates, command=command))
    await first_pids(updates, workspace)
    task.cancel()
    outcome = await asyncio.wait_for(task, 8)
    assert outcome.details["cancelled"]
    seen = f"{outcome.text}\n{log_of(workspace)}"
    pids = sorted(set(pids_in(seen)))
    assert pids
    assert not [pid for pid in pids if is_alive(pid)]
    assert live_commands.live_groups() == []


@pytest.mark.parametrize("command", [HARD[2], HARD[5], HARD[6]])
async def test_a_timeout_ends_everything_the_command_started(call, monkeypatch, command):
    monkeypatch.setattr(limits, "KILL_GRACE_SECONDS", 0.2)
    outcome = await asyncio.wait_for(call("bash", command=command, timeout=0.5), 8)
    assert outcome.details["timedOut"]
    assert pids_in(outcome.text)
    assert not [pid for pid in pids_in(outcome.text) if is_alive(pid)]


async def test_a_program_that_ends_well_on_term_may_say_so(call, workspace):
    command = "trap 'echo bye; exit 3' TERM; echo pid $$; while :; do sleep 0.01; done"
    updates = []
    task = asyncio.create_task(call("bash", updates, command=command))
    await first_pids(updates, workspace)
    task.cancel()
    outcome = await task
    assert "bye" in outcome.text
    assert outcome.details["exitCode"] == 3


async def test_a_second_abort_does_not_wait_for_a_good_end(call, workspace, monkeypatch):
    monkeypatch.setattr(limits, "KILL_GRACE_SECONDS", 60)
    updates = []
    task = asyncio.create_task(call("bash", updates, command="trap '' TERM; echo pid $$; sleep 60; sleep 60"))
    await first_pids(updates, workspace)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    outcome = await asyncio.wait_for(task, 5)
    assert not is_alive(pids_in(outcome.text)[0])


async def test_an_abort_at_the_very_beginning_leaves_nothing(call):
    task = asyncio.create_task(call("bash", command="sleep 61.5"))
    await asyncio.sleep(0)
    task.cancel()
    outcome = await asyncio.wait_for(task, 5)
    assert outcome.details["cancelled"]
    assert live_commands.live_groups() == []


async def test_aborts_at_many_moments_leave_nothing(call, monkeypatch):
    monkeypatch.setattr(limits, "KILL_GRACE_SECONDS", 0.2)
    command = "echo a; sleep 61.25 & (setsid sleep 61.25 &) ; seq 1 3000; sleep 61.25"

    async def one(delay: float) -> bool:
        task = asyncio.create_task(call("bash", command=command))
        await asyncio.wait([task], timeout=delay)
        task.cancel()
        return (await task).details["cancelled"]

    assert all(await asyncio.gather(*(one(n * 0.004) for n in range(25))))
    left = [pid for pid in process_tree.processes() if b"61.25" in command_line(pid)]
    assert left == []


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return b""


async def test_what_asked_to_stay_is_left_alone_at_the_end_of_the_program(call):
    outcome = await call("bash", command="setsid sleep 60 </dev/null >/dev/null 2>&1 & echo pid $!")
    (pid,) = pids_in(outcome.text)
    await asyncio.to_thread(live_commands.kill_all)
    assert is_alive(pid)
    os.kill(pid, signal.SIGKILL)


async def test_a_group_whose_number_has_gone_to_somebody_else_is_left_alone():
    """Numbers come round again in a long session."""
    stranger = subprocess.Popen(["sleep", "60"], start_new_session=True)
    mark = live_commands.new_mark()
    live_commands.register(mark, stranger.pid)
    live_commands.release(mark)
    assert stranger.pid in live_commands.live_groups()
    await asyncio.to_thread(live_commands.kill_all)
    assert is_alive(stranger.pid)
    stranger.kill()
    stranger.wait()


PROGRAM = """
import asyncio, sys
from pathlib import Path
from pi_tui.agent.tools.builtin import builtin_tools
from pi_tui.agent.tools.workspace import Workspace

async def main():
    bash = builtin_tools(Workspace(Path(sys.argv[1]), dict, None, None, Path(sys.argv[1]) / "cache"))["bash"]
    await bash.execute("a", {"command": "sleep 60 & echo pid $! > background"}, lambda update: None)
    ready = Path(sys.argv[1]) / "ready"
    escaped = "setsid bash -c 'trap \\"\\" TERM HUP; echo pid $$ > escaped; exec sleep 60' & (setsid sleep 60 &)"
    waiting = "until [ -s escaped ]; do sleep 0.01; done"
    running = {"command": f"{escaped}; {waiting}; echo pid $$ > running; echo x; sleep 60"}
    await bash.execute("b", running, lambda update: ready.touch())

asyncio.run(main())
"""


def test_the_last_act_needs_the_standard_library_alone():
    """It runs without site-packages, whatever has become of them meanwhile."""
    root = str(Path(__file__).parents[3])
    code = (
        f"import sys; sys.path.append({root!r}); from pi_tui.agent.tools import guardian; guardian.last_act()"
    )
    done = subprocess.run([sys.executable, "-I", "-S", "-c", code], capture_output=True, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
async def test_nothing_outlives_the_program_however_it_ends(tmp_path, number):
    root = Path(__file__).parents[3]
    program = subprocess.Popen(
        [sys.executable, "-c", PROGRAM, tmp_path],
        env={**os.environ, "PYTHONPATH": str(root)},
        stderr=subprocess.DEVNULL,
    )
    async with asyncio.timeout(30):
        while not (tmp_path / "ready").exists():
            await asyncio.sleep(0.01)
    pids = pids_in((tmp_path / "background").read_text() + (tmp_path / "running").read_text())
    pids += pids_in((tmp_path / "escaped").read_text())
    marks = {process_tree.mark_of(pid) for pid in pids}
    assert len(marks) == 2 and None not in marks
    assert all(map(is_alive, pids))
    pids += [pid for pid in process_tree.processes() if process_tree.mark_of(pid) in marks]
    program.send_signal(number)
    await asyncio.to_thread(program.wait, 10)
    assert await gone(pids)
