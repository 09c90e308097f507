"""Server-sent events, as model servers send them: the data of each event, nothing else.

The WHATWG format without `event:`, `id:` and `retry:`, since both wires repeat the type inside the data.
Lines end at LF with an optional CR before it: U+2028 and its like, which `str.splitlines` knows too, are
content.
"""

MAX_EVENT_BYTES = 32 * 1024 * 1024


class SseError(ValueError):
    """A stream that is not a stream of events."""


class SseDecoder:
    """Takes bytes as they come and gives the data of the events that are whole."""

    def __init__(self, max_event_bytes: int = MAX_EVENT_BYTES) -> None:
        self._limit = max_event_bytes
        self._rest = b""
        self._data: list[bytes] = []
        self._held = 0

    def feed(self, received: bytes) -> list[bytes]:
        """The data of the events that `received` completes.

        Raises:
            SseError: An event is longer than the limit.
        """
        lines = (self._rest + received if self._rest else received).split(b"\n")
        self._rest = lines.pop()
        if len(self._rest) + self._held > self._limit:
            raise SseError(f"an event of more than {self._limit} bytes")
        events: list[bytes] = []
        for line in lines:
            if line.startswith(b"data:"):
                self._add(line[5:])
            elif line in (b"", b"\r") and self._data:
                self._finish(events)
        return events

    def close(self) -> list[bytes]:
        """What came after the last empty line: some servers end without one."""
        events: list[bytes] = []
        if self._rest.startswith(b"data:"):
            self._add(self._rest[5:])
        self._rest = b""
        if self._data:
            self._finish(events)
        return events

    def _add(self, value: bytes) -> None:
        data = value.strip(b"\r").removeprefix(b" ")
        self._held += len(data)
        if self._held > self._limit:
            raise SseError(f"an event of more than {self._limit} bytes")
        self._data.append(data)

    def _finish(self, events: list[bytes]) -> None:
        events.append(self._data[0] if len(self._data) == 1 else b"\n".join(self._data))
        self._data.clear()
        self._held = 0
