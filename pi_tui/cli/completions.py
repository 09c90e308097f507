"""`pi --completions SHELL`: scripts that complete the options, made from the parser's own table.

A library for this exists (shtab); it takes `-xt` for two options, and knows neither `--model=x:high` in bash nor
`@files`.
"""

import argparse
import sys
from collections.abc import Iterator
from typing import NamedTuple

from pi_tui.cli.arguments import SHELLS, UsageError, make_parser
from pi_tui.cli.completion_values import LISTED, TAKES, Values, print_values


class Option(NamedTuple):
    """One option, as the scripts need it."""

    names: tuple[str, ...]
    help: str
    takes_value: bool
    optional: bool
    """The value may be left out."""
    value_name: str
    values: Values | None
    repeatable: bool


def print_completions(wanted: str) -> int:
    """Prints the script of a shell, or the values of one kind, for which that script asks.

    Raises:
        UsageError: There is no script for such a shell.
    """
    if wanted in LISTED:
        return print_values(wanted)
    if wanted not in SHELLS:
        raise UsageError(f"--completions knows {', '.join(SHELLS)}, not {wanted!r}")
    sys.stdout.write(script(wanted))
    return 0


def script(shell: str) -> str:
    """What a shell reads to complete the options of `pi`."""
    from pi_tui.cli import completions_bash, completions_fish, completions_zsh

    makers = {
        "bash": completions_bash.script,
        "zsh": completions_zsh.script,
        "fish": completions_fish.script,
    }
    return makers[shell](list(options()))


def options() -> Iterator[Option]:
    """The options in the order of the help; what it does not show is not offered."""
    for action in make_parser()._actions:
        if not action.option_strings or action.help == argparse.SUPPRESS:
            continue
        metavar = action.metavar if isinstance(action.metavar, str) else ""
        yield Option(
            names=tuple(action.option_strings),
            help=action.help or "",
            takes_value=action.nargs != 0,
            optional=action.nargs == "?",
            value_name=metavar,
            values=TAKES.get(action.dest),
            repeatable=isinstance(action, argparse._AppendAction),
        )
