"""A copy for others: secrets are masked wherever they stand, and nothing else is changed."""

from pathlib import Path

from pi_tui.export.masking import MASK, masked_copy
from pi_tui.export.secrets import find_secrets
from pi_tui.llm.messages import AssistantMessage, TextContent, ToolCall, ToolResultMessage, UserMessage
from pi_tui.session.log import SessionLog

KEY = "sk-" + "ant-api03-" + "aB3dE6gH9" * 10
PRIVATE_KEY = f"-----BEGIN PRIVATE {'KEY'}-----\nMIIabc/def+ghi\n-----END PRIVATE {'KEY'}-----"


def session() -> SessionLog:
    log = SessionLog.create(Path("/srv"), None)
    log.append_message(UserMessage(f"my key is {KEY}, not <b>"))
    log.append_message(AssistantMessage([TextContent("“Thanks”"), ToolCall("1", "bash", {"command": KEY})]))
    log.append_message(ToolResultMessage("1", "bash", [TextContent(f"{PRIVATE_KEY}\n{KEY}")], False))
    log.append_message(UserMessage("nothing here – 日本語"))
    log.append_custom("mine", {KEY: [KEY]})
    return log


def test_no_secret_is_left_in_any_place(tmp_path: Path) -> None:
    log = session()
    path = tmp_path / "copy.jsonl"
    copy = masked_copy(log, find_secrets(log), path)
    written = path.read_text()
    assert KEY not in written
    assert "MIIabc" not in written
    assert written.count(MASK) == 6
    assert find_secrets(copy) == []


def test_what_has_no_secret_keeps_its_bytes(tmp_path: Path) -> None:
    log = session()
    copy = masked_copy(log, find_secrets(log), tmp_path / "copy.jsonl")
    assert copy.header_line == log.header_line
    assert copy.entry_ids == log.entry_ids
    plain = log.entry_ids[3]
    assert copy.raw(plain) == log.raw(plain)
    assert all(MASK.encode() in copy.raw(entry_id) for entry_id in log.entry_ids if entry_id != plain)


def test_the_session_itself_stays_as_it_is_and_the_place_in_the_tree_too(tmp_path: Path) -> None:
    log = session()
    log.move_to(log.entry_ids[1])
    before = [log.raw(entry_id) for entry_id in log.entry_ids]
    copy = masked_copy(log, find_secrets(log), tmp_path / "copy.jsonl")
    assert copy.leaf_id == log.entry_ids[1]
    assert [log.raw(entry_id) for entry_id in log.entry_ids] == before
    assert [copy.parent(entry_id) for entry_id in copy.entry_ids] == [
        log.parent(entry_id) for entry_id in log.entry_ids
    ]
