"""Full outputs on disk: private, limited, and pruned."""

import os
import stat

import pytest

from pi_tui.agent.tools import limits, output_files
from pi_tui.agent.tools.output_files import OutputFile, prune


def test_the_file_and_its_folder_are_private(tmp_path):
    file = OutputFile(tmp_path / "cache" / "out")
    file.write(b"secret")
    file.close()
    assert file.path.read_bytes() == b"secret"
    assert stat.S_IMODE(file.path.stat().st_mode) == 0o600
    assert stat.S_IMODE((tmp_path / "cache" / "out").stat().st_mode) == 0o700


def test_no_more_than_the_limit_is_kept(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "OUTPUT_FILE_BYTES", 10)
    file = OutputFile(tmp_path)
    file.write(b"12345678")
    file.write(b"9abc")
    file.write(b"d")
    file.close()
    assert (file.path.read_bytes(), file.problem) == (b"12345678", "the limit for one output is reached")


def test_a_disk_that_is_nearly_full_is_left_room(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "OUTPUT_FILE_MIN_FREE_BYTES", 1 << 62)
    file = OutputFile(tmp_path)
    file.write(b"x")
    file.close()
    assert (file.size, file.problem) == (0, "the disk is nearly full")


def test_a_full_disk_is_told_and_not_raised(tmp_path, monkeypatch):
    file = OutputFile(tmp_path)
    file.write(b"first")

    def fail(*arguments):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(output_files.os, "write", fail)
    file.write(b"second")
    assert (file.size, file.problem) == (5, "No space left on device")
    file.close()


def test_a_folder_that_cannot_be_made_is_told(tmp_path):
    (tmp_path / "f").touch()
    file = OutputFile(tmp_path / "f" / "out")
    file.write(b"x")
    file.close()
    assert not file.exists
    assert file.problem


def made(folder, name, size, age):
    path = folder / name
    path.write_bytes(b"x" * size)
    os.utime(path, (1_000_000 - age, 1_000_000 - age))
    return path


def test_old_files_and_then_the_oldest_are_removed(tmp_path, monkeypatch):
    monkeypatch.setattr(limits, "OUTPUT_FILES_SECONDS", 100)
    monkeypatch.setattr(limits, "OUTPUT_FILES_BYTES", 25)
    made(tmp_path, "bash-a.log", 1, age=101)
    made(tmp_path, "bash-b.log", 10, age=90)
    made(tmp_path, "bash-c.log", 10, age=50)
    made(tmp_path, "bash-d.log", 10, age=1)
    made(tmp_path, "notes.txt", 50, age=999)
    prune(tmp_path, now=1_000_000)
    assert sorted(path.name for path in tmp_path.iterdir()) == ["bash-c.log", "bash-d.log", "notes.txt"]


@pytest.mark.parametrize("folder", ["missing", "empty"])
def test_there_may_be_nothing_to_prune(tmp_path, folder):
    (tmp_path / "empty").mkdir()
    prune(tmp_path / folder)
