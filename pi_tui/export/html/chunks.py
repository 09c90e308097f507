"""The entries of a page, drawn one after the other and tied up in chunks of which few are unpacked at a time."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Final

from pi_tui.export.html.blocks import EntryView
from pi_tui.export.html.entries import EntryWriter
from pi_tui.export.html.script_json import script_json
from pi_tui.export.html.snapshot import Snapshot
from pi_tui.export.html.tools import Arguments
from pi_tui.llm.messages import AssistantMessage, ToolResultMessage
from pi_tui.session.entries import MessageEntry
from pi_tui.session.outline.kinds import Kind
from pi_tui.session.outline.texts import MAX_STEPS_TO_CALL, call_of

if TYPE_CHECKING:
    from markupsafe import Markup

CHUNK_CHARACTERS: Final = 192 * 1024
CHUNK_ENTRIES: Final = 64
"""A chunk is full when it has either."""


class Chunks:
    """Iterated once: each item is the JSON list of some entries' HTML, in file order.

    `starts` then has the number of the first entry of each chunk.
    """

    def __init__(
        self, shot: Snapshot, draw: Callable[[EntryView], str], on_entry: Callable[[int], None]
    ) -> None:
        """`draw` makes the HTML of an entry; `on_entry` hears of each number before it is drawn."""
        self.starts: list[int] = []
        self._shot = shot
        self._draw = draw
        self._on_entry = on_entry
        self._writer = EntryWriter(sum(map(shot.log.line_size, shot.ids)))
        self._entry_of = shot.log.reader()
        self._answer = -1
        self._calls: dict[str, tuple[str, Arguments]] = {}

    def __iter__(self) -> Iterator["Markup"]:
        drawn: list[str] = []
        size = 0
        for number in range(len(self._shot.ids)):
            if not drawn:
                self.starts.append(number)
            self._on_entry(number)
            html = str(self._html(number))
            drawn.append(html)
            size += len(html)
            if size >= CHUNK_CHARACTERS or len(drawn) >= CHUNK_ENTRIES:
                yield script_json(drawn)
                drawn, size = [], 0
        if drawn:
            yield script_json(drawn)

    def _html(self, number: int) -> str:
        shot = self._shot
        entry_id = shot.ids[number]
        entry = self._entry_of(entry_id)
        call = None
        match entry:
            case MessageEntry(message=AssistantMessage() as answer):
                self._answer = number
                self._calls = {call.id: (call.name, call.arguments) for call in answer.tool_calls}
            case MessageEntry(message=ToolResultMessage() as result):
                call = self._call(number, result.tool_call_id)
        label = shot.labels.get(entry_id, "")
        return self._draw(self._writer.view(entry_id, label, entry, call))

    def _call(self, number: int, call_id: str) -> tuple[str, Arguments] | None:
        """The call that a result answers: nearly always one of the answer that was drawn last."""
        shot, at = self._shot, number
        for _ in range(MAX_STEPS_TO_CALL):
            at = shot.parents[at]
            if at < 0 or shot.kinds[at] != Kind.RESULT:
                break
        if at >= 0 and at == self._answer:
            return self._calls.get(call_id)
        return call_of(shot.log, shot.ids[number])
