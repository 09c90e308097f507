"""Prompt templates: which files are commands, and what they become."""

from pathlib import Path

import pytest

from pi_tui.resources.prompt_templates import (
    PromptTemplates,
    TemplateFolder,
    discover_templates,
    template_prompt,
)


def found_in(*folders: Path) -> PromptTemplates:
    return discover_templates([TemplateFolder(folder) for folder in folders])


def said(found: PromptTemplates) -> str:
    return "\n".join(map(str, found.problems))


@pytest.mark.parametrize(
    ("text", "description", "hint"),
    [
        ("---\ndescription: Review\nargument-hint: '[focus]'\n---\nBody", "Review", "[focus]"),
        ("---\ndescription: Review\nargument-hint: [focus]\n---\nBody", "Review", "[focus]"),
        ("---\nargument-hint: <a> [b]\n---\n\n  First line\nBody", "First line", "<a> [b]"),
        ("Just a body\nmore", "Just a body", ""),
        ("", "", ""),
    ],
)
def test_description_and_hint_are_read(tmp_path: Path, text: str, description: str, hint: str) -> None:
    (tmp_path / "review.md").write_text(text)
    found = found_in(tmp_path)
    assert [(one.name, one.description, one.argument_hint) for one in found.templates] == [
        ("review", description, hint)
    ]
    assert found.problems == []


def test_only_direct_markdown_files_are_templates(tmp_path: Path) -> None:
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "b.md").write_text("b")
    (tmp_path / "a.md").write_text("a")
    (tmp_path / "c.txt").write_text("c")
    assert [one.name for one in found_in(tmp_path).templates] == ["a"]
    assert [one.name for one in found_in(tmp_path / "inner" / "b.md").templates] == ["b"]


def test_of_two_with_one_name_the_first_counts_and_the_other_is_named(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "x.md").write_text(name)
    found = found_in(tmp_path / "one", tmp_path / "two")
    assert [one.description for one in found.templates] == ["one"]
    assert str(tmp_path / "two" / "x.md") in said(found)


def test_a_name_that_cannot_be_typed_is_reported(tmp_path: Path) -> None:
    (tmp_path / "my review.md").write_text("x")
    found = found_in(tmp_path)
    assert not found.templates and "my review.md" in said(found)


def test_arguments_go_into_the_body_without_the_head(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("---\r\ndescription: d\r\n---\r\nLook at $1 for ${2:-bugs}.\r\n")
    (template,) = found_in(tmp_path).templates
    assert template_prompt(template, '"the parser"') == ("Look at the parser for bugs.", [])


def test_a_template_that_is_gone_is_a_problem_when_it_is_used(tmp_path: Path) -> None:
    (tmp_path / "x.md").write_text("x")
    (template,) = found_in(tmp_path).templates
    template.path.unlink()
    assert "cannot be read" in str(template_prompt(template)[1][0])
