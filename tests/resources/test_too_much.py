"""A home with more than anyone has, and files that are broken: it starts, and says what was left out."""

import os
from pathlib import Path

import pytest

from bench.resources import fill
from pi_tui.resources.loading import Resources, Wanted, load_resources

COUNT = 400


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> Resources:
    root = tmp_path_factory.mktemp("too-much")
    agent_dir, project = root / "agent", root / "project"
    project.mkdir()
    fill(agent_dir, project, COUNT)
    return load_resources(project, agent_dir, Wanted(base=project), trusted=False)


def problem_of(loaded: Resources, path: str) -> str:
    return "\n".join(one.message for one in loaded.problems if one.file.endswith(path))


def test_skills_beyond_the_limit_are_left_out_and_that_is_said(loaded: Resources) -> None:
    assert len(loaded.skills) == 300
    assert "more than 300 skills" in problem_of(loaded, "agent/skills")
    assert len({skill.name for skill in loaded.skills}) == 300


def test_a_context_file_too_large_for_any_model_is_left_out_and_that_is_said(loaded: Resources) -> None:
    assert [Path(file.path).parent.name for file in loaded.context_files] == ["agent"]
    assert "is larger than 1024 KiB; left out" in problem_of(loaded, "project/AGENTS.md")


def test_bytes_that_are_no_text_are_replaced_and_that_is_said(loaded: Resources) -> None:
    assert "r\ufffdsum\ufffd" in loaded.context_files[0].text
    assert "is not UTF-8" in problem_of(loaded, "agent/AGENTS.md")
    assert problem_of(loaded, "skill-00100/SKILL.md")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_a_skill_that_may_not_be_read_is_named(loaded: Resources) -> None:
    assert "cannot be read" in problem_of(loaded, "skill-00200/SKILL.md")


def test_windows_line_ends_are_line_ends(loaded: Resources) -> None:
    assert next(one for one in loaded.skills if one.name == "skill-00001").description == "Does thing 1."
