"""Renaming and deleting sessions that are closed."""

import os
from pathlib import Path

import pytest

from pi_tui.session import housekeeping
from pi_tui.session.errors import NotASession, SessionBusy
from pi_tui.session.housekeeping import TrashFailed, delete, rename
from pi_tui.session.listing import read_info
from pi_tui.session.log import SessionLog
from tests.session.session_lines import HEADER, user_line

LINES = HEADER + user_line("aaaaaaaa", None, "words") + b"\n"


@pytest.fixture
def session(tmp_path: Path) -> Path:
    path = tmp_path / "session.jsonl"
    path.write_bytes(LINES)
    return path


def trash_that(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str) -> Path:
    """A `trash-put` of our own, alone on the PATH; its folder."""
    folder, bin_folder = tmp_path / "trash", tmp_path / "bin"
    folder.mkdir()
    bin_folder.mkdir()
    script = bin_folder / "trash-put"
    script.write_text(f"#!/bin/sh\n{does}\n")
    script.chmod(0o755)
    monkeypatch.setenv("PATH", str(bin_folder))
    return folder


def test_a_name_is_appended(session: Path) -> None:
    rename(session, "new name")
    assert session.read_bytes().startswith(LINES)
    info = read_info(session)
    assert info is not None
    assert info.name == "new name"
    rename(session, "")
    cleared = read_info(session)
    assert cleared is not None
    assert cleared.name is None


@pytest.mark.parametrize("deed", [lambda path: rename(path, "x"), delete])
def test_a_session_that_is_open_is_left_alone(session: Path, deed) -> None:
    log = SessionLog.open(session)
    with pytest.raises(SessionBusy):
        deed(session)
    log.close()
    assert session.read_bytes() == LINES


def test_what_is_no_session_is_not_renamed(tmp_path: Path) -> None:
    path = tmp_path / "notes.jsonl"
    path.write_text("hello\n")
    with pytest.raises(NotASession):
        rename(path, "x")
    assert path.read_text() == "hello\n"


def test_a_deleted_session_goes_to_the_trash(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trash = trash_that(tmp_path, monkeypatch, f'exec /bin/mv "$1" {tmp_path}/trash/')
    delete(session)
    assert not session.exists()
    assert (trash / session.name).read_bytes() == LINES


def test_a_trash_that_fails_says_why_and_nothing_is_lost(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    trash_that(tmp_path, monkeypatch, 'echo "the bin is full" >&2; exit 1')
    with pytest.raises(TrashFailed, match="the bin is full"):
        delete(session)
    assert session.read_bytes() == LINES
    delete(session, for_good=True)
    assert not session.exists()


def test_without_a_trash_it_is_unlinked(
    session: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", str(tmp_path / "none"))
    assert housekeeping.trash_command() is None
    delete(session)
    assert not session.exists()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may delete everything")
def test_what_cannot_be_deleted_says_so(session: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    session.parent.chmod(0o500)
    with pytest.raises(OSError):
        delete(session)
    session.parent.chmod(0o700)
