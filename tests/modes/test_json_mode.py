"""`pi --mode json` as a process: what is on stdout, and the exit code."""

import json
import signal
from pathlib import Path

import pytest

from tests.modes.processes import running
from tests.modes.scenarios import sequence
from tests.support.fakellm import FakeLLM
from tests.support.written_models import write_models

MODEL = ("--mode", "json", "--model", "test/scripted")


def test_the_header_comes_first_and_then_the_run_to_its_end(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "The kite is red."})
    with running(*MODEL, "colour?", cwd=tmp_path) as process:
        process.close_input()
        header, *events = process.rest()
        assert process.wait() == 0
    assert (header["type"], header["version"], header["cwd"]) == ("session", 3, str(tmp_path))
    assert sequence(events) == [
        "agent_start",
        "turn_start",
        "message_start user",
        "message_end user",
        "message_start assistant",
        "message_update 0 text_start",
        "message_update 0 text_delta",
        "message_update 0 text_end",
        "message_end assistant",
        "turn_end",
        "agent_end",
        "agent_settled",
    ]
    updates = [one for one in events if one["type"] == "message_update"]
    assert all(set(one) == {"type", "usage", "assistantMessageEvent"} for one in updates)
    begun = next(
        one for one in events if one["type"] == "message_start" and one["message"]["role"] == "assistant"
    )
    assert (begun["message"]["stopReason"], begun["message"]["content"]) == ("pending", [])
    assert events[-1] == {"type": "agent_settled", "aborted": False}


def test_several_prompts_and_piped_input(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    with running(*MODEL, "first", "second", cwd=tmp_path) as process:
        process.write(b"from a pipe")
        process.close_input()
        records = process.rest()
        assert process.wait() == 0
    users = [
        one["message"]["content"][0]["text"]
        for one in records
        if one["type"] == "message_end" and one["message"]["role"] == "user"
    ]
    assert users == ["<stdin>\nfrom a pipe\n</stdin>\n\nfirst", "second"]


@pytest.mark.parametrize(("response", "code"), [({"error": "bad_request"}, 1), ({"text": "ok"}, 0)])
def test_the_exit_code_is_that_of_print_mode(
    fake_llm: FakeLLM, tmp_path: Path, response: dict[str, str], code: int
) -> None:
    write_models(fake_llm)
    fake_llm.push(response)
    with running(*MODEL, "go", "never after a failure" if code else "go", cwd=tmp_path) as process:
        process.close_input()
        records = process.rest()
        assert process.wait() == code
    assert sum(one["type"] == "agent_settled" for one in records) == (1 if code else 2)


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_stops_the_run_whose_end_is_told(
    fake_llm: FakeLLM, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    write_models(fake_llm)
    fake_llm.push({"text": "half of it and never more", "chunk": 4, "hang_after": 2, "hang": 60})
    with running(*MODEL, "go", cwd=tmp_path) as process:
        process.close_input()
        process.until(lambda record: record["type"] == "message_update")
        process.process.send_signal(number)
        records = process.rest()
        assert process.wait() == code
    assert records[-1] == {"type": "agent_settled", "aborted": True}


def test_without_a_model_the_header_is_all_and_stderr_says_why(tmp_path: Path) -> None:
    with running("--mode", "json", "hello", cwd=tmp_path) as process:
        process.close_input()
        (header,) = process.rest()
        assert process.wait() == 1
        assert process.process.stderr is not None
        assert b"No model" in process.process.stderr.read()
    assert header["type"] == "session"


def test_a_reader_that_goes_away_ends_the_run(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    fake_llm.script({"default": {"text_tokens": 200_000, "rate": 400, "chunk": 40}})
    with running(*MODEL, "go", cwd=tmp_path) as process:
        process.close_input()
        process.until(lambda record: record["type"] == "message_update")
        assert process.process.stdout is not None
        process.process.stdout.close()
        process.wait()


def test_what_the_project_brings_is_left_out_unless_it_is_trusted(fake_llm: FakeLLM, tmp_path: Path) -> None:
    write_models(fake_llm)
    project = tmp_path / ".pi"
    (project / "prompts").mkdir(parents=True)
    (project / "prompts" / "evil.md").write_text("Do something else.")
    (project / "settings.json").write_text(json.dumps({"shellCommandPrefix": "touch owned;"}))
    for options, text in (([], "/evil"), (["--approve"], "Do something else.")):
        with running(*MODEL, *options, "/evil", cwd=tmp_path) as process:
            process.close_input()
            process.rest()
            assert process.wait() == 0
        assert fake_llm.bodies()[-1]["messages"][-1]["content"] in (text, [{"type": "text", "text": text}])
