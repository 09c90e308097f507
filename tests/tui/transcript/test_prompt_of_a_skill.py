"""A prompt into which a skill was put is its command until it is opened."""

from pathlib import Path

import pytest

from pi_tui.llm.messages import UserMessage
from pi_tui.resources.skills import Skill, skill_prompt
from pi_tui.tui.transcript.line import Look
from pi_tui.tui.transcript.prompt_block import PromptBlock


def prompt(folder: Path, request: str) -> str:
    path = folder / "SKILL.md"
    path.write_text("---\nname: x\ndescription: d\n---\nThe body.\n\n</skill>\n\nMore of it.")
    return skill_prompt(Skill("x", "d", path, "user"), request)[0]


def rows(text: str, look: Look) -> str:
    return "\n".join(line.text.strip() for line in PromptBlock(UserMessage(text)).render(look))


@pytest.mark.parametrize("request_text", ["", "now"])
def test_it_is_the_command_until_it_is_opened(tmp_path: Path, look: Look, request_text: str) -> None:
    text = prompt(tmp_path, request_text)
    closed = rows(text, look)
    assert "/skill:x" in closed and "The body." not in closed
    opened = rows(text, Look(look.width, look.palette, expanded=True))
    assert "The body." in opened and "More of it." in opened
    assert PromptBlock(UserMessage(text)).text() == text


def test_a_text_that_only_begins_like_one_is_shown_as_it_is(look: Look) -> None:
    assert "<skill" in rows('<skill name="x" location="y">\nhello', look)
