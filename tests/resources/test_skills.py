"""Where skills are found, what is read of them, and what is said when something is wrong."""

import os
from pathlib import Path

import pytest

from pi_tui.resources import skills as module
from pi_tui.resources.selection import Selection, absolute
from pi_tui.resources.skills import SkillFolder, Skills, discover_skills, skill_prompt


def skill(
    folder: Path, name: str | None = None, description: str = "Does things.", body: str = "Do it."
) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "SKILL.md"
    path.write_text(f"---\nname: {name or folder.name}\ndescription: {description}\n---\n{body}\n")
    return path


def found_in(*folders: Path, with_files: bool = False) -> Skills:
    return discover_skills([SkillFolder(folder, "user", with_files=with_files) for folder in folders])


def names(found: Skills) -> list[str]:
    return [one.name for one in found.skills]


def said(found: Skills) -> str:
    return "\n".join(map(str, found.problems))


def test_folders_are_searched_in_depth_and_in_order(tmp_path: Path) -> None:
    skill(tmp_path / "b")
    skill(tmp_path / "a" / "deep" / "er", "deeper")
    skill(tmp_path / "b" / "inner", "not-a-skill-of-its-own")
    skill(tmp_path / ".hidden", "hidden")
    skill(tmp_path / "node_modules" / "x", "module")
    found = found_in(tmp_path)
    assert (names(found), found.problems) == (["deeper", "b"], [])


def test_a_folder_that_is_not_there_is_no_problem(tmp_path: Path) -> None:
    assert found_in(tmp_path / "none") == Skills([], [])


def test_one_that_an_option_names_must_be_there(tmp_path: Path) -> None:
    found = discover_skills([SkillFolder(tmp_path / "none", "option", must_exist=True)])
    assert "none" in said(found)


def test_a_loop_of_links_ends_and_a_skill_reached_twice_is_one(tmp_path: Path) -> None:
    skill(tmp_path / "one" / "x")
    (tmp_path / "one" / "again").symlink_to(tmp_path / "one")
    (tmp_path / "two").mkdir()
    (tmp_path / "two" / "alias").symlink_to(tmp_path / "one" / "x")
    found = found_in(tmp_path / "one", tmp_path / "two")
    assert (names(found), found.problems) == (["x"], [])


def test_of_two_with_one_name_the_first_counts_and_the_other_is_named(tmp_path: Path) -> None:
    first, second = skill(tmp_path / "one" / "x"), skill(tmp_path / "two" / "x")
    found = found_in(tmp_path / "one", tmp_path / "two")
    assert [one.path for one in found.skills] == [first]
    assert str(second) in said(found) and str(first) in said(found)


def test_a_description_with_a_colon_is_kept_and_reported_with_its_line(tmp_path: Path) -> None:
    path = skill(tmp_path / "x", description="Use for: tables")
    found = found_in(tmp_path)
    assert found.skills[0].description == "Use for: tables"
    assert said(found).startswith(f"{path}:3:")


@pytest.mark.parametrize(
    ("head", "loaded", "reported"),
    [
        ("name: x", [], "description"),
        ("name: x\ndescription:", [], ":3: description"),
        ("name: x\ndescription: [a, b]", [], "is no text"),
        ("description: d", ["folder"], ""),
        ("name: Some Name!\ndescription: d", ["some-name"], ":2: name"),
        ("name: a--b\ndescription: d", ["a-b"], "single hyphens"),
        ("name: '日本'\ndescription: d", [], ":2: name"),
        (f"name: {'n' * 70}\ndescription: d", ["n" * 64], "at most 64"),
        ("name: 7\ndescription: d", ["7"], ""),
        ("name: x\ndescription: d\nlicense: MIT\nmetadata:\n  a: b\nallowed-tools: read", ["x"], ""),
    ],
)
def test_fields_are_checked(tmp_path: Path, head: str, loaded: list[str], reported: str) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "SKILL.md").write_text(f"---\n{head}\n---\nbody\n")
    found = found_in(tmp_path)
    assert names(found) == loaded
    assert reported in said(found)
    assert bool(found.problems) == bool(reported)


def test_a_long_description_is_cut_and_reported(tmp_path: Path) -> None:
    skill(tmp_path / "x", description="d" * 1100)
    found = found_in(tmp_path)
    assert len(found.skills[0].description) == 1024
    assert "longer than 1024" in said(found)


@pytest.mark.parametrize(("value", "may"), [("true", False), ("false", True), ("maybe", False)])
def test_a_skill_can_be_kept_from_the_model(tmp_path: Path, value: str, may: bool) -> None:
    path = skill(tmp_path / "x")
    path.write_text(path.read_text().replace("name:", f"disable-model-invocation: {value}\nname:"))
    assert found_in(tmp_path).skills[0].model_may_use is may


def test_a_markdown_file_with_a_description_is_a_skill_where_files_are(tmp_path: Path) -> None:
    (tmp_path / "README.md").write_text("# What this is\n")
    (tmp_path / "review.md").write_text("---\ndescription: Reviews.\n---\nReview it.")
    found = found_in(tmp_path, with_files=True)
    assert (names(found), found.problems) == (["review"], [])
    assert names(found_in(tmp_path)) == []


def test_bytes_that_are_not_utf8_and_windows_line_ends_are_read(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "SKILL.md").write_bytes(
        b"\xef\xbb\xbf---\r\nname: x\r\ndescription: caf\xe9\r\n---\r\nDo"
    )
    assert [(one.name, one.description) for one in found_in(tmp_path).skills] == [("x", "caf�")]


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_what_cannot_be_read_is_reported(tmp_path: Path) -> None:
    skill(tmp_path / "x").chmod(0)
    assert "cannot be read" in said(found_in(tmp_path))


def test_a_link_to_nowhere_is_reported(tmp_path: Path) -> None:
    (tmp_path / "x").mkdir()
    (tmp_path / "x" / "SKILL.md").symlink_to(tmp_path / "gone")
    assert "cannot be read" in said(found_in(tmp_path))


def test_too_many_are_left_out_and_that_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SKILLS_LIMIT", 3)
    for number in range(5):
        skill(tmp_path / f"s{number}")
    found = found_in(tmp_path)
    assert names(found) == ["s0", "s1", "s2"]
    assert "more than 3 skills" in said(found) and "s3" in said(found)


def test_settings_leave_skills_out_and_bring_them_back(tmp_path: Path) -> None:
    for name in ("keep", "draft-one", "draft-two", "never"):
        skill(tmp_path / "skills" / name)
    entries = ["!draft-*", "+skills/draft-two", "-skills/never"]
    selection = Selection.of(absolute(entries, tmp_path))
    folders = [SkillFolder(tmp_path / "skills", "user")]
    folders += [SkillFolder(path, "user") for path in selection.sources]
    assert sorted(names(discover_skills(folders, selection))) == ["draft-two", "keep"]


def test_the_prompt_of_a_skill_has_its_body_its_folder_and_the_request(tmp_path: Path) -> None:
    path = skill(tmp_path / "x", body="Run scripts/a.sh")
    (one,) = found_in(tmp_path).skills
    text, problems = skill_prompt(one, "with care")
    assert problems == []
    assert "description" not in text and "Run scripts/a.sh" in text
    assert f'name="x" location="{path}"' in text and f"relative to {path.parent}" in text
    assert text.endswith("</skill>\n\nwith care")


def test_a_skill_that_is_gone_is_a_problem_when_it_is_used(tmp_path: Path) -> None:
    path = skill(tmp_path / "x")
    (one,) = found_in(tmp_path).skills
    path.unlink()
    assert "cannot be read" in str(skill_prompt(one)[1][0])
