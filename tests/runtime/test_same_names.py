"""The same names in what an option names, the project's, the user's and shipped places."""

import json
from pathlib import Path

import pytest

from pi_tui.resources.loading import theme_sources
from pi_tui.resources.paths import shipped_dir
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from pi_tui.tui.theme.discover import discover_themes

SHIPPED_SKILL = "pi-sessions"
DARK = (shipped_dir("themes") / "dark.json").read_text()


def write(path: Path, text: str) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    return path


def skill(path: Path, description: str) -> Path:
    return write(path, f"---\nname: {SHIPPED_SKILL}\ndescription: {description}\n---\nBody.\n")


@pytest.fixture
def places(tmp_path: Path, home: Path) -> dict[str, Path]:
    return {
        "option": tmp_path / "named",
        "project": tmp_path / "project" / ".pi",
        "user": home / ".pi" / "agent",
    }


def opened(places: dict[str, Path], **options: object) -> Session:
    cwd = places["project"].parent
    cwd.mkdir(exist_ok=True)
    return open_session(Launch(cwd=cwd, in_memory=True, offline=True, approve=True, **options))  # type: ignore[arg-type]


ORDERS = [["option", "project", "user"], ["project", "user"], ["user"]]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: " ".join(order))
def test_the_first_skill_counts_and_the_others_are_named(places: dict[str, Path], order: list[str]) -> None:
    files = {place: skill(places[place] / "skills" / "s" / "SKILL.md", place) for place in order}
    options = {"skills": [str(places["option"])]} if "option" in order else {}
    session = opened(places, **options)
    assert session.services.resources is not None
    found = session.services.resources.skill(SHIPPED_SKILL)
    assert found is not None
    assert found.description == order[0]
    told = [one for one in session.services.problems if str(files[order[0]]) in one and "left out" in one]
    shipped = shipped_dir("skills") / SHIPPED_SKILL / "SKILL.md"
    assert [one.partition(": ")[0].split(":")[0] for one in told] == [
        *(str(files[place]) for place in order[1:]),
        str(shipped),
    ]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: " ".join(order))
def test_the_first_template_counts_and_the_others_are_named(
    places: dict[str, Path], order: list[str]
) -> None:
    files = {place: write(places[place] / "prompts" / "review.md", place) for place in order}
    options = {"templates": [str(places["option"] / "prompts")]} if "option" in order else {}
    session = opened(places, **options)
    assert session.written("/review") == order[0]
    told = "\n".join(session.services.problems)
    for place in order[1:]:
        assert f"{files[place]}: is left out: {files[order[0]]} is the command /review already" in told


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: " ".join(order))
def test_the_first_theme_counts_and_the_others_are_named(places: dict[str, Path], order: list[str]) -> None:
    accents = {"option": "#111111", "project": "#222222", "user": "#333333"}
    files = {}
    for place in order:
        text = DARK.replace('"accent": "#52d0c6"', f'"accent": "{accents[place]}"')
        files[place] = write(places[place] / "themes" / "dark.json", text)
    resources = opened(places).services.resources
    assert resources is not None
    options = [files["option"]] if "option" in order else []
    sources, selection = theme_sources(resources, places["user"], options)
    shelf = discover_themes(sources, selection.allows)
    assert shelf.palettes["dark"].color("accent") == accents[order[0]]
    assert shelf.files["dark"] == files[order[0]]
    assert shelf.replaced == {"dark"}
    assert [problem.file for problem in shelf.problems] == [str(files[place]) for place in order[1:]]


def test_the_projects_settings_win_and_both_files_are_named(places: dict[str, Path]) -> None:
    user = write(places["user"] / "settings.json", json.dumps({"steeringMode": "all", "followUpMode": "all"}))
    project = write(places["project"] / "settings.json", json.dumps({"steeringMode": "one-at-a-time"}))
    session = opened(places)
    assert session.services.settings.steering_mode == "one-at-a-time"
    assert session.services.settings.follow_up_mode == "all"
    assert session.services.resources is not None
    assert session.services.resources.settings_files == [user, project]


def test_the_projects_system_prompt_takes_the_place_of_the_users(places: dict[str, Path]) -> None:
    write(places["user"] / "SYSTEM.md", "The user's.")
    project = write(places["project"] / "SYSTEM.md", "The project's.")
    session = opened(places)
    assert session.services.prompt.text.startswith("The project's.")
    assert session.services.resources is not None
    assert session.services.resources.texts.files == [project]
