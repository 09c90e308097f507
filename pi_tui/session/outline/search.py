"""Search in the texts of a tree, which are gathered a slice at a time."""

from collections.abc import Iterator
from time import perf_counter

from pi_tui.session.outline.outline import Outline
from pi_tui.session.outline.texts import entry_text

SLICE_SECONDS = 0.002
"""How long one slice may take: a key that is pressed meanwhile waits no longer."""
SEARCHED_TEXT = 4_000
"""Characters of what an entry says that are searched."""
SEARCHED_OUTPUT = 500
"""Characters of a tool's output that are searched."""


class OutlineSearch:
    """Finds entries that have every word of a query, in any case, in what they say or in their label."""

    def __init__(self, outline: Outline) -> None:
        self._outline = outline
        self._texts: list[str] = []
        self._found_for = ""
        self._found_in = (0, 0)
        """How many texts and entries there were: a label that is given later is an entry more."""
        self._found: list[int] = []

    @property
    def complete(self) -> bool:
        """Every entry can be found."""
        return len(self._texts) == len(self._outline.ids)

    def gather(self) -> Iterator[None]:
        """Reads the texts that are not known yet, and pauses every two milliseconds."""
        began = perf_counter()
        while not self.complete:
            self._texts.append(self._text(self._outline.ids[len(self._texts)]))
            if perf_counter() - began > SLICE_SECONDS:
                yield
                began = perf_counter()

    def find(self, query: str) -> list[int] | None:
        """The numbers of the entries found, of those gathered so far; None for an empty query."""
        words = query.lower().split()
        if not words:
            return None
        texts, state = self._texts, (len(self._texts), len(self._outline.ids))
        # Whoever types on narrows down: only what was found before can be found now.
        narrows = state == self._found_in and self._found_for and query.startswith(self._found_for)
        found: list[int] = self._found if narrows else list(range(len(texts)))
        labels = self._labels()
        for word in words:
            by_label = {number for number, label in labels.items() if word in label}
            found = [number for number in found if word in texts[number] or number in by_label]
        self._found_for, self._found_in, self._found = query, state, found
        return found

    def _labels(self) -> dict[int, str]:
        outline = self._outline
        return {
            outline.number(entry_id): label.lower()
            for entry_id, label in outline.log.labels.items()
            if entry_id in outline.log
        }

    def _text(self, entry_id: str) -> str:
        said = entry_text(self._outline.log, entry_id)
        return f"{said.tag} {said.text[:SEARCHED_TEXT]}\n{said.more[:SEARCHED_OUTPUT]}".lower()
