"""A conversation that is too long for one summary request, taken in pieces that fit."""

from collections.abc import Callable, Sequence

SEPARATOR = "\n\n"


def take_window(parts: Sequence[str], budget: int, count: Callable[[str], int]) -> tuple[str, list[str]]:
    """The first parts that fit into `budget` tokens as one text, and the parts that are left.

    A part that does not fit by itself is divided. Something is always taken.
    """
    taken: list[str] = []
    left = budget
    for index, part in enumerate(parts):
        size = count(part)
        if size <= left:
            taken.append(part)
            left -= size
            continue
        if taken:
            return SEPARATOR.join(taken), list(parts[index:])
        characters = max(1, len(part) * budget // max(1, size))
        return part[:characters], [part[characters:], *parts[index + 1 :]]
    return SEPARATOR.join(taken), []
