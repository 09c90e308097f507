"""Where replacements of and additions to the system prompt come from."""

from pathlib import Path

import pytest

from pi_tui.resources.prompt_files import load_prompt_texts


@pytest.fixture
def agent(tmp_path: Path) -> Path:
    agent = tmp_path / "agent"
    agent.mkdir()
    (agent / "SYSTEM.md").write_text("user's own")
    (agent / "APPEND_SYSTEM.md").write_text("user's addition\n")
    return agent


def test_the_users_files_are_read(tmp_path: Path, agent: Path) -> None:
    found = load_prompt_texts(tmp_path, agent)
    assert (found.instead, found.addendum) == ("user's own", "user's addition")


def test_without_files_nothing_is_changed(tmp_path: Path) -> None:
    found = load_prompt_texts(tmp_path, tmp_path)
    assert (found.instead, found.addendum, found.problems) == (None, "", [])


def test_a_trusted_projects_file_takes_the_place_of_the_users(tmp_path: Path, agent: Path) -> None:
    project = tmp_path / ".pi"
    project.mkdir()
    (project / "APPEND_SYSTEM.md").write_text("project's addition")
    found = load_prompt_texts(tmp_path, agent, project)
    assert (found.instead, found.addendum) == ("user's own", "project's addition")


def test_options_win_over_files(tmp_path: Path, agent: Path) -> None:
    found = load_prompt_texts(tmp_path, agent, system_option="A poet.", append_options=["One.", "Two."])
    assert (found.instead, found.addendum) == ("A poet.", "One.\n\nTwo.")


def test_an_option_may_name_a_file(tmp_path: Path, agent: Path) -> None:
    (tmp_path / "poet.md").write_text("From a file.")
    found = load_prompt_texts(tmp_path, agent, system_option="poet.md", append_options=["~/nowhere.md"])
    assert found.instead == "From a file."
    assert found.addendum == "~/nowhere.md"


@pytest.mark.parametrize("text", ["a\0b", "x" * 5_000, "one\ntwo", "~nobody-of-that-name/x"])
def test_a_text_that_can_be_no_path_is_a_text(tmp_path: Path, text: str) -> None:
    assert load_prompt_texts(tmp_path, tmp_path, system_option=text).instead == text
