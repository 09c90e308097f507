"""The head of a Markdown file: as YAML has it, and as people write it."""

import sys

import pytest
import yaml

from pi_tui.resources.front_matter import read_front_matter
from pi_tui.resources.paths import shipped_dir
from pi_tui.resources.skills import SkillFolder, discover_skills


def values(text: str) -> dict[str, object]:
    return read_front_matter(f"---\n{text}\n---\nbody", "x.md").values


@pytest.mark.parametrize(
    "text",
    [
        "name: pdf-tools\ndescription: Extract text. Use when reading, or converting PDFs",
        "name: 'quoted'\ndescription: \"with: colon\"",
        "description: >\n  folded\n  text\nmetadata:\n  author: me\n  version: '1'",
        "allowed-tools: [read, bash]",
        "disable-model-invocation: true",
        "disable-model-invocation: yes",
        "name: 123\nversion: 1.5\ndate: 2024-01-01\nsize: 1e5\nhex: 0x1F\nsexagesimal: 1:30",
        "a: null\nb: ~\nc:\nd: Null",
        "a: value # with a comment\nb: it's here",
        "a: x\nb: off\nc: True",
        "a: it's (all) [plain] - {text}, a:b, c#d & more!\nb: http://x.y/z?a=b",
        "a: one\n b",
        "a: 12 monkeys\nb: yes please\nc: 1_000",
    ],
)
def test_valid_yaml_means_what_yaml_says(text: str) -> None:
    assert values(text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("text", "key", "value", "line"),
    [
        ("name: x\ndescription: Use for: tables and charts", "description", "Use for: tables and charts", 3),
        ("argument-hint: [a] [b]", "argument-hint", "[a] [b]", 2),
        ("description: @at the start", "description", "@at the start", 2),
        ("description: 'a' and more", "description", "'a' and more", 2),
        ("description: Use: this\n  and this", "description", "Use: this and this", None),
    ],
)
def test_the_usual_slips_are_read_line_by_line_and_reported_with_the_line(
    text: str, key: str, value: str, line: int | None
) -> None:
    found = read_front_matter(f"---\n{text}\n---\nbody", "x.md")
    assert found.values[key] == value
    assert found.body == "body"
    (problem,) = found.problems
    assert problem.file == "x.md"
    assert line is None or problem.line == line


def test_the_shipped_skills_need_no_yaml_parser(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    found = discover_skills([SkillFolder(shipped_dir("skills"), "shipped")])
    assert found.skills and not found.problems


@pytest.mark.parametrize("end", ["\r\n", "\r", "\n"])
def test_all_line_ends_are_the_same(end: str) -> None:
    found = read_front_matter(end.join(["---", "name: x", "---", "one", "two"]), "x.md")
    assert (found.values, found.body, found.problems) == ({"name": "x"}, "one\ntwo", [])


@pytest.mark.parametrize("text", ["", "# Title\n---\n", " ---\nname: x\n---", "----\n"])
def test_a_text_without_front_matter_is_all_body(text: str) -> None:
    found = read_front_matter(text, "x.md")
    assert (found.values, found.body, found.found, found.problems) == ({}, text, False, [])


def test_front_matter_without_an_end_is_reported() -> None:
    found = read_front_matter("---\nname: x\nbody", "x.md")
    assert found.body == "---\nname: x\nbody"
    assert "no end" in str(found.problems[0])


def test_front_matter_that_is_no_mapping_is_reported() -> None:
    assert read_front_matter("---\n- a\n- b\n---\n", "x.md").problems
    assert read_front_matter("---\n---\nx", "x.md").values == {}


def test_a_rule_in_the_body_is_no_end_of_anything() -> None:
    assert read_front_matter("---\na: b\n---\none\n---\ntwo", "x.md").body == "one\n---\ntwo"


@pytest.mark.parametrize(
    "text",
    [
        "a: !!bool maybe",
        "a: !!timestamp never",
        "a: !!int x",
        "a: 2024-13-45",
        "? [a, b]\n: c",
        "a: " + "[" * 5_000,
        "a: \x00",
        "a: \t- b",
        "a: !!python/object:os.system x",
        "\n".join(["a0: &a0 [x]", *(f"a{n}: &a{n} [*a{n - 1},*a{n - 1},*a{n - 1}]" for n in range(1, 30))]),
    ],
)
def test_no_front_matter_is_fatal(text: str) -> None:
    found = read_front_matter(f"---\n{text}\n---\nbody", "x.md")
    assert found.body == "body"
    assert len(str(found.problems)) < 10_000
