"""When and how entries get into the file, and what happens when they cannot."""

import errno
import json
import os
import resource
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.session import file as session_file
from pi_tui.session.errors import SessionReadOnly
from pi_tui.session.log import POSITION, SessionLog
from tests.session.session_lines import HEADER, user_line

PROJECT = Path("/project")


def hello(text: str = "hello") -> UserMessage:
    return UserMessage(content=text, timestamp=1)


def answer(text: str = "hi") -> AssistantMessage:
    return AssistantMessage(content=[TextContent(text)], provider="p", model="m", timestamp=2)


def stored(log: SessionLog) -> list[dict[str, object]]:
    assert log.path is not None
    return [json.loads(line) for line in log.path.read_bytes().split(b"\n")[:-1]]


def stored_ids(log: SessionLog) -> list[object]:
    return [line["id"] for line in stored(log)[1:]]


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SessionLog]:
    made = SessionLog.create(PROJECT, tmp_path / "agent" / "sessions")
    yield made
    made.close()


def test_nothing_is_on_disk_before_the_first_user_message(log: SessionLog, tmp_path: Path) -> None:
    log.append_session_info("a name")
    log.append_model_change("p", "m")
    assert list(tmp_path.iterdir()) == []
    assert log.unsaved == []
    log.close()
    assert list(tmp_path.iterdir()) == []


def test_the_first_user_message_writes_all_that_was_before_it(
    log: SessionLog, monkeypatch: pytest.MonkeyPatch
) -> None:
    writes: list[bytes] = []
    write = os.write

    def counting(descriptor: int, data: bytes) -> int:
        writes.append(bytes(data))
        return write(descriptor, data)

    monkeypatch.setattr(os, "write", counting)
    log.append_session_info("a name")
    log.append_model_change("p", "m")
    log.append_message(hello())
    assert log.path is not None
    assert writes == [log.path.read_bytes()]
    assert [line["type"] for line in stored(log)] == ["session", "session_info", "model_change", "message"]
    log.append_message(answer())
    assert len(writes) == 2
    assert writes[1].count(b"\n") == 1


def test_an_entry_has_its_base_fields_first_and_the_leaf_as_parent(log: SessionLog) -> None:
    first = log.append_message(hello())
    second = log.append_message(answer())
    lines = stored(log)
    assert list(lines[1]) == ["type", "id", "parentId", "timestamp", "message"]
    assert [(line["id"], line["parentId"]) for line in lines[1:]] == [(first, None), (second, first)]
    assert all(len(entry_id) == 8 and int(entry_id, 16) >= 0 for entry_id in (first, second))
    stamp = str(lines[1]["timestamp"])
    assert len(stamp) == len("2026-01-02T03:04:05.678Z")
    assert stamp.endswith("Z")


def test_what_the_format_always_has_is_written(log: SessionLog) -> None:
    log.append_message(hello())
    log.append_message(answer())
    assert stored(log)[2]["message"] == {
        "role": "assistant",
        "content": [{"type": "text", "text": "hi"}],
        "provider": "p",
        "model": "m",
        "usage": {
            "input": 0,
            "output": 0,
            "cacheRead": 0,
            "cacheWrite": 0,
            "totalTokens": 0,
            "cost": {"input": 0, "output": 0, "cacheRead": 0, "cacheWrite": 0, "total": 0},
        },
        "stopReason": "stop",
        "timestamp": 2,
    }


def test_only_the_owner_may_read_what_is_made(log: SessionLog, tmp_path: Path) -> None:
    before = os.umask(0)
    try:
        log.append_message(hello())
    finally:
        os.umask(before)
    assert log.path is not None
    assert log.path.stat().st_mode & 0o777 == 0o600
    for folder in (tmp_path / "agent", tmp_path / "agent" / "sessions"):
        assert folder.stat().st_mode & 0o777 == 0o700


def test_the_file_name_is_made_of_time_and_id(tmp_path: Path) -> None:
    log = SessionLog.create(PROJECT, tmp_path, session_id="my-own.id")
    assert log.path is not None
    stamp = log.header.timestamp.replace(":", "-").replace(".", "-")
    assert log.path.name == f"{stamp}_my-own.id.jsonl"


