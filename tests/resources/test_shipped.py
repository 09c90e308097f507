"""What is shipped with the program: skills that keep to their format, and examples that work."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import msgspec
import pytest
import yaml

from pi_tui.resources.paths import shipped_dir
from pi_tui.resources.prompt_templates import TemplateFolder, discover_templates, template_prompt
from pi_tui.resources.settings import load_settings
from pi_tui.resources.skills import SkillFolder, discover_skills
from pi_tui.tui.keys.bindings import read_overrides
from pi_tui.tui.theme.load import load_theme

SKILLS = sorted(shipped_dir("skills").glob("*/SKILL.md"))
FIXTURES = Path(__file__).parents[1] / "fixtures" / "reference"
SESSION = FIXTURES / "01-branches-labels-summaries.jsonl"
needs_jq = pytest.mark.skipif(shutil.which("jq") is None, reason="jq is not installed")


def test_there_is_a_skill() -> None:
    assert SKILLS


@pytest.mark.parametrize("path", SKILLS, ids=lambda path: path.parent.name)
def test_a_skill_keeps_to_the_format(path: Path) -> None:
    _, front, body = path.read_text(encoding="utf-8").split("---\n", 2)
    matter = yaml.safe_load(front)
    assert matter["name"] == path.parent.name
    assert re.fullmatch(r"[a-z0-9-]{1,64}", matter["name"])
    assert 0 < len(matter["description"]) <= 1024
    assert body.strip()


def shown_by_skill(heading: str) -> list[str]:
    """What the commands under a heading of the session skill print for a session made by another program."""
    skill = (shipped_dir("skills") / "pi-sessions" / "SKILL.md").read_text(encoding="utf-8")
    section = next(part for part in skill.split("\n## ") if part.startswith(heading))
    script = "\n".join(re.findall(r"```bash\n(.*?)```", section, re.DOTALL))
    done = subprocess.run(
        ["bash", "-ec", script],
        env={"file": str(SESSION), "PATH": os.environ["PATH"]},
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.splitlines()


@pytest.fixture(scope="module")
def entries() -> list[dict[str, Any]]:
    return [json.loads(line) for line in SESSION.read_text(encoding="utf-8").splitlines()]


@pytest.fixture(scope="module")
def golden() -> dict[str, Any]:
    return json.loads(SESSION.with_suffix(".golden.json").read_text(encoding="utf-8"))  # type: ignore[no-any-return]


@needs_jq
def test_the_session_skill_lists_all_prompts(entries: list[dict[str, Any]]) -> None:
    prompts = [entry["id"] for entry in entries if entry.get("message", {}).get("role") == "user"]
    assert [line.split()[0] for line in shown_by_skill("What was asked")] == prompts


@needs_jq
def test_the_session_skill_follows_one_branch_only(golden: dict[str, Any]) -> None:
    shown = shown_by_skill("One branch")
    roles = [role for line in shown if (role := line.split("  ")[2]) in ("user", "assistant")]
    told = [message["role"] for message in golden["messages"] if message["role"] in ("user", "assistant")]
    assert shown[-1].split()[0] == golden["leaf"]
    assert roles == told


@needs_jq
def test_the_session_skill_adds_up_each_model(entries: list[dict[str, Any]]) -> None:
    answers = [entry["message"] for entry in entries if entry.get("message", {}).get("role") == "assistant"]
    expected = [str(sum(answer["usage"][part] for answer in answers)) for part in ("input", "output")]
    [row] = [
        line.split("\t") for line in shown_by_skill("Tokens and cost") if line.startswith(answers[0]["model"])
    ]
    assert row[1:3] == expected


@needs_jq
def test_the_session_skill_shows_name_and_labels(golden: dict[str, Any]) -> None:
    shown = shown_by_skill("Names, labels")
    assert shown[0] == golden["name"]
    assert {f"{target}  {label}" for target, label in golden["labels"].items()} <= set(shown)


def examples(language: str) -> list[str]:
    """The examples of the skill about extending pi."""
    skill = (shipped_dir("skills") / "pi-extend" / "SKILL.md").read_text(encoding="utf-8")
    return re.findall(rf"```{language}\n(.*?)```", skill, re.DOTALL)


def test_the_settings_of_the_extension_skill_are_all_understood(tmp_path: Path) -> None:
    [example] = examples("json")
    (tmp_path / "settings.json").write_text(example)
    loaded = load_settings(tmp_path / "settings.json")
    assert loaded.problems == []
    given, known = json.loads(example), msgspec.to_builtins(loaded.settings)
    assert set(given) <= set(known)
    assert loaded.settings.default_tools[-2:] == ["grep", "find"]
    assert loaded.settings.skills == [str(Path.home() / "shared-skills"), "!*-draft"]


def test_the_skill_and_the_template_of_the_extension_skill_load(tmp_path: Path) -> None:
    skill, template = examples("markdown")
    (tmp_path / "release-notes").mkdir()
    (tmp_path / "release-notes" / "SKILL.md").write_text(skill)
    (tmp_path / "review.md").write_text(template)
    skills = discover_skills([SkillFolder(tmp_path, "user")])
    assert ([one.name for one in skills.skills], skills.problems) == (["release-notes"], [])
    templates = discover_templates([TemplateFolder(tmp_path / "review.md")])
    assert templates.problems == []
    text, _ = template_prompt(templates.templates[0], "speed 'odd input' memory")
    assert text == "Review the staged changes. Focus on speed. Also mind: odd input memory"


def test_the_theme_the_extension_skill_makes_can_be_used(tmp_path: Path) -> None:
    [script] = examples("bash")
    subprocess.run(
        ["bash", "-ec", script],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(tmp_path),
            "PI_CODING_AGENT_DIR": str(tmp_path / "agent"),
            "PI_SKILL_DIR": str(shipped_dir("skills") / "pi-extend"),
        },
        check=True,
    )
    palette, problems = load_theme(tmp_path / "agent" / "themes" / "my-dark.json")
    assert problems == []
    assert palette is not None and palette.color("accent") == "#ffaf5f"


def test_the_keys_of_the_extension_skill_are_understood() -> None:
    skill = (shipped_dir("skills") / "pi-extend" / "SKILL.md").read_text(encoding="utf-8")
    [example] = re.findall(r"`(\{\"app\..*?\})`", skill)
    overrides, problems = read_overrides(json.loads(example), "keybindings.json", example)
    assert problems == [] and len(overrides) == 2
