"""Questions before the client opens, on the normal screen."""

import sys
from collections.abc import Callable
from typing import TypeVar

from pi_tui.runtime.launch import Answer, ChoiceNeeded, Launch

Opened = TypeVar("Opened")

MAX_TRIES = 20
"""Answers that fit nothing, after which the question counts as declined."""


class Declined(Exception):
    """The user wants none of what is possible."""


def open_asking(
    launch: Launch, open_it: Callable[[Launch], Opened], before_asking: Callable[[], None]
) -> Opened:
    """What `open_it` makes of the launch; where it needs a decision, the user is asked.

    Args:
        before_asking: Called once before the first question, to get the terminal ready for it.

    Raises:
        Declined: The user leaves instead.
        LaunchError: It cannot be opened.
    """
    from msgspec.structs import replace

    asked = False
    while True:
        try:
            return open_it(launch)
        except ChoiceNeeded as needed:
            if not asked:
                before_asking()
                asked = True
            launch = replace(launch, **{needed.field: ask(needed)})


def ask(needed: ChoiceNeeded) -> str:
    """The value of the answer that the user chose.

    Raises:
        Declined: The user chose to leave, by its number, Ctrl+C or Ctrl+D.
    """
    choices = [*needed.answers, Answer("", "leave")]
    print(_shown(needed.question))
    for number, answer in enumerate(choices, 1):
        print(f"  {number}  {_shown(answer.label)}")
    for _ in range(MAX_TRIES):
        print(f"Which one (1-{len(choices)})? ", end="", flush=True)
        try:
            line = sys.stdin.readline()
        except KeyboardInterrupt:
            line = ""
        if not line:
            print()
            break
        written = line.strip()
        if written.isdecimal() and 1 <= int(written) <= len(choices):
            value = choices[int(written) - 1].value
            if value:
                return value
            break
    raise Declined


def _shown(text: str) -> str:
    return "".join(character if character.isprintable() else "?" for character in text)
