"""From bytes to lines. Only a line feed ends a line; a carriage return before it is no part of it."""

MAX_COMMAND_BYTES = 64 * 1024 * 1024
"""The longest line that is taken; of a longer one nothing is kept but that it was there."""


class TooLong:
    """Stands for a line of more than `MAX_COMMAND_BYTES` bytes."""


class LineSplitter:
    """Takes pieces as they come and gives whole lines; empty ones are left out.

    Args:
        limit: Bytes of the longest line.
    """

    def __init__(self, limit: int = MAX_COMMAND_BYTES) -> None:
        self._limit = limit
        self._begun = bytearray()
        self._skipping = False

    def feed(self, piece: bytes) -> list[bytes | TooLong]:
        """The lines that end in a piece."""
        *ended, rest = piece.split(b"\n")
        lines: list[bytes | TooLong] = []
        for part in ended:
            self._add(part)
            lines += self._take()
        self._add(rest)
        return lines

    def end(self) -> list[bytes | TooLong]:
        """What stands behind the last line feed, if anything does."""
        return self._take()

    def _add(self, part: bytes) -> None:
        if self._skipping or len(self._begun) + len(part) > self._limit:
            self._skipping = True
            self._begun = bytearray()
        else:
            self._begun += part

    def _take(self) -> list[bytes | TooLong]:
        if self._skipping:
            self._skipping = False
            return [TooLong()]
        line, self._begun = bytes(self._begun).removesuffix(b"\r"), bytearray()
        return [line] if line.strip() else []
