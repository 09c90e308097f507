"""Files that are no sessions are refused and left alone; an empty one becomes a new session."""

import os
from pathlib import Path

import pytest

from pi_tui.llm.messages import UserMessage
from pi_tui.session.errors import NotASession
from pi_tui.session.log import SessionLog
from tests.session.session_lines import HEADER, user_line

FOREIGN = {
    "markdown": b"# README\n\nHello.\n",
    "entries without a header": user_line("aaaaaaaa", None) + b"\n",
    "a damaged header": b"\0" * len(HEADER) + b"\n" + user_line("aaaaaaaa", None) + b"\n",
    "a torn header": HEADER[:40],
    "another agent's lines": b'{"type":"summary","summary":"x","leafUuid":"y"}\n{"type":"user"}\n',
    "a session of another kind": b'{"type":"session_meta","payload":{"id":"x"}}\n',
    "a header without an id": b'{"type":"session","version":3}\n',
    "a version that is none": b'{"type":"session","version":"x","id":"y"}\n',
    "a JSON document": b'{\n  "type": "session",\n  "id": "x"\n}\n',
    "binary": bytes(range(256)) * 10,
    "blank lines": b"\n\n\n",
    "brackets": b"[" * 200_000,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_a_foreign_file_is_refused_untouched(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(FOREIGN[name])
    before = path.stat()
    with pytest.raises(NotASession, match="left untouched"):
        SessionLog.open(path)
    assert path.read_bytes() == FOREIGN[name]
    assert path.stat().st_mtime_ns == before.st_mtime_ns
    assert [one.name for one in tmp_path.iterdir()] == ["file.jsonl"]


def test_a_refused_file_can_be_opened_by_others(tmp_path: Path) -> None:
    path = tmp_path / "file.jsonl"
    path.write_bytes(b"x")
    for _ in range(2):
        with pytest.raises(NotASession):
            SessionLog.open(path)


def test_a_folder_and_a_pipe_are_refused(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    for path in (tmp_path, tmp_path / "pipe"):
        with pytest.raises(NotASession, match="not a regular file"):
            SessionLog.open(path)


def test_a_missing_file_is_an_error_and_is_not_made(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        SessionLog.open(tmp_path / "none.jsonl")
    assert list(tmp_path.iterdir()) == []


def test_an_empty_file_becomes_a_new_session(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.touch()
    log = SessionLog.open(path, cwd=Path("/project"))
    assert (log.cwd, log.entry_ids, log.notices) == (Path("/project"), [], [])
    log.append_model_change("p", "m")
    assert path.read_bytes() == b""
    log.append_message(UserMessage(content="hello"))
    log.close()
    again = SessionLog.open(path)
    assert (again.id, again.cwd, len(again.entry_ids), again.notices) == (log.id, Path("/project"), 2, [])


def test_an_empty_file_that_is_left_stays_empty(tmp_path: Path) -> None:
    path = tmp_path / "mine.jsonl"
    path.touch()
    SessionLog.open(path).close()
    assert path.read_bytes() == b""


def test_a_newer_format_is_read_and_said(tmp_path: Path) -> None:
    path = tmp_path / "new.jsonl"
    path.write_bytes(HEADER.replace(b'"version":3', b'"version":4') + user_line("aaaaaaaa", None) + b"\n")
    log = SessionLog.open(path)
    assert log.branch() == ["aaaaaaaa"]
    assert "format 4" in log.notices[0]
