"""Going through many session files: order, what is told when, the cache."""

import json
import os
from pathlib import Path

import pytest

from pi_tui.session import browsing, listing, pieces, session_cache
from pi_tui.session.browsing import Batch, browse
from pi_tui.session.session_cache import SessionCache
from tests.session.session_lines import HEADER, entry_line, user_line


def put(folder: Path, name: str, *lines: bytes, written: float = 1) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / f"{name}.jsonl"
    path.write_bytes(HEADER + b"".join(line + b"\n" for line in lines))
    os.utime(path, (written, written))
    return path


def all_of(folder: Path, cache: SessionCache) -> list[Batch]:
    return list(browse([folder], cache, lambda: False))


def in_the_end(batches: list[Batch]) -> dict[str, listing.SessionInfo]:
    return {info.path.stem: info for batch in batches for info in batch.infos}


@pytest.fixture
def short_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files over a few hundred bytes are too long for a look at head and tail."""
    monkeypatch.setattr(listing, "HEAD_BYTES", 400)
    monkeypatch.setattr(listing, "TAIL_BYTES", 300)
    monkeypatch.setattr(pieces, "PIECE_BYTES", 128)


def long_lines(count: int = 20) -> list[bytes]:
    name = entry_line("session_info", "eeeeeeee", None, '"name":"said in the middle"')
    lines = [user_line(f"{number:08x}", None, f"message {number}") for number in range(count)]
    return [*lines[: count // 2], name, *lines[count // 2 :]]


def test_the_first_page_is_told_of_before_the_rest_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "FIRST_PAGE", 3)
    for number in range(10):
        put(tmp_path, f"s{number}", user_line("aaaaaaaa", None), written=number)
    read: list[Path] = []
    look = browsing.read_info
    monkeypatch.setattr(browsing, "read_info", lambda path: (read.append(path), look(path))[1])
    first = next(browse([tmp_path], SessionCache(None), lambda: False))
    assert [info.path.stem for info in first.infos] == ["s9", "s8", "s7"]
    assert (first.files, first.listed, len(read)) == (10, False, 3)


def test_a_long_file_is_told_of_twice_and_then_with_its_name_and_count(
    tmp_path: Path, short_ends: None
) -> None:
    put(tmp_path, "long", *long_lines())
    batches = all_of(tmp_path, SessionCache(None))
    early, late = batches[0].infos[0], batches[-1].infos[0]
    assert (early.complete, early.name) == (False, None)
    assert early.messages < 20
    assert (late.complete, late.name, late.messages) == (True, "said in the middle", 20)
    assert late.first_message == "message 0"


def test_what_is_cached_is_not_read_again(
    tmp_path: Path, short_ends: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    put(tmp_path / "s", "long", *long_lines())
    store = tmp_path / "cache" / "sessions.json"
    first = in_the_end(all_of(tmp_path / "s", SessionCache(store)))
    monkeypatch.setattr(browsing, "read_info", lambda path: pytest.fail("it was read"))
    assert in_the_end(all_of(tmp_path / "s", SessionCache(store))) == first
    assert store.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize("change", ["size", "time"])
def test_a_file_that_changed_is_read_whatever_the_cache_says(tmp_path: Path, change: str) -> None:
    path = put(tmp_path / "s", "one", user_line("aaaaaaaa", None, "old"))
    store = tmp_path / "sessions.json"
    all_of(tmp_path / "s", SessionCache(store))
    text = "newer words" if change == "size" else "new"
    put(tmp_path / "s", "one", user_line("aaaaaaaa", None, text), written=1 if change == "size" else 2)
    assert in_the_end(all_of(tmp_path / "s", SessionCache(store)))["one"].first_message == text
    assert path.exists()


@pytest.mark.parametrize(
    "rubbish", [b"", b"\0\0", b"[]", b'{"format":99,"sessions":{}}', b'{"format":1,"sessions":{"/x":[1]}}']
)
def test_a_spoiled_cache_is_no_cache(tmp_path: Path, rubbish: bytes) -> None:
    put(tmp_path / "s", "one", user_line("aaaaaaaa", None, "words"))
    store = tmp_path / "sessions.json"
    store.write_bytes(rubbish)
    assert in_the_end(all_of(tmp_path / "s", SessionCache(store)))["one"].first_message == "words"
    assert json.loads(store.read_bytes())["format"] == 1


def test_deleted_files_leave_the_cache_and_others_stay(tmp_path: Path) -> None:
    store = tmp_path / "sessions.json"
    gone, kept = put(tmp_path / "s", "gone"), put(tmp_path / "other", "kept")
    all_of(tmp_path / "s", SessionCache(store))
    all_of(tmp_path / "other", SessionCache(store))
    gone.unlink()
    all_of(tmp_path / "s", SessionCache(store))
    assert list(json.loads(store.read_bytes())["sessions"]) == [str(kept)]


def test_the_cache_has_a_limit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_cache, "MAX_CACHED_SESSIONS", 2)
    for number in range(5):
        put(tmp_path / "s", f"s{number}", written=number)
    store = tmp_path / "sessions.json"
    all_of(tmp_path / "s", SessionCache(store))
    assert len(json.loads(store.read_bytes())["sessions"]) == 2


def test_a_cache_that_cannot_be_stored_keeps_nobody_from_listing(tmp_path: Path) -> None:
    put(tmp_path / "s", "one")
    (tmp_path / "file").write_text("")
    assert list(in_the_end(all_of(tmp_path / "s", SessionCache(tmp_path / "file" / "sessions.json")))) == [
        "one"
    ]


def test_it_stops_when_told_and_keeps_what_it_knows(tmp_path: Path) -> None:
    for number in range(5):
        put(tmp_path / "s", f"s{number}", written=number)
    store = tmp_path / "sessions.json"
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > 2

    assert not any(batch.listed for batch in browse([tmp_path / "s"], SessionCache(store), stop))
    assert 0 < len(json.loads(store.read_bytes())["sessions"]) < 5


def test_a_line_longer_than_the_limit_is_passed_over(
    tmp_path: Path, short_ends: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pieces, "MAX_LINE_BYTES", 1_000)
    lines = long_lines()
    lines.insert(5, user_line("99999999", None, "x" * 5_000))
    put(tmp_path, "long", *lines)
    assert in_the_end(all_of(tmp_path, SessionCache(None)))["long"].messages == 20


def test_what_the_cache_knows_is_told_of_before_all_files_are_looked_at(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(browsing, "FIRST_PAGE", 3)
    folder, cache = tmp_path / "sessions", SessionCache(tmp_path / "cache.json")
    for number in range(10):
        put(folder, f"s{number}", user_line("aaaaaaaa", None, "x"), written=number)
    all_of(folder, cache)
    put(folder, "s9", user_line("aaaaaaaa", None, "changed since"), written=30)
    put(folder, "new", user_line("aaaaaaaa", None, "x"), written=20)
    (folder / "s8.jsonl").unlink()
    monkeypatch.setattr(browsing, "stamps", lambda folders: pytest.fail("all files were looked at"))
    first = next(browse([folder], SessionCache(tmp_path / "cache.json"), lambda: False))
    assert [(info.path.stem, info.first_message) for info in first.infos] == [
        ("s9", "changed since"),
        ("new", "x"),
        ("s7", "x"),
    ]
    assert (first.files, first.listed) == (10, False)


def test_an_old_session_that_was_written_to_is_in_the_full_list(tmp_path: Path) -> None:
    folder, cache = tmp_path / "sessions", SessionCache(tmp_path / "cache.json")
    for number in range(60):
        put(folder, f"s{number:02}", user_line("aaaaaaaa", None, "x"), written=number)
    all_of(folder, cache)
    put(folder, "s00", user_line("aaaaaaaa", None, "again"), written=100)
    batches = all_of(folder, SessionCache(tmp_path / "cache.json"))
    assert "s00" not in {info.path.stem for info in batches[0].infos}
    assert in_the_end(batches)["s00"].first_message == "again"


def test_what_is_half_known_of_long_files_is_kept_too(tmp_path: Path, short_ends: None) -> None:
    folder = tmp_path / "sessions"
    put(folder, "long", *long_lines())
    cache = SessionCache(tmp_path / "cache.json")
    steps = browse([folder], cache, lambda: False)
    next(steps)
    steps.close()
    batches = all_of(folder, SessionCache(tmp_path / "cache.json"))
    assert not batches[0].infos[0].complete
    assert in_the_end(batches)["long"].complete
