"""Keypress to paint: how long after a key's byte is written the first output byte comes that shows it."""

from __future__ import annotations

import itertools
import statistics
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from tests.e2e.pseudo_terminal import PseudoTerminal

ALPHABET = "".join(
    chr(code)
    for first, last in [(0x3B1, 0x3C9), (0x430, 0x44F), (0x561, 0x586), (0x10D0, 0x10F0)]
    for code in range(first, last + 1)
)
"""Greek, Cyrillic, Armenian and Georgian letters, which no answer contains: seen at all, it is the echo."""

ECHO_SECONDS = 60.0
LETTERS_PER_LINE = 40
"""The editor is emptied after so many, and long before a letter comes again."""


@dataclass(frozen=True)
class Latency:
    """Milliseconds."""

    p50: float
    p95: float
    worst: float
    samples: int

    @classmethod
    def of(cls, seconds: Iterable[float]) -> Latency:
        ordered = sorted(value * 1000 for value in seconds)
        return cls(statistics.median(ordered), percentile(ordered, 95), ordered[-1], len(ordered))

    @property
    def note(self) -> str:
        return f"p50 {self.p50:.1f}, worst {self.worst:.1f}, n={self.samples}"


class Typist:
    """Types one letter after the other, at a steady pace, and takes the time of each."""

    def __init__(self, terminal: PseudoTerminal, *, pause: float = 0.06) -> None:
        """`pause`: seconds between two keys; 0.06 is a quick typist."""
        self._terminal = terminal
        self._pause = pause
        self._letters = itertools.cycle(ALPHABET)
        self._typed = 0
        self.seconds: list[float] = []

    def type(self, count: int) -> None:
        for _ in range(count):
            self.type_one()

    def type_while(self, condition: Callable[[], bool]) -> None:
        while condition():
            self.type_one()

    def type_one(self) -> None:
        began = time.monotonic()
        letter = next(self._letters)
        mark, pressed = self._terminal.written, time.perf_counter()
        self._terminal.send(letter)
        self.seconds.append(self._terminal.wait_for_output(letter, ECHO_SECONDS, since=mark) - pressed)
        self._typed += 1
        if self._typed % LETTERS_PER_LINE == 0:
            self._terminal.press("ctrl+u")
        time.sleep(max(0.0, self._pause - (time.monotonic() - began)))

    def latency(self) -> Latency:
        return Latency.of(self.seconds)


def percentile(ordered: list[float], percent: float) -> float:
    """The smallest value that at least `percent` of the values do not exceed (nearest rank)."""
    rank = -(-len(ordered) * percent // 100)
    return ordered[max(0, int(rank) - 1)]
