"""The process that reads session files for a list: `python -P -m pi_tui.session.reader_process`.

It gets one request a line and answers with one line, both JSON. Whatever comes while a file is read ends the reading
of that file; an empty line is no request. The end of its input is the end of the process.
"""

import os
import select
import sys
from pathlib import Path
from typing import BinaryIO

import msgspec
from msgspec import Struct

from pi_tui.session.counting import read_whole
from pi_tui.session.listing import SessionInfo, read_info
from pi_tui.session.search import find_in_file

NICENESS = 5
"""The keys of the user come first."""


class Request(Struct, omit_defaults=True):
    """What to do with a file: find terms in it, or tell what a list shows of it."""

    path: str
    terms: list[str] | None = None
    whole: bool = False
    """Read all of it, not only head and tail."""


class Answer(Struct, omit_defaults=True):
    found: bool = False
    info: SessionInfo | None = None


def answer(request: Request, stop: "Stop") -> Answer:
    path = Path(request.path)
    if request.terms is not None:
        return Answer(found=find_in_file(path, request.terms, stop))
    return Answer(info=read_whole(path, stop) if request.whole else read_info(path))


class Stop:
    """True as soon as something came after the request."""

    def __init__(self, descriptor: int) -> None:
        self.came_along = False
        """It was read together with the request."""
        self._descriptor = descriptor

    def __call__(self) -> bool:
        return self.came_along or bool(select.select([self._descriptor], [], [], 0)[0])


def serve(requests: BinaryIO, answers: BinaryIO) -> None:
    """Answers until there are no more requests. `requests` must not be buffered."""
    decode = msgspec.json.Decoder(Request).decode
    encode = msgspec.json.Encoder(enc_hook=str).encode
    stop = Stop(requests.fileno())
    rest = b""
    while chunk := requests.read(1 << 16):
        *lines, rest = (rest + chunk).split(b"\n")
        for place, line in enumerate(lines, 1):
            if line:
                stop.came_along = place < len(lines) or bool(rest)
                answers.write(encode(answer(decode(line), stop)) + b"\n")
                answers.flush()


def main() -> None:
    os.nice(NICENESS)
    with open(sys.stdin.fileno(), "rb", buffering=0, closefd=False) as requests:
        try:
            serve(requests, sys.stdout.buffer)
        except (BrokenPipeError, KeyboardInterrupt):
            os._exit(0)


if __name__ == "__main__":
    main()
