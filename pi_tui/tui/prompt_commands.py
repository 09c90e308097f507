"""Skills and prompt templates as `/` commands."""

from collections.abc import Sequence

from pi_tui.resources.loading import Resources
from pi_tui.runtime.written import SKILL_PREFIX
from pi_tui.tui.commands import Command


def prompt_commands(resources: Resources | None, taken: Sequence[Command]) -> tuple[list[Command], list[str]]:
    """A command for each template and skill, and a sentence for each that cannot be one.

    Args:
        taken: The client's own commands; these names are theirs.
    """
    if resources is None:
        return [], []
    names = {command.name for command in taken}
    commands: list[Command] = []
    problems: list[str] = []
    for template in resources.templates:
        if template.name in names:
            problems.append(
                f"{template.path}: /{template.name} is a command of pi: rename the template to use it"
            )
        else:
            commands.append(Command(template.name, template.description, None, template.argument_hint))
    offered = resources.settings.enable_skill_commands
    commands += [
        Command(SKILL_PREFIX + skill.name, skill.description, None, "[request]", offered=offered)
        for skill in resources.skills
    ]
    return commands, problems
