"""A session as it stands at one moment, for a page that is written while the session may go on."""

from typing import Any, NamedTuple

import msgspec
from msgspec import Struct

from pi_tui.session.log import SessionLog
from pi_tui.session.outline.kinds import Kind
from pi_tui.session.outline.outline import Outline
from pi_tui.session.outline.texts import EntryText, entry_text
from pi_tui.session.payload import lenient_fields


class _Message(Struct, rename="camel"):
    tool_call_id: str = ""


class _Line(Struct):
    message: _Message | None = None


_decode = msgspec.json.Decoder(_Line).decode


class Snapshot(NamedTuple):
    """Entries by number, which is their place in the file."""

    log: SessionLog
    ids: list[str]
    parents: list[int]
    """The parent's number; -1 for a root."""
    order: list[int]
    """Every number in reading order: at each branch the active path first."""
    kinds: list[int]
    leaf: int
    """-1 where the session is before any entry."""
    labels: dict[str, str]
    name: str | None
    notices: list[str]

    def text(self, number: int) -> EntryText:
        """What an entry says."""
        return entry_text(self.log, self.ids[number])

    def call_id(self, number: int) -> str:
        """The call that a tool's result answers; empty for every other entry."""
        if self.kinds[number] != Kind.RESULT:
            return ""
        raw = self.log.raw(self.ids[number])
        try:
            message = _decode(raw).message
        except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
            fields: Any = lenient_fields(raw).get("message")
            found = fields.get("toolCallId") if isinstance(fields, dict) else None
            return found if isinstance(found, str) else ""
        return message.tool_call_id if message is not None else ""


def snapshot(outline: Outline) -> Snapshot:
    """The session as the outline of it is now."""
    outline.update()
    log = outline.log
    numbers = {entry_id: number for number, entry_id in enumerate(outline.ids)}
    return Snapshot(
        log=log,
        ids=outline.ids,
        parents=list(outline.parents),
        order=list(outline.order),
        kinds=[int(outline.kind(number)) for number in range(len(outline.ids))],
        leaf=numbers.get(log.leaf_id or "", -1),
        labels={entry_id: label for entry_id, label in log.labels.items() if entry_id in numbers},
        name=log.name,
        notices=list(log.notices),
    )
