"""Text in pieces the size of tokens, at a pace a person can follow."""

import math
import os
import re
from asyncio import sleep
from collections.abc import AsyncIterator, Iterable
from time import monotonic

SPEED_VARIABLE = "PI_DEMO_SPEED"
SECONDS_TO_BEGIN = 0.5
"""From the request to the first piece."""
SHORTEST_SLEEP = 0.002
"""Seconds; event loops keep no shorter times well."""
PIECES_AT_ONCE = 16
"""Pieces sent without giving way when there is no waiting; a network packet holds about as many."""

_PIECE = re.compile(r"\s*\S{1,6}|\s+")


def pieces(text: str) -> list[str]:
    """The text in pieces of about a token each; together they are the text."""
    return _PIECE.findall(text)


def speed() -> float:
    """The factor in `PI_DEMO_SPEED`; 1 where it is missing or no positive number."""
    try:
        factor = float(os.environ.get(SPEED_VARIABLE, "1"))
    except ValueError:
        return 1.0
    return factor if factor > 0 else 1.0


class Pace:
    """Keeps to a rate over the whole response, so that late wake-ups do not add up."""

    def __init__(self, tokens_per_second: float) -> None:
        factor = speed()
        self._rate = tokens_per_second * factor
        self._delay = SECONDS_TO_BEGIN / factor
        self._begun = 0.0
        self._sent = 0

    async def begin(self) -> None:
        """Waits as long as a model takes to its first token."""
        await sleep(self._delay)
        self._begun = monotonic()

    async def of(self, texts: Iterable[str]) -> AsyncIterator[str]:
        """The pieces, each when its time has come."""
        for text in texts:
            self._sent += 1
            if math.isinf(self._rate):
                if self._sent % PIECES_AT_ONCE == 0:
                    await sleep(0)
            else:
                early = self._begun + self._sent / self._rate - monotonic()
                if early > SHORTEST_SLEEP:
                    await sleep(early)
            yield text
