"""What a prompt that names a skill or a template stands for."""

from pi_tui.llm.problems import Problem
from pi_tui.resources.loading import Resources

SKILL_PREFIX = "skill:"


class CannotExpand(Exception):
    """A skill or template that is known and cannot be read now: says why."""


def expand_written(text: str, resources: Resources) -> str:
    """The text a model is sent for `/skill:name request` or `/template arguments`; any other text stays as it is.

    Reads the file of the skill or template.

    Raises:
        CannotExpand: It cannot be read.
    """
    if not text.startswith("/"):
        return text
    word, _, rest = (
        text[1:].partition(" ") if "\n" not in text.partition(" ")[0] else text[1:].partition("\n")
    )
    problems: list[Problem] = []
    if word.startswith(SKILL_PREFIX):
        skill = resources.skill(word.removeprefix(SKILL_PREFIX))
        if skill is None:
            return text
        from pi_tui.resources.skills import skill_prompt

        expanded, problems = skill_prompt(skill, rest.strip())
    else:
        template = resources.template(word)
        if template is None:
            return text
        from pi_tui.resources.prompt_templates import template_prompt

        expanded, problems = template_prompt(template, rest)
    if problems:
        raise CannotExpand("; ".join(map(str, problems)))
    return expanded
