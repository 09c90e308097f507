import subprocess
from pathlib import Path

import pytest

from pi_tui.runtime.git_branch import git_branch


def git(folder: Path, *arguments: str) -> str:
    command = ["git", "-c", "user.name=t", "-c", "user.email=t@example.com", *arguments]
    return subprocess.run(command, cwd=folder, check=True, capture_output=True, text=True).stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q", "-b", "feature/tree")
    git(folder, "commit", "-q", "--allow-empty", "-m", "first")
    return folder


def test_the_branch_is_that_of_git(repository: Path) -> None:
    assert git_branch(repository) == git(repository, "branch", "--show-current") == "feature/tree"


def test_a_folder_inside_has_the_branch_of_its_repository(repository: Path) -> None:
    inside = repository / "a" / "b"
    inside.mkdir(parents=True)
    assert git_branch(inside) == "feature/tree"


def test_a_worktree_has_its_own_branch(repository: Path, tmp_path: Path) -> None:
    git(repository, "worktree", "add", "-q", "-b", "other", str(tmp_path / "tree"))
    assert git_branch(tmp_path / "tree") == "other"


def test_a_detached_head_shows_the_commit(repository: Path) -> None:
    git(repository, "checkout", "-q", "--detach")
    branch = git_branch(repository)
    assert branch and git(repository, "rev-parse", "HEAD").startswith(branch)


def test_outside_a_repository_there_is_none(tmp_path: Path) -> None:
    assert git_branch(tmp_path) is None


def test_a_damaged_git_file_is_no_repository(tmp_path: Path) -> None:
    (tmp_path / ".git").write_bytes(b"\xff\xfe nonsense")
    assert git_branch(tmp_path) is None