@pytest.mark.parametrize("session_id", ["", "../x", "a/b", "a b", "-a", "a.", "a\n"])
def test_an_id_that_is_no_file_name_is_refused(session_id: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="letters, digits"):
        SessionLog.create(PROJECT, tmp_path, session_id=session_id)


def test_a_session_in_memory_writes_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    log = SessionLog.create(PROJECT, None)
    ids = [log.append_message(hello()), log.append_message(answer())]
    assert (log.path, log.branch(), log.unsaved, log.stored) == (None, ids, [], False)
    log.close()
    assert list(tmp_path.iterdir()) == []


def test_every_kind_of_entry_comes_back(log: SessionLog) -> None:
    first = log.append_message(hello())
    ids = [
        log.append_model_change("p", "m"),
        log.append_thinking_level("high"),
        log.append_label(first, "here"),
        log.append_session_info("name"),
        log.append_custom("ext", {"a": [1, None]}),
        log.append_custom_message("ext", "text", display=False, details={"b": 1}),
        log.append_compaction("sum", None, 10),
        log.append_branch_summary("sum", first),
        log.append_context_edit(first, None),
    ]
    before = [log.entry(entry_id) for entry_id in ids]
    log.close()
    assert log.path is not None
    again = SessionLog.open(log.path)
    assert [again.entry(entry_id) for entry_id in ids] == before
    assert (again.name, again.labels) == ("name", {first: "here"})
    assert json.loads(again.raw(ids[6]))["firstKeptEntryId"] == ids[6]


def test_what_json_cannot_hold_is_stored_as_text(log: SessionLog) -> None:
    log.append_message(hello("lone \ud83d surrogate"))
    log.append_custom("ext", {"path": Path("/x"), "key \udc00": float("inf")})
    message = log.project().messages[0]
    assert isinstance(message, UserMessage)
    assert message.content == "lone \ufffd surrogate"
    assert stored(log)[2]["data"] == {"path": "/x", "key \ufffd": None}


def test_moving_writes_nothing_and_the_next_append_branches_there(log: SessionLog) -> None:
    first = log.append_message(hello())
    left = log.append_message(answer("left"))
    size = log.path.stat().st_size if log.path else 0
    log.move_to(first)
    assert log.path is not None
    assert log.path.stat().st_size == size
    right = log.append_message(answer("right"))
    log.move_to(None)
    other_root = log.append_message(hello("afresh"))
    assert (log.children(first), log.children(None)) == ([left, right], [first, other_root])


def test_leaving_elsewhere_than_at_the_last_entry_marks_the_place(log: SessionLog) -> None:
    first = log.append_message(hello())
    log.append_message(answer())
    log.move_to(first)
    log.close()
    last = stored(log)[-1]
    assert (last["type"], last["customType"], last["parentId"]) == ("custom", POSITION, first)
    assert log.path is not None
    again = SessionLog.open(log.path)
    assert again.branch()[:-1] == [first]
    size = log.path.stat().st_size
    again.move_to(first)
    again.close()
    assert log.path.stat().st_size == size


def test_moving_back_to_the_last_entry_marks_nothing(log: SessionLog) -> None:
    first = log.append_message(hello())
    last = log.append_message(answer())
    log.move_to(first)
    log.move_to(last)
    log.close()
    assert stored_ids(log) == [first, last]


def test_a_read_only_session_refuses_entries(log: SessionLog) -> None:
    log.append_message(hello())
    assert log.path is not None
    reader = SessionLog.open(log.path, read_only=True)
    with pytest.raises(SessionReadOnly, match="fork"):
        reader.append_message(hello())
    reader.move_to(None)
    reader.close()
    assert len(stored(log)) == 2


Fault = Callable[[int, bytes], int]


@pytest.fixture
def faulty(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fault | None], None]:
    """Puts a faulty `write` in the place of the system's; None takes it away again."""
    write = os.write

    def install(fault: Fault | None) -> None:
        monkeypatch.setattr(session_file.os, "write", fault or write)

    return install


