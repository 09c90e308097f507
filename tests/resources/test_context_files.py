"""Which AGENTS.md and CLAUDE.md files reach the model, and in which order."""

import os
import subprocess
from pathlib import Path

import pytest

from pi_tui.resources.context_files import ContextFiles, load_context_files


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    agent = tmp_path / "agent"
    agent.mkdir()
    return agent


@pytest.fixture
def project(tmp_path: Path) -> Path:
    project = tmp_path / "outer" / "project"
    project.mkdir(parents=True)
    return project


def texts(found: ContextFiles) -> list[str]:
    return [file.text for file in found.files]


def test_the_users_file_comes_first_then_the_parents_from_outside_in(agent: Path, project: Path) -> None:
    (agent / "AGENTS.md").write_text("user")
    (project.parent / "AGENTS.md").write_text("outer")
    (project / "AGENTS.md").write_text("project")
    found = load_context_files(project, agent)
    assert texts(found) == ["user", "outer", "project"]
    assert found.files[2].path == str(project / "AGENTS.md")
    assert found.problems == []


@pytest.mark.parametrize(
    ("names", "winner"),
    [
        (["CLAUDE.md", "AGENTS.md"], "AGENTS.md"),
        (["CLAUDE.md", "AGENTS.md", "AGENTS.override.md"], "AGENTS.override.md"),
        (["CLAUDE.md"], "CLAUDE.md"),
        (["AGENTS.MD", "CLAUDE.md"], "AGENTS.MD"),
        (["CLAUDE.MD"], "CLAUDE.MD"),
    ],
)
def test_one_file_of_a_folder_counts(agent: Path, project: Path, names: list[str], winner: str) -> None:
    for name in names:
        (project / name).write_text(name)
    assert texts(load_context_files(project, agent)) == [winner]


def test_an_override_speaks_for_its_own_folder_only(agent: Path, project: Path) -> None:
    (project.parent / "AGENTS.md").write_text("outer")
    (project / "AGENTS.override.md").write_text("override")
    (project / "AGENTS.md").write_text("shared")
    assert texts(load_context_files(project, agent)) == ["outer", "override"]


def test_a_file_that_is_reached_twice_is_read_once(agent: Path, project: Path) -> None:
    (agent / "AGENTS.md").write_text("same")
    (project / "AGENTS.md").symlink_to(agent / "AGENTS.md")
    assert texts(load_context_files(project, agent)) == ["same"]


def test_the_agent_dir_as_working_directory_is_read_once(agent: Path) -> None:
    (agent / "AGENTS.md").write_text("user")
    assert texts(load_context_files(agent, agent)) == ["user"]


@pytest.mark.skipif(os.geteuid() == 0, reason="root reads everything")
def test_an_unreadable_file_is_reported(agent: Path, project: Path) -> None:
    path = project / "AGENTS.md"
    path.write_text("secret")
    path.chmod(0)
    found = load_context_files(project, agent)
    assert texts(found) == []
    assert str(path) in str(found.problems[0])


def test_a_link_to_nowhere_is_reported_and_hides_no_other_folder(agent: Path, project: Path) -> None:
    (project / "AGENTS.md").symlink_to(project / "gone.md")
    (project.parent / "CLAUDE.md").write_text("outer")
    found = load_context_files(project, agent)
    assert texts(found) == ["outer"]
    assert str(project / "AGENTS.md") in str(found.problems[0])


def test_a_link_to_itself_is_reported(agent: Path, project: Path) -> None:
    (project / "AGENTS.md").symlink_to("AGENTS.md")
    found = load_context_files(project, agent)
    assert texts(found) == []
    assert str(project / "AGENTS.md") in str(found.problems[0])


def test_a_folder_of_that_name_is_no_context_file(agent: Path, project: Path) -> None:
    (project / "AGENTS.md").mkdir()
    (project / "CLAUDE.md").write_text("claude")
    found = load_context_files(project, agent)
    assert (texts(found), found.problems) == (["claude"], [])


def test_a_pipe_of_that_name_does_not_hang(agent: Path, project: Path) -> None:
    os.mkfifo(project / "AGENTS.md")
    found = load_context_files(project, agent)
    assert texts(found) == []
    assert len(found.problems) == 1


def test_a_large_file_is_loaded_whole_and_noticed(agent: Path, project: Path) -> None:
    text = "word " * 8_000
    (project / "AGENTS.md").write_text(text)
    found = load_context_files(project, agent)
    assert texts(found) == [text]
    assert "10,000 tokens" in str(found.problems[0])


def test_bytes_that_are_not_utf8_are_replaced_and_reported(agent: Path, project: Path) -> None:
    (project / "AGENTS.md").write_bytes(b"caf\xe9 rules")
    found = load_context_files(project, agent)
    assert texts(found) == ["caf� rules"]
    assert len(found.problems) == 1


def test_an_empty_file_adds_nothing(agent: Path, project: Path) -> None:
    (project / "AGENTS.md").write_text(" \n")
    found = load_context_files(project, agent)
    assert (found.files, found.problems) == ([], [])


def test_a_worktree_inside_its_checkout_is_not_told_the_same_twice(agent: Path, project: Path) -> None:
    def git(*arguments: str, cwd: Path = project) -> None:
        author = ("-c", "user.name=t", "-c", "user.email=t@example.org")
        subprocess.run(["git", *author, *arguments], cwd=cwd, check=True, capture_output=True)

    git("init", "-q")
    (project / "AGENTS.md").write_text("committed")
    git("add", ".")
    git("commit", "-qm", "first")
    git("worktree", "add", "-q", ".worktrees/x", "-b", "x")
    worktree = project / ".worktrees" / "x"
    (project / "AGENTS.md").write_text("of the main checkout")
    (worktree / "AGENTS.md").write_text("of the worktree")
    (project.parent / "AGENTS.md").write_text("outer")
    inside = worktree / "src"
    inside.mkdir()
    assert texts(load_context_files(inside, agent)) == ["outer", "of the worktree"]
    assert texts(load_context_files(project, agent)) == ["outer", "of the main checkout"]
