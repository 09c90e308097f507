"""Reading session files in another process."""

import os
import signal
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from pi_tui.session.counting import read_whole
from pi_tui.session.listing import read_info
from pi_tui.session.reader import SessionReader
from tests.session.session_lines import HEADER, user_line


@pytest.fixture
def reader() -> Iterator[SessionReader]:
    reader = SessionReader()
    yield reader
    reader.close()


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "one.jsonl"
    path.write_bytes(HEADER + user_line("aaaaaaaa", None, "a needle here") + b"\n")
    return path


def test_it_says_what_reading_here_says(reader: SessionReader, session: Path) -> None:
    assert reader.info(session) == read_info(session)
    assert reader.whole(session) == read_whole(session, lambda: False)
    assert reader.find(session, ["needle"])
    assert not reader.find(session, ["needle", "haystack"])


def test_what_is_no_session_is_nothing(reader: SessionReader, tmp_path: Path) -> None:
    (tmp_path / "text.jsonl").write_text("hello\n")
    assert reader.info(tmp_path / "text.jsonl") is None
    assert reader.info(tmp_path / "missing") is None
    assert not reader.find(tmp_path / "missing", ["x"])


def test_names_that_are_not_utf8_are_read_too(reader: SessionReader, session: Path) -> None:
    odd = session.with_name("odd-\udcff.jsonl")
    try:
        session.rename(odd)
    except OSError:
        pytest.skip("this file system has no such names")
    assert reader.info(odd) is not None


def test_a_process_that_died_is_missed_by_nobody(reader: SessionReader, session: Path) -> None:
    assert reader.find(session, ["needle"])
    process = reader._process
    assert process is not None
    os.kill(process.pid, signal.SIGKILL)
    process.wait()
    assert reader.find(session, ["needle"])
    assert reader.info(session) == read_info(session)


def test_nothing_is_imported_from_the_working_directory(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "msgspec.py").write_text("open('imported', 'w')\n")
    monkeypatch.chdir(tmp_path)
    reader = SessionReader()
    assert reader.find(session, ["needle"])
    reader.close()
    assert not (tmp_path / "imported").exists()


def test_whoever_lost_interest_need_not_wait_for_a_long_file(reader: SessionReader, tmp_path: Path) -> None:
    long = tmp_path / "long.jsonl"
    line = user_line("aaaaaaaa", None, "x" * 10_000) + b"\n"
    long.write_bytes(HEADER + line * 8_000 + user_line("bbbbbbbb", None, "needle") + b"\n")
    answers: list[bool] = []
    asking = threading.Thread(target=lambda: answers.append(reader.find(long, ["needle"])))
    asking.start()
    while reader._asked is None:
        asking.join(0.001)
    reader.interrupt_find()
    asking.join()
    assert answers == [False]
    assert reader.find(long, ["needle"])


def test_closing_ends_the_process(reader: SessionReader, session: Path) -> None:
    reader.info(session)
    process = reader._process
    reader.close()
    assert process is not None and process.returncode is not None