def failing(code: int) -> Fault:
    def write(descriptor: int, data: bytes) -> int:
        raise OSError(code, os.strerror(code))

    return write


def short(count: int) -> Fault:
    system_write = os.write

    def write(descriptor: int, data: bytes) -> int:
        return system_write(descriptor, bytes(data)[:count])

    return write


FAULTS = {
    "no space": failing(errno.ENOSPC),
    "input/output error": failing(errno.EIO),
    "a few bytes only": short(7),
    "all but the newline": short(60),
    "nothing": short(0),
}


@pytest.mark.parametrize("fault", FAULTS)
def test_a_failed_append_stays_in_memory_and_leaves_no_half_line(
    fault: str, log: SessionLog, faulty: Callable[[Fault | None], None]
) -> None:
    troubles: list[str] = []
    log.on_trouble = troubles.append
    first = log.append_message(hello())
    assert log.path is not None
    whole = log.path.read_bytes()
    faulty(FAULTS[fault])
    second = log.append_message(answer())
    third = log.append_message(hello("again"))
    assert log.path.read_bytes() == whole
    assert (log.unsaved, log.branch()) == ([second, third], [first, second, third])
    assert len(troubles) == 2
    assert str(log.path) in troubles[1]
    assert "2 entries" in troubles[1]
    assert not log.retry_saving()
    faulty(None)
    assert log.retry_saving()
    assert log.unsaved == []
    assert stored_ids(log) == [first, second, third]


def test_the_next_append_takes_the_unsaved_ones_along(
    log: SessionLog, faulty: Callable[[Fault | None], None]
) -> None:
    ids = [log.append_message(hello())]
    faulty(failing(errno.ENOSPC))
    ids.append(log.append_message(answer()))
    faulty(None)
    ids.append(log.append_message(hello()))
    assert stored_ids(log) == ids


def test_closing_saves_what_was_unsaved(log: SessionLog, faulty: Callable[[Fault | None], None]) -> None:
    ids = [log.append_message(hello())]
    faulty(failing(errno.EIO))
    ids.append(log.append_message(answer()))
    faulty(None)
    log.close()
    assert stored_ids(log) == ids


