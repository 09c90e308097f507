"""One session file and several processes: the lock, and what a killed one leaves behind."""

import os
import random
import signal
from pathlib import Path

import pytest

from pi_tui.llm.messages import AssistantMessage, TextContent, UserMessage
from pi_tui.session.errors import SessionBusy
from pi_tui.session.log import SessionLog

KILLS = int(os.environ.get("PI_TEST_KILLS", "60"))
"""How many moments are tried; a longer check sets more."""
MAX_SIZE = 4_000_000
"""Bytes at which the file begins anew, so that the test stays short."""


def in_child(work: object) -> int:
    """Runs a function in a forked process; returns its exit code, 70 for an unexpected exception."""
    child = os.fork()
    if child == 0:
        code = 70
        try:
            code = work()  # type: ignore[operator]
        finally:
            os._exit(code)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


@pytest.fixture
def path(tmp_path: Path) -> Path:
    log = SessionLog.create(Path("/project"), tmp_path)
    log.append_message(UserMessage(content="hello"))
    log.close()
    assert log.path is not None
    return log.path


def test_a_second_process_may_not_write_but_read(path: Path) -> None:
    log = SessionLog.open(path)

    def second() -> int:
        try:
            SessionLog.open(path)
        except SessionBusy as busy:
            told = "open in another pi" in str(busy) and busy.path == path
            return 0 if told and len(SessionLog.open(path, read_only=True).entry_ids) == 1 else 1
        return 2

    assert in_child(second) == 0
    log.close()

    def alone() -> int:
        SessionLog.open(path).append_message(UserMessage(content="mine"))
        return 0

    assert in_child(alone) == 0
    assert len(SessionLog.open(path).entry_ids) == 2


def test_a_new_session_is_locked_from_its_first_write_on(tmp_path: Path) -> None:
    log = SessionLog.create(Path("/project"), tmp_path)
    log.append_message(UserMessage(content="hello"))
    with pytest.raises(SessionBusy):
        SessionLog.open(log.path or Path())
    log.close()


def test_a_file_written_anew_stays_locked(tmp_path: Path) -> None:
    path = tmp_path / "old.jsonl"
    path.write_bytes(b'{"type":"session","id":"old","timestamp":"2025-01-01T00:00:00.000Z","cwd":"/p"}\n')
    log = SessionLog.open(path)
    log.append_message(UserMessage(content="hello"))
    with pytest.raises(SessionBusy):
        SessionLog.open(path)
    log.close()
    SessionLog.open(path).close()


def test_the_lock_leaves_nothing_beside_the_file(path: Path) -> None:
    log = SessionLog.open(path)
    log.append_message(UserMessage(content="more"))
    assert list(path.parent.iterdir()) == [path]
    log.close()
    assert list(path.parent.iterdir()) == [path]


def test_the_lock_ends_with_a_killed_process(path: Path) -> None:
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        held = SessionLog.open(path)
        os.write(writer, b"x")
        signal.pause()
        os._exit(held is None)
    os.read(reader, 1)
    with pytest.raises(SessionBusy):
        SessionLog.open(path)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    SessionLog.open(path).close()
    os.close(reader)
    os.close(writer)


def append_until_killed(path: Path, told: int) -> None:
    """Appends entries of many sizes, and tells the id of each one when it is stored."""
    log = SessionLog.open(path)
    sizes = random.Random(os.getpid())
    while True:
        text = TextContent("x" * sizes.choice((10, 1_000, 100_000)))
        entry_id = log.append_message(AssistantMessage(content=[text]))
        os.write(told, entry_id.encode())


def test_what_was_stored_survives_kills_at_random_moments(path: Path) -> None:
    moments = random.Random(1)
    expected, damaged = SessionLog.open(path, read_only=True).entry_ids, 0
    for _ in range(KILLS):
        reader, writer = os.pipe()
        child = os.fork()
        if child == 0:
            try:
                append_until_killed(path, writer)
            finally:
                os._exit(1)
        os.close(writer)
        stored = b""
        wanted = moments.randint(1, 6)
        while len(stored) < 8 * wanted:
            stored += os.read(reader, 8)
        os.kill(child, signal.SIGKILL)
        os.waitpid(child, 0)
        while more := os.read(reader, 4096):
            stored += more
        os.close(reader)
        told = [stored[at : at + 8].decode() for at in range(0, len(stored) // 8 * 8, 8)]
        log = SessionLog.open(path, read_only=True)
        assert log.branch()[: len(expected) + len(told)] == [*expected, *told]
        assert len(log.entry_ids) <= len(expected) + len(told) + 1
        torn = [notice for notice in log.notices if "skipped" not in notice]
        assert len(torn) <= 1
        assert len(log.notices) <= damaged + 1
        expected, damaged = log.entry_ids, len(log.notices)
        if path.stat().st_size > MAX_SIZE:
            path.write_bytes(path.read_bytes().split(b"\n", 1)[0] + b"\n")
            expected, damaged = [], 0
    log = SessionLog.open(path)
    last = log.append_message(UserMessage(content="on"))
    assert log.branch() == [*expected, last]
