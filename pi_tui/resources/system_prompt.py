"""The system prompt: who the agent is, its tools and rules, then what the user and the project say.

What changes least stands first, so that a provider can keep the beginning in its cache.
"""

from collections.abc import Sequence
from datetime import date
from html import escape
from pathlib import Path
from typing import Protocol

from msgspec import Struct

from pi_tui.resources.context_files import ContextFile
from pi_tui.resources.skills import Skill

PREAMBLE = (
    "You are pi, a coding agent in the user's terminal. You read, run and change things on their machine "
    "with the tools below. Find out before you change something, change no more than the task asks for, "
    "check that it works, and then say in a few plain sentences what you did and what is left. If something "
    "is unclear and cannot be found out, ask."
)

SKILLS = (
    "Procedures for special tasks. When one fits what you are asked to do, read its file before you begin and "
    "follow it. Paths in it are relative to the folder of that file."
)
READERS = ("read", "bash", "powershell")
"""Tools with which a model can read a skill; without one it is not told of them."""


class ToolText(Protocol):
    """What the prompt says of a tool."""

    @property
    def name(self) -> str: ...
    @property
    def summary(self) -> str: ...
    @property
    def rules(self) -> Sequence[str]: ...


class SystemPrompt(Struct, frozen=True):
    sections: dict[str, str]
    """Named parts in their order, as the session file stores them; each carries its own tags."""

    @property
    def text(self) -> str:
        """What is sent to the model."""
        return "\n\n".join(self.sections.values())


def build_system_prompt(
    *,
    tools: Sequence[ToolText],
    context_files: Sequence[ContextFile],
    cwd: Path,
    today: date,
    instead: str | None = None,
    addendum: str = "",
    skills: Sequence[Skill] = (),
) -> SystemPrompt:
    """The prompt of a session.

    Args:
        tools: The active tools, in the order the model sees them.
        context_files: From the most general to the most special.
        cwd: The working directory.
        today: The user's date.
        instead: Takes the place of everything before the addendum.
        addendum: What the user adds for every project.
        skills: Those the model may choose are named with their description and file.
    """
    sections: dict[str, str] = {}
    if instead is not None:
        sections["preamble"] = instead.strip()
    else:
        sections["preamble"] = PREAMBLE
        sections["tools"] = _tagged("tools", "\n".join(f"- {tool.name}: {tool.summary}" for tool in tools))
        rules = dict.fromkeys(rule for tool in tools for rule in tool.rules)
        sections["rules"] = _tagged("rules", "\n".join(f"- {rule}" for rule in rules))
    sections["skills"] = _skills(skills) if any(tool.name in READERS for tool in tools) else ""
    sections["addendum"] = _tagged("addendum", addendum.strip())
    sections["project_context"] = _tagged("project_context", "\n\n".join(map(_instructions, context_files)))
    sections["date"] = _tagged("date", today.isoformat())
    sections["cwd"] = _tagged("cwd", str(cwd))
    return SystemPrompt({name: text for name, text in sections.items() if text})


def _skills(skills: Sequence[Skill]) -> str:
    rows = [
        f'<skill name="{escape(skill.name)}" path="{escape(str(skill.path))}">{escape(skill.description, quote=False)}'
        "</skill>"
        for skill in skills
        if skill.model_may_use
    ]
    return _tagged("skills", "\n".join([SKILLS, *rows])) if rows else ""


def _instructions(file: ContextFile) -> str:
    return f'<instructions path="{escape(file.path)}">\n{file.text.strip()}\n</instructions>'


def _tagged(name: str, content: str) -> str:
    return f"<{name}>\n{content}\n</{name}>" if content else ""
