"""Where sessions lie, how they are listed, and which one is meant."""

import os
from pathlib import Path

import pytest

from pi_tui.session import listing
from pi_tui.session.folder import all_folders, file_name, find, latest, session_files, session_folder
from pi_tui.session.listing import read_info
from tests.session.session_lines import HEADER, entry_line, user_line

PROJECT = Path("/project")


def header(
    session_id: str,
    *,
    cwd: str = "/project",
    created: str = "2026-01-01T00:00:00.000Z",
    parent: Path | None = None,
) -> bytes:
    more = f',"parentSession":"{parent}"' if parent else ""
    return (
        f'{{"type":"session","version":3,"id":"{session_id}","timestamp":"{created}","cwd":"{cwd}"{more}}}\n'
    ).encode()


def message_at(time: str, role: str = "user", entry_id: str = "aaaaaaaa") -> bytes:
    line = entry_line("message", entry_id, None, f'"message":{{"role":"{role}","content":[]}}')
    return line.replace(b"2026-01-02T03:04:06.000Z", time.encode()) + b"\n"


def put(folder: Path, session_id: str, data: bytes, written: float) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / file_name("2026-01-01T00:00:00.000Z", session_id)
    path.write_bytes(data)
    os.utime(path, (written, written))
    return path


def test_sessions_lie_in_a_folder_named_by_the_working_directory(tmp_path: Path) -> None:
    assert session_folder(tmp_path, Path("/home/a b/x"), None) == tmp_path / "sessions" / "--home-a b-x--"
    assert session_folder(tmp_path, Path("C:\\x/y"), None).name == "--C--x-y--"
    assert session_folder(tmp_path, Path("/x"), Path("/elsewhere")) == Path("/elsewhere")


def test_a_file_is_named_by_time_and_id() -> None:
    assert file_name("2026-01-02T03:04:05.678Z", "s-1") == "2026-01-02T03-04-05-678Z_s-1.jsonl"


def test_session_files_come_newest_first_and_without_other_kinds(tmp_path: Path) -> None:
    old = put(tmp_path / "a", "old", header("old"), 1)
    new = put(tmp_path / "a", "new", header("new"), 3)
    (tmp_path / "a" / "old.jsonl.bak").write_bytes(header("bak"))
    os.mkfifo(tmp_path / "a" / "pipe.jsonl")
    assert session_files(tmp_path / "a") == [new, old]
    assert session_files(tmp_path / "none") == []


def test_what_a_list_shows_of_a_session(tmp_path: Path) -> None:
    parent = tmp_path / "parent.jsonl"
    lines = [
        entry_line("message", "11111111", None, '"message":{"role":"system","content":""}'),
        user_line("aaaaaaaa", None, r"first\n  words"),
        user_line("bbbbbbbb", "aaaaaaaa", "second"),
        entry_line("session_info", "cccccccc", "bbbbbbbb", '"name":"old"'),
        entry_line("session_info", "dddddddd", "cccccccc", '"name":"named"'),
    ]
    path = put(tmp_path, "s", header("s", parent=parent) + b"\n".join(lines) + b"\n", 7)
    info = read_info(path)
    assert info is not None
    assert (info.id, info.cwd, info.name, info.parent) == ("s", "/project", "named", parent)
    assert (info.first_message, info.messages) == ("first words", 2)
    assert (info.created, info.modified, info.size) == ("2026-01-01T00:00:00.000Z", 7, path.stat().st_size)
    assert info.complete


def test_a_cleared_name_is_none(tmp_path: Path) -> None:
    lines = [
        entry_line("session_info", "a", None, '"name":"x"'),
        entry_line("session_info", "b", "a", '"name":""'),
    ]
    info = read_info(put(tmp_path, "s", header("s") + b"\n".join(lines), 1))
    assert info is not None
    assert info.name is None