def test_half_a_line_that_cannot_be_taken_back_is_followed_by_a_fresh_one(
    log: SessionLog, faulty: Callable[[Fault | None], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    ids = [log.append_message(hello())]
    with monkeypatch.context() as patched:
        patched.setattr(session_file.os, "ftruncate", failing(errno.EIO))
        faulty(short(30))
        ids.append(log.append_message(answer()))
    faulty(None)
    ids.append(log.append_message(hello("more")))
    log.close()
    assert log.path is not None
    again = SessionLog.open(log.path)
    assert again.branch() == ids
    assert len(again.notices) == 1
    assert "Line 3: 30 bytes" in again.notices[0]


def test_a_first_write_that_fails_leaves_no_file(
    log: SessionLog, faulty: Callable[[Fault | None], None]
) -> None:
    assert log.path is not None
    faulty(short(50))
    first = log.append_message(hello())
    assert not log.path.exists()
    assert (log.unsaved, log.stored) == ([first], False)
    faulty(None)
    second = log.append_message(answer())
    assert stored_ids(log) == [first, second]
    assert [line["type"] for line in stored(log)] == ["session", "message", "message"]


def test_a_folder_that_cannot_be_made_is_trouble_not_a_crash(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    log = SessionLog.create(PROJECT, tmp_path / "file" / "sessions")
    troubles: list[str] = []
    log.on_trouble = troubles.append
    first = log.append_message(hello())
    assert log.unsaved == [first]
    assert len(troubles) == 1
    (tmp_path / "file").unlink()
    assert log.retry_saving()
    assert stored_ids(log) == [first]
    log.close()


def test_a_limit_on_the_size_of_files_cuts_no_line(tmp_path: Path) -> None:
    """The system itself makes the short write here."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            log = SessionLog.create(PROJECT, tmp_path)
            ids = [log.append_message(hello())]
            assert log.path is not None
            size = log.path.stat().st_size
            resource.setrlimit(resource.RLIMIT_FSIZE, (size + 40, resource.RLIM_INFINITY))
            ids.append(log.append_message(answer()))
            cut = log.path.stat().st_size == size and log.unsaved == ids[1:]
            resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
            ids.append(log.append_message(hello()))
            code = 0 if cut and stored_ids(log) == ids else 2
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0


FOREIGN = user_line("ffffffff", None, "from elsewhere")


def test_what_another_process_appended_is_taken_in_before_our_next_entry(log: SessionLog) -> None:
    first = log.append_message(hello())
    assert log.path is not None
    foreign = FOREIGN.replace(b'"parentId":null', f'"parentId":"{first}"'.encode())
    with log.path.open("ab") as other:
        other.write(foreign + b"\n")
    second = log.append_message(answer())
    assert stored_ids(log) == [first, "ffffffff", second]
    assert (log.children(first), log.branch()) == (["ffffffff", second], [first, second])
    assert log.raw("ffffffff") == foreign


def test_a_line_that_another_process_has_not_finished_is_read_when_it_has(log: SessionLog) -> None:
    first = log.append_message(hello())
    assert log.path is not None
    with log.path.open("ab") as other:
        other.write(FOREIGN[:50])
    second = log.append_message(answer())
    assert log.path.read_bytes().split(b"\n")[2] == FOREIGN[:50]
    with log.path.open("ab") as other:
        other.write(FOREIGN)
    third = log.append_message(hello())
    assert log.path.read_bytes().count(FOREIGN + b"\n") == 1
    log.close()
    again = SessionLog.open(log.path)
    assert again.entry_ids == [first, second, "ffffffff", third]
    assert again.branch() == [first, second, third]


def test_what_is_appended_between_our_look_and_our_write_is_not_missed(
    log: SessionLog, faulty: Callable[[Fault | None], None]
) -> None:
    first = log.append_message(hello())
    write = os.write

    def late(descriptor: int, data: bytes) -> int:
        assert log.path is not None
        with log.path.open("ab") as other:
            other.write(FOREIGN + b"\n")
        return write(descriptor, data)

    faulty(late)
    second = log.append_message(answer())
    faulty(None)
    third = log.append_message(hello())
    assert log.entry_ids == [first, second, "ffffffff", third]
    assert stored_ids(log) == [first, "ffffffff", second, third]


def test_a_deleted_file_is_written_again_whole(log: SessionLog) -> None:
    ids = [log.append_message(hello()), log.append_message(answer())]
    assert log.path is not None
    log.path.unlink()
    ids.append(log.append_message(hello()))
    assert stored_ids(log) == ids
    assert stored(log)[0]["id"] == log.id


def test_a_cut_file_gets_back_what_it_lacks(log: SessionLog) -> None:
    ids = [log.append_message(hello()), log.append_message(answer())]
    assert log.path is not None
    lines = log.path.read_bytes().split(b"\n")
    log.path.write_bytes(b"\n".join(lines[:2]) + b"\n")
    ids.append(log.append_message(hello()))
    assert stored_ids(log) == ids


def test_a_replaced_file_is_gone_on_with(log: SessionLog, tmp_path: Path) -> None:
    ids = [log.append_message(hello())]
    assert log.path is not None
    copy = tmp_path / "copy"
    copy.write_bytes(log.path.read_bytes() + FOREIGN + b"\n")
    copy.replace(log.path)
    ids.append(log.append_message(answer()))
    assert stored_ids(log) == [ids[0], "ffffffff", ids[1]]
    assert log.entry_ids == [ids[0], "ffffffff", ids[1]]


def test_a_file_of_another_session_in_its_place_is_left_alone(log: SessionLog) -> None:
    first = log.append_message(hello())
    assert log.path is not None
    log.path.unlink()
    log.path.write_bytes(HEADER + FOREIGN + b"\n")
    second = log.append_message(answer())
    assert log.path.read_bytes() == HEADER + FOREIGN + b"\n"
    assert log.unsaved == [first, second]
