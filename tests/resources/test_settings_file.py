"""Writing a setting loses nothing that stands in the file."""

import json
import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from pi_tui.resources.settings_file import SettingsFileError, read_settings, save_setting


def test_a_new_file_is_private_and_so_is_its_folder(tmp_path: Path) -> None:
    path = tmp_path / "agent" / "settings.json"
    save_setting(path, "theme", "dark")
    assert json.loads(path.read_text()) == {"theme": "dark"}
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


def test_unknown_keys_their_order_and_the_indentation_are_kept(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n\t"zebra": [1, 2],\n\t"theme": "dark",\n\t"später": "ä",\n\t"apple": null\n}\n')
    save_setting(path, "theme", "light")
    text = path.read_text()
    assert list(json.loads(text)) == ["zebra", "theme", "später", "apple"]
    assert '\n\t"theme": "light"' in text
    assert '"ä"' in text


def test_a_nested_setting_is_set_and_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    save_setting(path, "retry.provider.maxRetries", 2)
    save_setting(path, "retry.enabled", False)
    assert json.loads(path.read_text()) == {"retry": {"provider": {"maxRetries": 2}, "enabled": False}}
    save_setting(path, "retry.enabled", None)
    assert json.loads(path.read_text()) == {"retry": {"provider": {"maxRetries": 2}}}


def test_taking_out_what_is_not_there_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "dark"}')
    save_setting(path, "retry.enabled", None)
    assert json.loads(path.read_text()) == {"theme": "dark"}


def test_the_mode_of_a_file_is_kept_and_a_link_stays_a_link(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "pi.json"
    real.parent.mkdir()
    real.write_text("{}")
    real.chmod(0o640)
    link = tmp_path / "settings.json"
    link.symlink_to(real)
    save_setting(link, "theme", "dark")
    assert link.is_symlink()
    assert json.loads(real.read_text()) == {"theme": "dark"}
    assert stat.S_IMODE(real.stat().st_mode) == 0o640


@pytest.mark.parametrize("text", ['{"theme": ', "[]", '{ // mine\n "theme": ["dark" }'])
def test_a_file_that_a_rewrite_would_damage_is_left_alone(tmp_path: Path, text: str) -> None:
    path = tmp_path / "settings.json"
    path.write_text(text)
    with pytest.raises(SettingsFileError):
        save_setting(path, "theme", "light")
    assert path.read_text() == text


def test_a_failed_write_leaves_the_file_and_no_rubbish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{"theme": "dark"}')

    def full(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        save_setting(path, "theme", "light")
    assert path.read_text() == '{"theme": "dark"}'
    assert {one.name for one in tmp_path.iterdir()} <= {"settings.json", ".settings.lock"}


def test_processes_that_write_at_once_lose_nothing_of_each_other(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    code = (
        "import sys; from pathlib import Path; from pi_tui.resources.settings_file import save_setting\n"
        "for n in range(20): save_setting(Path(sys.argv[1]), f'{sys.argv[2]}.k{n}', n)"
    )
    writers = [subprocess.Popen([sys.executable, "-c", code, str(path), name]) for name in ("a", "b")]
    assert [writer.wait(60) for writer in writers] == [0, 0]
    expected = {f"k{n}": n for n in range(20)}
    assert read_settings(path)[0] == {"a": expected, "b": expected}


def test_a_byte_order_mark_is_no_error(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(b'\xef\xbb\xbf{"theme": "dark"}')
    assert read_settings(path)[0] == {"theme": "dark"}


@pytest.mark.parametrize("raw", [b"\xff\xfe{}", b"{" + b" " * 300_000 + b"}"])
def test_what_is_no_settings_file_is_refused(tmp_path: Path, raw: bytes) -> None:
    path = tmp_path / "settings.json"
    path.write_bytes(raw)
    with pytest.raises(SettingsFileError):
        read_settings(path)


def test_comments_stay_where_a_setting_is_changed_added_or_taken_out(tmp_path: Path) -> None:
    path = tmp_path / "settings.json"
    path.write_text('{\n  // Colours.\n  "theme": "dark", // mine\n  "mine": [1,],\n}\n')
    save_setting(path, "theme", "light")
    save_setting(path, "retry.maxRetries", 5)
    text = path.read_text()
    assert "// Colours." in text and "// mine" in text
    assert read_settings(path)[0] == {"theme": "light", "mine": [1], "retry": {"maxRetries": 5}}
    save_setting(path, "theme", None)
    assert read_settings(path)[0] == {"mine": [1], "retry": {"maxRetries": 5}}
    assert "// Colours." in path.read_text() and "// mine" in path.read_text()
