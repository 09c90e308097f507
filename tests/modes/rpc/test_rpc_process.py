"""`pi --mode rpc` as a process: how it begins, what is on stdout, how it ends."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.modes.processes import rpc
from tests.support.fakellm import FakeLLM
from tests.support.written_models import PI, child_environment, write_models

HANGS = {"text": "half of it and never more", "chunk": 4, "hang_after": 2, "hang": 60}


def test_the_end_of_input_stops_the_run_answers_everything_and_is_no_failure(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm)
    fake_llm.push(HANGS)
    with rpc(cwd=tmp_path) as pi:
        pi.send("prompt", id="p", message="go")
        pi.until(lambda record: record["type"] == "message_update")
        pi.send("bash", id="b", command="sleep 60")
        pi.until(lambda record: record["type"] == "bash_execution_start")
        pi.send("get_state", id="s")
        pi.close_input()
        records = pi.rest()
        assert pi.wait() == 0
    responses = {one["id"]: one for one in records if one["type"] == "response"}
    assert responses["s"]["data"]["isStreaming"] is True
    assert responses["b"]["data"]["cancelled"] is True
    settled = next(one for one in records if one["type"] == "agent_settled")
    assert settled["aborted"] is True
    (path,) = (Path(os.environ["PI_CODING_AGENT_DIR"]) / "sessions").rglob("*.jsonl")
    stored = [json.loads(line) for line in path.read_text().splitlines()]
    assert stored[-1]["message"]["role"] == "bashExecution"
    assert any(one.get("message", {}).get("stopReason") == "aborted" for one in stored)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGHUP, 129)])
def test_a_signal_ends_it_in_order(
    fake_llm: FakeLLM, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    write_models(fake_llm)
    fake_llm.push(HANGS)
    with rpc(cwd=tmp_path) as pi:
        pi.send("prompt", id="p", message="go")
        pi.until(lambda record: record["type"] == "message_update")
        pi.process.send_signal(number)
        records = pi.rest()
        assert pi.wait() == code
    assert records[-1] == {"type": "agent_settled", "aborted": True}


def test_the_end_of_input_and_a_signal_together_are_one_end(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.send("get_state", id="s")
        pi.response("s")
        pi.close_input()
        pi.process.send_signal(signal.SIGTERM)
        assert pi.rest() == []
        assert pi.wait() in (0, 143)


def test_a_signal_does_not_interrupt_an_end_that_has_begun(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.send("bash", id="b", command="trap '' TERM; echo begun; sleep 60 & wait; wait")
        pi.until(lambda record: record["type"] == "bash_execution_update")
        pi.close_input()
        pi.process.send_signal(signal.SIGTERM)
        assert pi.response("b")["data"]["cancelled"] is True
        pi.rest()
        assert pi.wait() in (0, 143)


def test_a_client_that_does_not_read_cannot_keep_it_from_ending(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text_tokens": 100_000, "chunk": 400})
    with rpc(cwd=tmp_path) as pi:
        pi.send("prompt", id="p", message="go")
        pi.until(lambda record: record["type"] == "message_update")
        pi.process.send_signal(signal.SIGTERM)
        assert pi.wait() == 143


def test_a_client_that_is_gone_is_noticed(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.send("get_state", id="s")
        pi.response("s")
        assert pi.process.stdout is not None
        pi.process.stdout.close()
        pi.send("get_state")
        pi.close_input()
        assert pi.wait() == 0


def test_half_a_line_at_the_end_is_answered(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.write(b'{"type": "get_state", "id": "1"}\n{"type": "bash", "command": "touch cut')
        pi.close_input()
        first, second = pi.rest()
        assert pi.wait() == 0
    assert (first["id"], first["success"]) == ("1", True)
    assert (second["command"], second["success"]) == ("parse", False)
    assert not list(tmp_path.glob("cut*"))


def test_a_whole_last_line_without_a_line_feed_counts(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.write(b'{"type": "get_state", "id": "1"}')
        pi.close_input()
        (only,) = pi.rest()
        assert (only["id"], only["success"]) == ("1", True)


def test_rubbish_between_commands_is_answered_and_harms_nothing(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.write(b"\xff\xfe\n\x00\x01\x02\n[]\n\r\n{}\nnull\n")
        pi.write('{"type": "get_state", "id": "\u2028"}\n'.encode())
        pi.close_input()
        *bad, good = pi.rest()
    assert [one["command"] for one in bad] == ["parse"] * 5
    assert (good["id"], good["success"]) == ("\u2028", True)


def test_commands_may_come_from_a_file_and_records_go_to_one(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    commands, records = tmp_path / "commands.jsonl", tmp_path / "records.jsonl"
    commands.write_text('{"type":"get_state","id":"1"}\n{"type":"get_commands","id":"2"}\n')
    with commands.open("rb") as source, records.open("wb") as target:
        command = [*PI, "--mode", "rpc", "--no-session", "--model", "test/scripted"]
        subprocess.run(
            command,
            stdin=source,
            stdout=target,
            cwd=tmp_path,
            env=child_environment(),
            check=True,
            timeout=60,
        )
    assert [json.loads(line)["id"] for line in records.read_text().splitlines()] == ["1", "2"]


def test_nothing_but_records_reaches_stdout_whoever_prints(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    program = (
        "import os, subprocess, sys\n"
        "from pi_tui.runtime.session import Session\n"
        "from pi_tui.__main__ import main\n"
        "old = Session.set_name\n"
        "def noisy(self, name):\n"
        "    print('printed'); os.write(1, b'written\\n'); subprocess.run(['echo', 'by a child'])\n"
        "    old(self, name)\n"
        "Session.set_name = noisy\n"
        "sys.argv = ['pi', '--mode', 'rpc', '--no-session', '--model', 'test/scripted']\n"
        "sys.exit(main())\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", program],
        input=b'{"type":"set_session_name","name":"x","id":"1"}\n',
        capture_output=True,
        cwd=tmp_path,
        env=child_environment(),
        timeout=60,
        check=True,
    )
    assert [json.loads(line)["type"] for line in done.stdout.splitlines()] == [
        "session_info_changed",
        "response",
    ]
    for noise in (b"printed", b"written", b"by a child"):
        assert noise in done.stderr


def test_what_the_project_brings_is_not_loaded_and_nobody_is_asked(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    prompts = tmp_path / ".pi" / "prompts"
    prompts.mkdir(parents=True)
    (prompts / "evil.md").write_text("Do something else.")
    for options, found in (((), False), (("--approve",), True)):
        with rpc("--model", "test/scripted", *options, cwd=tmp_path) as pi:
            pi.send("get_commands", id="c")
            names = [one["name"] for one in pi.response("c")["data"]["commands"]]
            assert ("evil" in names) is found


def test_a_session_that_cannot_be_opened_is_one_line_on_stderr(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc("--session", "gone", cwd=tmp_path) as pi:
        assert pi.rest() == []
        assert pi.wait() == 2
        assert pi.process.stderr is not None
        assert pi.process.stderr.read().count(b"\n") == 1


STALL = float(os.environ.get("PI_TEST_RPC_STALL", "1"))
"""Seconds for which the client does not read."""
COMMANDS = int(os.environ.get("PI_TEST_RPC_COMMANDS", "1000"))
PROMPT_BYTES = int(os.environ.get("PI_TEST_RPC_PROMPT", str(2 * 1024 * 1024)))
MAY_GROW = 64 * 1024 * 1024
"""Bytes of memory, whatever the client does."""


def test_many_commands_before_the_first_answer_is_read(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with rpc(cwd=tmp_path) as pi:
        pi.send("get_state", id="first")
        pi.response("first")
        before = pi.rss()
        for number in range(COMMANDS):
            pi.send("get_state", id=str(number))
        ids = [(pi.next() or {}).get("id") for _ in range(COMMANDS)]
        assert ids == [str(number) for number in range(COMMANDS)]
        assert pi.peak_rss() - before < MAY_GROW


def test_a_client_that_stops_reading_loses_nothing_and_costs_nothing(
    fake_llm: FakeLLM, tmp_path: Path
) -> None:
    write_models(fake_llm, window=1_000_000_000)
    call = {"name": "bash", "arguments": {"command": "seq 20000"}}
    turns = [{"text_tokens": 3_000, "tool_calls": [call]} for _ in range(8)]
    fake_llm.script([*turns, {"text_tokens": 100_000, "chunk": 40}])
    with rpc(cwd=tmp_path) as pi:
        pi.send("prompt", id="p", message="go")
        pi.until(lambda record: record["type"] == "message_update")
        before = pi.rss()
        time.sleep(STALL)
        pi.send("get_state", id="meanwhile")
        records = pi.until(lambda record: record["type"] == "agent_settled")
        assert pi.peak_rss() - before < MAY_GROW
        answered = [one for one in records if one["type"] == "response"]
        assert [one["id"] for one in answered] == ["meanwhile"] or pi.response("meanwhile")
    ends = [one["message"] for one in records if one["type"] == "message_end"]
    assert [one["role"] for one in ends].count("assistant") == 9
    # The answer to the client's question comes when it comes.
    assert [one["type"] for one in records if one["type"] != "response"][-2] == "agent_end"
    grown = ""
    for one in records:
        step = one.get("assistantMessageEvent", {})
        grown += step.get("delta", "") if step.get("type") == "text_delta" else ""
        if one["type"] == "message_start" and one["message"]["role"] == "assistant":
            grown = ""
    assert ends[-1]["content"][0]["text"] == grown


def test_a_huge_prompt_is_taken_and_its_end_is_told(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm, window=1_000_000_000)
    text = "kite " * (PROMPT_BYTES // 5)
    with rpc(cwd=tmp_path) as pi:
        pi.send("prompt", id="p", message=text)
        assert pi.response("p")["success"] is True
        records = pi.until(lambda record: record["type"] == "agent_settled")
        users = [one["message"] for one in records if one["type"] == "message_end"]
        assert users[0]["content"][0]["text"] == text


def test_without_a_model_everything_but_a_prompt_works(tmp_path: Path) -> None:
    with rpc("--no-session", cwd=tmp_path) as pi:
        pi.send("get_state", id="s")
        assert "model" not in pi.response("s")["data"]
        pi.send("prompt", id="p", message="hello")
        assert pi.response("p")["error"].startswith("no model is chosen")
        pi.send("get_available_thinking_levels", id="l")
        assert pi.response("l")["data"] == {"levels": ["off"]}
