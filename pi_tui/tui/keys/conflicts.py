"""Keys that two actions want in the same place."""

from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations
from typing import Final, NamedTuple

from pi_tui.tui.keys.actions import (
    ACTIONS,
    APPLICATION,
    EDITOR,
    LISTS,
    MODELS,
    SEARCH,
    SESSIONS,
    TRANSCRIPT,
    TREE,
)
from pi_tui.tui.keys.names import readable_key

_PLACES: Final = (
    (EDITOR, TRANSCRIPT, APPLICATION),
    (SEARCH,),
    (LISTS, TREE),
    (LISTS, SESSIONS),
    (LISTS, MODELS),
)
"""Groups of actions whose keys count at the same time."""


class Conflict(NamedTuple):
    key: str
    """As Textual names it."""
    first: str
    second: str
    """Ids of the actions."""

    def __str__(self) -> str:
        return (
            f"{readable_key(self.key)} is the key of {self.first} and of {self.second}: "
            "only one of them gets it"
        )


def conflicts(keys: Mapping[str, Sequence[str]], shipped: Mapping[str, Sequence[str]]) -> list[Conflict]:
    """The keys that two actions have in the same place, except where they have them as shipped.

    What shares a key as shipped does different things with it: leave, or delete a character.
    """
    known = set(_shared(shipped))
    return [conflict for conflict in dict.fromkeys(_shared(keys)) if conflict not in known]


def _shared(keys: Mapping[str, Sequence[str]]) -> Iterator[Conflict]:
    for groups in _PLACES:
        here = [action.id for action in ACTIONS if action.group in groups]
        for first, second in combinations(here, 2):
            for key in keys.get(first, ()):
                if key in keys.get(second, ()):
                    yield Conflict(key, first, second)
