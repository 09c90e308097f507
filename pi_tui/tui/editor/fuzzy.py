"""Fuzzy matching: the letters of a query in their order, the better the closer they stand."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from typing import Final, TypeVar

Item = TypeVar("Item")

PIECES_LIMIT: Final = 64
"""Letters of a query that count; the rest is ignored."""

_BOUNDARY_BEFORE: Final = re.compile(r"(?:^|[\s/_.\-:])\Z")

EXACT, PREFIX, WORD, SUBSTRING, SCATTERED = range(5)
"""How good a match is, best first."""


@lru_cache(maxsize=64)
def subsequence(query: str) -> re.Pattern[str]:
    """A pattern that finds the letters of a lower-case query in their order."""
    return re.compile("[^\n]*?".join(map(re.escape, query[:PIECES_LIMIT])), re.DOTALL)


def rank(query: str, text: str) -> tuple[int, int] | None:
    """How well a lower-case text matches a lower-case query, less is better; `None` when it does not."""
    if not query:
        return (SCATTERED, 0)
    at = text.find(query)
    if at == 0:
        return (EXACT if len(text) == len(query) else PREFIX, 0)
    if at > 0:
        word = _BOUNDARY_BEFORE.search(text, 0, at) is not None
        return (WORD if word else SUBSTRING, at)
    match = subsequence(query).search(text)
    if match is None:
        return None
    return (SCATTERED, match.end() - match.start() - len(query))


def matching(query: str, items: Iterable[Item], text_of: Callable[[Item], str]) -> list[Item]:
    """The items whose lower-case text has every word of the query, best first; order is kept among equals.

    An empty query has all items.
    """
    words = query.lower().split()
    if not words:
        return list(items)
    found: list[tuple[tuple[int, int], int, Item]] = []
    for place, item in enumerate(items):
        text = text_of(item)
        ranks = []
        for word in words:
            one = rank(word, text)
            if one is None:
                break
            ranks.append(one)
        else:
            found.append((max(ranks), place, item))
    found.sort(key=lambda row: row[:2])
    return [row[2] for row in found]
