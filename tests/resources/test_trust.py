"""Decisions about projects: which one counts, and how they are kept."""

import json
from pathlib import Path

import pytest

from pi_tui.resources.trust import (
    TrustFileError,
    load_decisions,
    project_agents_skills,
    protected_resources,
    save_decision,
)


def write(agent_dir: Path, data: object) -> Path:
    agent_dir.mkdir(parents=True, exist_ok=True)
    path = agent_dir / "trust.json"
    path.write_text(data if isinstance(data, str) else json.dumps(data))
    return path


def test_the_closest_decision_counts(tmp_path: Path) -> None:
    write(
        tmp_path / "agent", {str(tmp_path): True, str(tmp_path / "a" / "b"): False, str(tmp_path / "c"): None}
    )
    decisions = load_decisions(tmp_path / "agent")
    assert decisions.closest(tmp_path / "a") == (tmp_path, True)
    assert decisions.closest(tmp_path / "a" / "b" / "c") == (tmp_path / "a" / "b", False)
    assert decisions.closest(tmp_path / "c") == (tmp_path, True)
    assert decisions.closest(tmp_path.parent) is None


def test_a_link_to_a_folder_is_that_folder(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    save_decision(tmp_path / "agent", tmp_path / "link", True)
    assert json.loads((tmp_path / "agent" / "trust.json").read_text()) == {str(tmp_path / "real"): True}
    assert load_decisions(tmp_path / "agent").closest(tmp_path / "real") == (tmp_path / "real", True)


def test_other_decisions_stay_and_one_can_be_forgotten(tmp_path: Path) -> None:
    path = write(tmp_path / "agent", {"/elsewhere": True, "/unknown": "later"})
    save_decision(tmp_path / "agent", tmp_path, False)
    assert json.loads(path.read_text()) == {"/elsewhere": True, "/unknown": "later", str(tmp_path): False}
    save_decision(tmp_path / "agent", tmp_path, None)
    assert json.loads(path.read_text()) == {"/elsewhere": True, "/unknown": "later"}


@pytest.mark.parametrize("text", ["{", "[]", "\udcff".encode("utf-8", "surrogateescape").decode("latin-1")])
def test_a_broken_file_decides_nothing_and_is_not_overwritten(tmp_path: Path, text: str) -> None:
    path = write(tmp_path / "agent", text)
    decisions = load_decisions(tmp_path / "agent")
    assert decisions.closest(tmp_path) is None and decisions.problems
    with pytest.raises(TrustFileError, match=r"trust\.json"):
        save_decision(tmp_path / "agent", tmp_path, True)
    assert path.read_text() == text


@pytest.mark.parametrize(
    "name",
    [
        "settings.json",
        "SYSTEM.md",
        "APPEND_SYSTEM.md",
        "skills",
        "prompts",
        "themes",
        "extensions",
        "mcp.json",
    ],
)
def test_everything_that_is_loaded_needs_trust(tmp_path: Path, name: str) -> None:
    cwd = tmp_path / "project"
    (cwd / ".pi").mkdir(parents=True)
    assert protected_resources(cwd, tmp_path / "agent") == []
    (cwd / ".pi" / name).symlink_to(tmp_path / "gone")
    assert protected_resources(cwd, tmp_path / "agent") == [f".pi/{name}"]


def test_skills_of_agents_are_looked_for_up_to_the_repository(tmp_path: Path, home: Path) -> None:
    repository = tmp_path / "repository"
    inner = repository / "a" / "b"
    inner.mkdir(parents=True)
    (repository / ".git").mkdir()
    for folder in (tmp_path, repository, inner):
        (folder / ".agents" / "skills").mkdir(parents=True)
    assert project_agents_skills(inner) == [inner / ".agents" / "skills", repository / ".agents" / "skills"]


def test_the_users_own_skills_need_no_trust(home: Path) -> None:
    (home / ".agents" / "skills").mkdir(parents=True)
    (home / "work").mkdir()
    assert protected_resources(home / "work", home / ".pi" / "agent") == []
