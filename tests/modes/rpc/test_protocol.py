"""What a line says, and what is answered where it says nothing."""

import json

import pytest

from pi_tui.modes.rpc.commands import COMMANDS
from pi_tui.modes.rpc.framing import TooLong
from pi_tui.modes.rpc.protocol import (
    Head,
    Malformed,
    Refused,
    fields_of,
    head_of,
    legal,
    not_understood,
    succeeded,
)

LEVELS = "off, minimal, low, medium, high, xhigh, max"


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (b"{", "JSON object"),
        (b"[1]", "array"),
        (b'"x"', "str"),
        (b"{}", "type: it is missing"),
        (b'{"type": 5}', "type: expected str, got int"),
        (b'{"type": "x", "id": []}', "id: expected"),
        (b'{"type": "\xff"}', "byte 11"),
        (b"\xed\xa0\x80", "byte 1"),
        (TooLong(), "64 MiB"),
    ],
)
def test_a_line_that_is_no_command_is_answered_with_what_is_wrong(line: bytes | TooLong, named: str) -> None:
    with pytest.raises(Malformed) as raised:
        head_of(legal(line))
    response = json.loads(not_understood(raised.value))
    assert (response["type"], response["command"], response["success"]) == ("response", "parse", False)
    assert named in response["error"]


def test_a_line_that_is_nested_too_deeply_is_no_command() -> None:
    with pytest.raises(Malformed):
        head_of(legal(b'{"type":' + b"[" * 100_000))
    assert head_of(legal(b'{"type":"x","y":' + b"[" * 500 + b"]" * 500 + b"}")).type == "x"


def test_the_id_of_a_command_that_is_no_command_comes_back_all_the_same() -> None:
    with pytest.raises(Malformed) as raised:
        head_of(b'{"id": "x", "type": 5}')
    assert json.loads(not_understood(raised.value))["id"] == "x"


@pytest.mark.parametrize(
    ("command", "fields", "error"),
    [
        ("prompt", {}, "message: it is missing"),
        ("prompt", {"message": 5}, "message: expected str, got int"),
        ("prompt", {"message": "", "streamingBehavior": "x"}, "streamingBehavior: it has to be one of steer, followUp"),
        ("prompt", {"message": "", "images": [{"type": "image"}]}, "images[0].data: it is missing"),
        ("prompt", {"message": "", "images": "x"}, "images: expected array, got str"),
        ("set_thinking_level", {"level": "?"}, f"level: it has to be one of {LEVELS}"),
        ("set_model", {"provider": "x"}, "modelId: it is missing"),
        ("set_steering_mode", {"mode": "some"}, "mode: it has to be one of one-at-a-time, all"),
        ("set_auto_retry", {"enabled": "yes"}, "enabled: expected bool, got str"),
        ("bash", {"command": None}, "command: expected str, got null"),
        ("fork", {}, "entryId: it is missing"),
        ("switch_session", {"sessionPath": 1}, "sessionPath: expected str, got int"),
        ("navigate_tree", {"entryId": "x", "summarize": 1}, "summarize: expected bool, got int"),
    ],
)  # fmt: skip
def test_an_error_names_the_field(command: str, fields: dict[str, object], error: str) -> None:
    line = json.dumps({"type": command, **fields}).encode()
    with pytest.raises(Refused) as raised:
        fields_of(line, COMMANDS[command].fields)
    assert str(raised.value) == error


def test_fields_that_nobody_knows_do_no_harm() -> None:
    fields_of(b'{"type": "get_state", "id": "1", "new": {"a": []}}', COMMANDS["get_state"].fields)


def test_half_a_surrogate_pair_which_javascript_escapes_is_no_error() -> None:
    line = legal(rb'{"type": "prompt", "id": "\ud83e", "message": "a \ud83e b \ud83e\udd16"}')
    assert head_of(line) == Head("prompt", "\ufffd")
    assert fields_of(line, COMMANDS["prompt"].fields).message == "a \ufffd b \U0001f916"


def test_data_that_is_null_is_told_apart_from_no_data() -> None:
    assert json.loads(succeeded(Head("x", "1"), None)) == {
        "id": "1",
        "type": "response",
        "command": "x",
        "success": True,
        "data": None,
    }
    assert "data" not in json.loads(succeeded(Head("x")))


def test_every_command_of_the_format_is_there() -> None:
    listed = """
        prompt steer follow_up abort clear_queue new_session get_state get_messages set_model cycle_model
        get_available_models set_thinking_level cycle_thinking_level get_available_thinking_levels
        set_steering_mode set_follow_up_mode compact set_auto_compaction set_auto_retry abort_retry bash
        abort_bash get_session_stats export_html switch_session fork clone get_fork_messages get_entries
        get_tree get_last_assistant_text set_session_name get_commands navigate_tree set_label
    """
    assert set(listed.split()) <= set(COMMANDS)
