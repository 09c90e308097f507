"""Tokens, cost and message counts of a whole session, all branches, counted a slice at a time."""

from collections import Counter
from collections.abc import Iterator

import msgspec
from msgspec import Struct

from pi_tui.llm.messages import Usage
from pi_tui.session.log import SessionLog
from pi_tui.session.payload import lenient_fields, mend

SLICE_BYTES = 512 * 1024
"""Bytes of lines that are read between two pauses."""
SLICE_ENTRIES = 200
"""Entries, likewise: either is about two milliseconds."""
UNKNOWN_MODEL = "unknown"
_COUNTED = frozenset({"message", "compaction", "branch_summary", "usage", "model_change"})


class _Message(Struct):
    role: str = ""
    provider: str = ""
    model: str = ""
    usage: Usage | None = None


class _Line(Struct, rename="camel"):
    """What the totals need of an entry."""

    provider: str = ""
    model: str = ""
    model_id: str = ""
    usage: Usage | None = None
    message: _Message | None = None


_decode = msgspec.json.Decoder(_Line).decode


class SessionTotals:
    """What a session has used so far. Models are named `provider/model`."""

    def __init__(self, log: SessionLog) -> None:
        self.per_model: dict[str, Usage] = {}
        self.messages: Counter[str] = Counter()
        """Messages by role."""
        self._log = log
        self._counted = 0
        self._models: dict[str | None, str] = {None: UNKNOWN_MODEL}

    @property
    def usage(self) -> Usage:
        """Of all models together."""
        return sum(self.per_model.values(), start=Usage())

    def update(self) -> Iterator[None]:
        """Counts the entries that are new, and pauses between slices of two milliseconds or so."""
        ids = self._log.entry_ids
        entries, size = 0, 0
        while self._counted < len(ids):
            entry_id = ids[self._counted]
            self._counted += 1
            self._count(entry_id)
            entries, size = entries + 1, size + self._log.line_size(entry_id)
            if entries >= SLICE_ENTRIES or size >= SLICE_BYTES:
                yield
                entries, size = 0, 0

    def _count(self, entry_id: str) -> None:
        # A summary or a tool that asked a model itself is put down to the model in use at that place.
        above = self._models.get(self._log.parent(entry_id), UNKNOWN_MODEL)
        if self._log.head(entry_id).type not in _COUNTED:
            self._models[entry_id] = above
            return
        line = _read(self._log.raw(entry_id))
        message = line.message
        model = above
        if message is not None:
            self.messages[message.role] += 1
            if message.role == "assistant":
                model = f"{message.provider}/{message.model}"
        elif line.provider and (line.model or line.model_id):
            model = f"{line.provider}/{line.model or line.model_id}"
        usage = line.usage if message is None else message.usage
        if usage is not None:
            self.per_model[model] = self.per_model.get(model, Usage()) + usage
        self._models[entry_id] = above if self._log.head(entry_id).type == "usage" else model


def _read(raw: bytes) -> _Line:
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        line: _Line = mend(lenient_fields(raw), _Line)
        return line
