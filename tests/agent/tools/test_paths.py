"""From what a model writes to the file it means."""

import os
import unicodedata
from pathlib import Path

import pytest

from pi_tui.agent.tools.paths import resolve


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    for name in ("plain.txt", "with space.txt", "quo'te\".txt", "new\nline", "-rf", "~tilde", "@literal"):
        (tmp_path / name).touch()
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "f").touch()
    (tmp_path / "@types").mkdir()
    (tmp_path / "Shot at 1.00\u202fPM.png").touch()
    (tmp_path / unicodedata.normalize("NFD", "Übergröße.txt")).touch()
    (tmp_path / unicodedata.normalize("NFC", "café.txt")).touch()
    (tmp_path / "it\u2019s.txt").touch()
    (tmp_path / unicodedata.normalize("NFD", "Ärger")).mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("asked", "meant"),
    [
        pytest.param("plain.txt", "plain.txt", id="relative"),
        pytest.param("./sub/../plain.txt", "sub/../plain.txt", id="dots"),
        pytest.param("with space.txt", "with space.txt", id="space"),
        pytest.param("quo'te\".txt", "quo'te\".txt", id="quotes"),
        pytest.param("new\nline", "new\nline", id="newline"),
        pytest.param("-rf", "-rf", id="looks like an option"),
        pytest.param("@plain.txt", "plain.txt", id="@ dropped"),
        pytest.param("@sub/f", "sub/f", id="@ dropped before a folder"),
        pytest.param("@literal", "@literal", id="@ that is part of the name"),
        pytest.param("@types/new.d.ts", "@types/new.d.ts", id="@ of an existing folder"),
        pytest.param("@missing", "missing", id="@ dropped for a new file"),
        pytest.param("Shot at 1.00 PM.png", "Shot at 1.00\u202fPM.png", id="U+202F"),
        pytest.param("Übergröße.txt", unicodedata.normalize("NFD", "Übergröße.txt"), id="NFC for NFD"),
        pytest.param(unicodedata.normalize("NFD", "café.txt"), "café.txt", id="NFD for NFC"),
        pytest.param("it's.txt", "it\u2019s.txt", id="apostrophe"),
        pytest.param(
            "Ärger/new.txt",
            unicodedata.normalize("NFD", "Ärger") + "/new.txt",
            id="new file in such a folder",
        ),
        pytest.param("missing/also/f", "missing/also/f", id="missing"),
    ],
)
def test_the_file_that_is_meant_is_found(folder, asked, meant):
    assert os.fspath(resolve(asked, folder)) == f"{folder}/{meant}"


def test_of_two_lookalikes_neither_is_taken(folder):
    (folder / "Shot at 1.00\u00a0PM.png").touch()
    assert resolve("Shot at 1.00 PM.png", folder) == folder / "Shot at 1.00 PM.png"


def test_absolute_paths_and_the_home_folder(folder, monkeypatch):
    monkeypatch.setenv("HOME", str(folder / "sub"))
    assert resolve("/etc/hosts", folder) == Path("/etc/hosts")
    assert resolve("~/f", folder) == folder / "sub/f"
    assert resolve("@~/f", folder) == folder / "sub/f"
