"""Reading session files in another process, so that this one stays free for its user."""

import subprocess
import sys
import threading
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from pi_tui.session.counting import read_whole
from pi_tui.session.listing import SessionInfo, read_info
from pi_tui.session.reader_process import Answer, Request
from pi_tui.session.search import find_in_file

MODULE = "pi_tui.session.reader_process"


class SessionReader:
    """Answers questions about session files, one at a time; threads may share it.

    The process is started with the first question. Where none can be started, or it has died, the files are read here.
    """

    def __init__(self) -> None:
        self._one_at_a_time = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._failed = False
        self._asked: Request | None = None
        self._stop = threading.Event()

    def info(self, path: Path) -> SessionInfo | None:
        """What `read_info` says of a file."""
        answer = self._ask(Request(str(path)))
        return read_info(path) if answer is None else answer.info

    def whole(self, path: Path) -> SessionInfo | None:
        """What `read_whole` says of a file; None also where `interrupt_whole` came first."""
        answer = self._ask(Request(str(path), whole=True))
        return read_whole(path, self._stop.is_set) if answer is None else answer.info

    def find(self, path: Path, terms: Iterable[str]) -> bool:
        """What `find_in_file` says of a file; False also where `interrupt_find` came first."""
        terms = list(terms)
        answer = self._ask(Request(str(path), terms=terms))
        return find_in_file(path, terms, self._stop.is_set) if answer is None else answer.found

    def interrupt_find(self) -> None:
        """Whoever waits for `find` gets an answer at once: nobody wants to know any more."""
        if (asked := self._asked) is not None and asked.terms is not None:
            self._interrupt()

    def interrupt_whole(self) -> None:
        """The same for `whole`."""
        if (asked := self._asked) is not None and asked.whole:
            self._interrupt()

    def _interrupt(self) -> None:
        process = self._process
        if process is not None and process.stdin is not None:
            with suppress(OSError, ValueError):
                process.stdin.write(b"\n")
                process.stdin.flush()

    def close(self) -> None:
        """Ends the process. Nothing may be asked afterwards."""
        self._failed = True
        self._stop.set()
        process = self._process
        if process is not None:
            process.kill()
            process.wait()
            with self._one_at_a_time:
                for pipe in (process.stdin, process.stdout):
                    if pipe is not None:
                        with suppress(OSError):
                            pipe.close()

    def _ask(self, request: Request) -> Answer | None:
        """The answer of the process; None without one."""
        with self._one_at_a_time:
            process = self._running()
            if process is None:
                return None
            assert process.stdin is not None and process.stdout is not None
            self._asked = request
            try:
                process.stdin.write(msgspec.json.encode(request) + b"\n")
                process.stdin.flush()
                return _decode(process.stdout.readline())
            except (OSError, ValueError):  # of which msgspec's errors are some
                self._failed = True
                process.kill()
                return None
            finally:
                self._asked = None

    def _running(self) -> "subprocess.Popen[bytes] | None":
        if self._process is None and not self._failed:
            try:
                # -P: what lies in the working directory is not ours to import.
                self._process = subprocess.Popen(
                    [sys.executable, "-P", "-m", MODULE],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=subprocess.DEVNULL,
                    start_new_session=True,
                )
            except OSError:
                self._failed = True
        return None if self._failed else self._process


def _path_of(kind: type, value: Any) -> Any:
    return Path(value) if kind is Path else value


_decode = msgspec.json.Decoder(Answer, dec_hook=_path_of).decode
