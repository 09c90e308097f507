"""Writing to the terminal, whatever state it is in."""

import os
import select
from typing import Final

from pi_tui.tui.terminal.charset import Encode

WRITABLE_SECONDS: Final = 5.0
"""How long a terminal that takes nothing is waited for, when a child left it non-blocking."""


class TerminalOutput:
    """A text file on a terminal that is not hurt by what happens to the terminal.

    Characters UTF-8 cannot encode (lone surrogates) become `?`; what is written to a terminal that was
    closed is lost. Either would otherwise end the writing thread, and the client with it.
    """

    def __init__(self, descriptor: int, encode: Encode) -> None:
        self._descriptor = descriptor
        self._encode = encode
        self._buffer = bytearray()

    def fileno(self) -> int:
        return self._descriptor

    def write(self, text: str) -> None:
        self._buffer += self._encode(text)

    def flush(self) -> None:
        data, self._buffer = memoryview(self._buffer), bytearray()
        while data:
            try:
                data = data[os.write(self._descriptor, data) :]
            except BlockingIOError:
                if not select.select([], [self._descriptor], [], WRITABLE_SECONDS)[1]:
                    return
            except OSError:
                return
