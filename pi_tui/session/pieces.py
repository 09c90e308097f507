"""A session file read piece by piece, in whole lines and with bounded memory."""

from collections.abc import Iterator
from typing import BinaryIO

PIECE_BYTES = 256 * 1024
"""Bytes read at a time; between two pieces a reader can be stopped."""
MAX_LINE_BYTES = 16 * 1024 * 1024
"""A longer line, such as a message with many images, is left out."""


def whole_lines(file: BinaryIO) -> Iterator[bytes]:
    """The rest of a file in pieces that end with a line's end; only the last one may lack it."""
    rest = b""
    skipping = False
    while piece := file.read(PIECE_BYTES):
        if skipping:
            end = piece.find(b"\n")
            if end < 0:
                continue
            piece, skipping = piece[end + 1 :], False
        cut = piece.rfind(b"\n") + 1
        if cut:
            yield rest + piece[:cut]
            rest = piece[cut:]
        else:
            rest += piece
            if len(rest) > MAX_LINE_BYTES:
                rest, skipping = b"", True
    if rest:
        yield rest
