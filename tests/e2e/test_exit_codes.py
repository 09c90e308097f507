"""The exit codes of print mode, which scripts go by: 0 answered, 1 failed, 2 wrong usage, 130 interrupted."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Callable

import pytest

from tests.e2e import scripts
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM

WAIT_SECONDS = 60


@pytest.fixture
def served(workspace: Workspace, fake_llm: FakeLLM) -> Workspace:
    workspace.use(fake_llm)
    return workspace


def test_0_with_an_answer_also_after_a_tool_that_failed(served: Workspace, fake_llm: FakeLLM) -> None:
    fake_llm.push(scripts.call("bash", command="exit 7"), {"text": "It failed, as it should."})
    result = served.run("-p", "try it")
    assert (result.returncode, result.stdout, result.stderr) == (0, "It failed, as it should.\n", "")


@pytest.mark.parametrize("error", ["auth", "bad_request"])
def test_1_where_the_model_fails_for_good(served: Workspace, fake_llm: FakeLLM, error: str) -> None:
    fake_llm.push({"error": error})
    result = served.run("-p", "hello", "and more")
    assert (result.returncode, result.stdout) == (1, "")
    assert result.stderr.strip()
    assert all(line.startswith("pi: ") for line in result.stderr.splitlines())
    # The second prompt is not sent after the first one failed.
    assert fake_llm.state()["requests"] == 1


def test_1_where_there_is_no_model(workspace: Workspace) -> None:
    result = workspace.run("--offline", "-p", "hello")
    assert (result.returncode, result.stdout) == (1, "")
    assert "ANTHROPIC_API_KEY" in result.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ("--nonsense",),
        ("-p",),
        ("-p", "-r"),
        ("-c", "--fork", "x", "hi"),
        ("--session", "nobody", "hi"),
        ("--model", "no-such-model", "hi"),
        ("-t", "no-such-tool", "hi"),
        ("--thinking", "hard", "hi"),
        ("-p", "@no-such-file"),
        ("-e", "x", "hi"),
    ],
)
def test_2_where_the_command_line_cannot_be_followed(served: Workspace, arguments: tuple[str, ...]) -> None:
    result = served.run(*arguments)
    assert (result.returncode, result.stdout) == (2, "")
    assert result.stderr.startswith("pi: ")
    assert "Traceback" not in result.stderr
    assert served.session_files() == []


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("busy", ["answering", "running a tool"])
def test_130_where_it_is_interrupted_and_what_came_is_stored(
    served: Workspace, fake_llm: FakeLLM, number: signal.Signals, code: int, busy: str
) -> None:
    fifo = served.project / "going"
    os.mkfifo(fifo)
    if busy == "answering":
        fake_llm.push(scripts.call("bash", command="echo > going"), scripts.slow("word " * 2_000, rate=20))
    else:
        fake_llm.push(scripts.call("bash", command="echo > going; sleep 600"))
    process = start(served, "-p", "go on")
    try:
        fifo.read_text()
        if busy == "answering":
            wait_for(lambda: fake_llm.state()["requests"] == 2)
        process.send_signal(number)
        stdout, stderr = process.communicate(timeout=WAIT_SECONDS)
    finally:
        process.kill()
    assert (process.returncode, stdout) == (code, "")
    assert stderr == "pi: Interrupted.\n"
    assert served.messages()[0]["role"] == "user"


def start(workspace: Workspace, *arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        workspace.command(*arguments),
        cwd=workspace.project,
        env=workspace.env,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def wait_for(seen: Callable[[], bool]) -> None:
    """Until the server has seen something; the test's own time limit ends it."""
    while not seen():
        os.sched_yield()
