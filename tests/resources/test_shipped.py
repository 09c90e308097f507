"""What is shipped with the program: skills that keep to their format, and examples that work."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from pi_tui.resources.paths import shipped_dir

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