def test_only_head_and_tail_of_a_long_file_are_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "HEAD_BYTES", 2_000)
    monkeypatch.setattr(listing, "TAIL_BYTES", 2_000)
    middle = b"".join(user_line(f"{number:08x}", None, "x" * 100) + b"\n" for number in range(500))
    name = entry_line("session_info", "ffffffff", None, '"name":"at the end"')
    data = header("s") + user_line("aaaaaaaa", None, "the first") + b"\n" + middle + name + b"\n"
    info = read_info(put(tmp_path, "s", data, 1))
    assert info is not None
    assert (info.first_message, info.name, info.complete) == ("the first", "at the end", False)
    assert 0 < info.messages < 40


def test_the_latest_session_is_the_one_written_to_last(tmp_path: Path) -> None:
    put(tmp_path, "one", header("one"), 1)
    two = put(tmp_path, "two", header("two"), 2)
    put(tmp_path, "other", header("other", cwd="/elsewhere"), 3)
    assert latest(tmp_path, PROJECT) == two
    assert latest(tmp_path, Path("/nowhere")) is None
    assert latest(tmp_path / "none", PROJECT) is None


def test_a_helper_run_does_not_take_the_place_of_its_parent(tmp_path: Path) -> None:
    """The parent's agent forked it, gave it its task and went on; the helper wrote last."""
    parent = put(
        tmp_path,
        "parent",
        header("parent")
        + message_at("2026-01-01T01:00:00.000Z")
        + message_at("2026-01-01T02:00:00.000Z", "assistant", "bbbbbbbb"),
        1,
    )
    put(
        tmp_path,
        "helper",
        header("helper", parent=parent, created="2026-01-01T01:30:00.000Z")
        + message_at("2026-01-01T01:30:01.000Z")
        + message_at("2026-01-01T03:00:00.000Z", "assistant", "bbbbbbbb"),
        2,
    )
    assert latest(tmp_path, PROJECT) == parent


def test_a_fork_that_the_user_went_on_in_is_the_latest(tmp_path: Path) -> None:
    parent = put(tmp_path, "parent", header("parent") + message_at("2026-01-01T02:00:00.000Z"), 1)
    fork = put(
        tmp_path,
        "fork",
        header("fork", parent=parent, created="2026-01-01T02:30:00.000Z")
        + message_at("2026-01-01T01:00:00.000Z"),
        2,
    )
    assert latest(tmp_path, PROJECT) == fork
    back = put(tmp_path, "parent", header("parent") + message_at("2026-01-01T04:00:00.000Z"), 3)
    assert latest(tmp_path, PROJECT) == back
    fork.write_bytes(fork.read_bytes() + message_at("2026-01-01T05:00:00.000Z", "user", "bbbbbbbb"))
    assert latest(tmp_path, PROJECT) == fork


def test_sessions_that_name_each_other_as_parents_end_the_search(tmp_path: Path) -> None:
    one, two = (tmp_path / file_name("2026-01-01T00:00:00.000Z", name) for name in ("one", "two"))
    late = message_at("2026-01-01T09:00:00.000Z", "assistant")
    put(tmp_path, "one", header("one", parent=two) + late, 1)
    put(tmp_path, "two", header("two", parent=one) + late, 2)
    assert latest(tmp_path, PROJECT) in (one, two)


def test_an_ambiguous_prefix_finds_all_and_an_exact_id_one(tmp_path: Path) -> None:
    first = put(tmp_path / "a", "abc1", header("abc1"), 1)
    second = put(tmp_path / "b", "abc12", header("abc12"), 2)
    own_name = tmp_path / "a" / "imported.jsonl"
    own_name.write_bytes(header("abd"))
    folders = [tmp_path / "a", tmp_path / "b"]
    assert find("abc", folders) == [second, first]
    assert find("abc1", folders) == [first]
    assert find("abd", folders) == [own_name]
    assert find("x", folders) == []


def test_all_folders_are_those_under_the_agent_dir(tmp_path: Path) -> None:
    put(session_folder(tmp_path, Path("/b"), None), "s", HEADER, 1)
    put(session_folder(tmp_path, Path("/a"), None), "s", HEADER, 1)
    assert [folder.name for folder in all_folders(tmp_path)] == ["--a--", "--b--"]
    assert all_folders(tmp_path / "none") == []
