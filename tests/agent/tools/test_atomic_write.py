"""A file is replaced whole or not at all, and stays the file it was."""

import errno
import os
import stat
import threading
import time

import pytest

from pi_tui.agent.tools import atomic_write
from pi_tui.agent.tools.atomic_write import ChangedMeanwhileError, write_file
from pi_tui.agent.tools.file_state import FileState, NotRegularError


def leftovers(folder):
    return list(folder.glob(".pi-*"))


def test_a_new_file_gets_the_folders_to_it_and_the_usual_mode(tmp_path):
    umask = os.umask(0o022)
    try:
        write_file(tmp_path / "a" / "b" / "f", b"x")
    finally:
        os.umask(umask)
    assert (tmp_path / "a/b/f").read_bytes() == b"x"
    assert stat.S_IMODE((tmp_path / "a/b/f").stat().st_mode) == 0o644
    assert leftovers(tmp_path / "a/b") == []


@pytest.mark.parametrize("mode", [0o600, 0o644, 0o755, 0o4755, 0o640])
def test_the_mode_is_kept(tmp_path, mode):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(mode)
    write_file(path, b"new")
    assert (path.read_bytes(), stat.S_IMODE(path.stat().st_mode)) == (b"new", mode)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give files away")
def test_the_owner_is_kept(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    os.chown(path, 12345, 23456)
    write_file(path, b"new")
    assert (path.stat().st_uid, path.stat().st_gid) == (12345, 23456)


def test_extended_attributes_are_kept(tmp_path):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    try:
        os.setxattr(path, "user.note", b"kept")
    except OSError:
        pytest.skip("no extended attributes here")
    write_file(path, b"new")
    assert os.getxattr(path, "user.note") == b"kept"


def test_a_symbolic_link_stays_and_its_target_is_written(tmp_path):
    (tmp_path / "real").mkdir()
    target = tmp_path / "real" / "f"
    target.write_bytes(b"old")
    (tmp_path / "one").symlink_to("real/f")
    (tmp_path / "two").symlink_to("one")
    write_file(tmp_path / "two", b"new")
    assert target.read_bytes() == b"new"
    assert (tmp_path / "one").is_symlink() and (tmp_path / "two").is_symlink()


def test_a_dangling_link_makes_its_target(tmp_path):
    (tmp_path / "link").symlink_to("later/f")
    write_file(tmp_path / "link", b"new")
    assert (tmp_path / "later/f").read_bytes() == b"new"


def test_hard_links_stay_one_file(tmp_path):
    path, other = tmp_path / "f", tmp_path / "g"
    path.write_bytes(b"a longer old content")
    os.link(path, other)
    write_file(path, b"new")
    assert other.read_bytes() == b"new"
    assert path.stat().st_ino == other.stat().st_ino
    write_file(path, b"a much longer new content" * 100)
    assert other.read_bytes() == b"a much longer new content" * 100


def failing_write(after: int, code: int):
    written = 0
    real = os.write

    def write(descriptor, data):
        nonlocal written
        if written >= after:
            raise OSError(code, os.strerror(code))
        size = real(descriptor, bytes(data)[: after - written])
        written += size
        return size

    return write


def test_what_a_killed_program_left_is_removed_past_its_age(tmp_path):
    made = {".pi-0123456789abcdef.tmp": 2, ".pi-fedcba9876543210.tmp": 0, ".pi-notes.tmp": 2, "f": 2}
    for name, days in made.items():
        (tmp_path / name).write_bytes(b"x")
        os.utime(tmp_path / name, (time.time() - days * 86_400 - 9,) * 2)
    write_file(tmp_path / "f", b"new")
    assert {path.name for path in tmp_path.iterdir()} == made.keys() - {".pi-0123456789abcdef.tmp"}


def test_a_full_disk_leaves_the_old_file(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    monkeypatch.setattr(atomic_write.os, "write", failing_write(2, errno.ENOSPC))
    with pytest.raises(OSError) as raised:
        write_file(path, b"new content")
    assert raised.value.errno == errno.ENOSPC
    assert path.read_bytes() == b"old"
    assert leftovers(tmp_path) == []


def test_a_failure_in_place_puts_the_old_content_back(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_bytes(b"the old content")
    os.link(path, tmp_path / "g")
    real_fsync = os.fsync

    def fsync(descriptor):
        monkeypatch.setattr(atomic_write.os, "fsync", real_fsync)
        raise OSError(errno.EIO, "failed")

    monkeypatch.setattr(atomic_write.os, "fsync", fsync)
    with pytest.raises(OSError):
        write_file(path, b"new and longer than the old content")
    assert path.read_bytes() == b"the old content"


def test_a_file_that_cannot_be_renamed_over_is_written_in_place(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    number = path.stat().st_ino

    def replace(self, target):
        raise OSError(errno.EBUSY, "a mount")

    monkeypatch.setattr(type(path), "replace", replace)
    write_file(path, b"new")
    assert (path.read_bytes(), path.stat().st_ino) == (b"new", number)
    assert leftovers(tmp_path) == []


def test_a_file_without_write_permission_is_refused(tmp_path, monkeypatch):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    path.chmod(0o444)
    monkeypatch.setattr(atomic_write.os, "access", lambda *a, **k: False)
    monkeypatch.setattr(atomic_write.os, "supports_effective_ids", set())
    with pytest.raises(PermissionError):
        write_file(path, b"new")
    assert path.read_bytes() == b"old"


@pytest.mark.parametrize("make", [os.mkdir, os.mkfifo], ids=["directory", "FIFO"])
def test_what_is_no_file_is_refused_without_waiting(tmp_path, make):
    make(tmp_path / "f")
    with pytest.raises(NotRegularError):
        write_file(tmp_path / "f", b"x")


@pytest.mark.parametrize("what", ["changed", "gone"])
def test_a_file_that_changed_since_it_was_looked_at_is_left_alone(tmp_path, what):
    path = tmp_path / "f"
    path.write_bytes(b"old")
    expected = FileState.signature_of(path.stat())
    if what == "gone":
        path.unlink()
    else:
        path.write_bytes(b"theirs")
    with pytest.raises(ChangedMeanwhileError):
        write_file(path, b"new", expected)
    assert not path.exists() if what == "gone" else path.read_bytes() == b"theirs"
    assert leftovers(tmp_path) == []


def test_a_reader_sees_the_old_content_or_the_new_one(tmp_path):
    path = tmp_path / "f"
    contents = {b"a" * 100_000, b"b" * 120_000}
    path.write_bytes(b"a" * 100_000)
    seen, done = set(), threading.Event()

    def read():
        while not done.is_set():
            seen.add(path.read_bytes())

    reader = threading.Thread(target=read)
    reader.start()
    for content in sorted(contents) * 15:
        write_file(path, content)
    done.set()
    reader.join()
    assert seen <= contents
