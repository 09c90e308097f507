import os
import stat
from pathlib import Path

import pytest

from pi_tui.llm.replace_file import replace_file


def mode_of(path: Path) -> int:
    return stat.S_IMODE(path.stat().st_mode)


def test_a_new_file_is_private_and_an_old_one_keeps_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a"
    replace_file(path, b"one")
    assert (path.read_bytes(), mode_of(path)) == (b"one", 0o600)
    path.chmod(0o644)
    replace_file(path, b"two")
    assert (path.read_bytes(), mode_of(path)) == (b"two", 0o644)
    replace_file(path, b"three", mode=0o600)
    assert mode_of(path) == 0o600


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "elsewhere" / "real"
    real.parent.mkdir()
    real.write_bytes(b"old")
    (tmp_path / "link").symlink_to(real)
    replace_file(tmp_path / "link", b"new")
    assert (tmp_path / "link").is_symlink()
    assert real.read_bytes() == b"new"


def test_a_failed_write_leaves_the_old_file_and_no_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "a"
    path.write_bytes(b"old")

    def full(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        replace_file(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]
    replace_file(path, b"new", durable=False)
    assert path.read_bytes() == b"new"
