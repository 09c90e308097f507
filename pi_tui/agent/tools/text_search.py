"""Lines of files that match a pattern: the form of a match, and our own search for where there is no `rg`."""

import threading
from collections import deque
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.in_thread import Interrupted

_UTF16 = {b"\xff\xfe": "utf-16-le", b"\xfe\xff": "utf-16-be"}
_UTF8_BOM = b"\xef\xbb\xbf"


class PatternError(ValueError):
    """A pattern that is none, or that cannot be searched for in reasonable time."""


class Line(NamedTuple):
    """A line that matches, or that stands near one."""

    path: str
    number: int
    """From 1."""
    text: str
    """Cut at `limits.GREP_LINE_CHARS`; `cut` says so."""
    matches: bool
    cut: bool


class Query(NamedTuple):
    pattern: str
    literal: bool = False
    ignore_case: bool = False
    context: int = 0
    """Lines shown before and after a match."""


class LineMatcher:
    """Tells whether a line matches.

    Raises:
        PatternError: The pattern is no regular expression.
    """

    def __init__(self, query: Query) -> None:
        import regex  # unlike re, it lets other threads run and can be told to give up

        flags = regex.IGNORECASE if query.ignore_case else 0
        try:
            self._pattern: Any = regex.compile(
                regex.escape(query.pattern) if query.literal else query.pattern, flags
            )
        except (regex.error, RecursionError, OverflowError) as error:
            raise PatternError(f"pattern is no regular expression: {error}") from error
        self._searches_long = limits.GREP_LINE_CHARS

    def matches(self, line: str) -> bool:
        try:
            found = self._pattern.search(
                line, concurrent=len(line) > self._searches_long, timeout=limits.GREP_LINE_SECONDS
            )
        except TimeoutError:
            raise PatternError(
                f"pattern needs more than {limits.GREP_LINE_SECONDS:g} s for one line: "
                "write it without repetitions inside repetitions"
            ) from None
        return found is not None


def search_files(
    paths: Iterable[str], root: str, query: Query, matcher: LineMatcher, stop: threading.Event
) -> Iterator[list[Line]]:
    """The matches of one file after another, with their context; files that are not text have none.

    Raises:
        Interrupted: `stop` was set.
        PatternError: See `LineMatcher`.
    """
    for path in paths:
        try:
            with open(f"{root}/{path}", "rb") as file:  # noqa: PTH123 - once for each file
                found = _search(file, path, query, matcher, stop)
        except OSError:
            continue  # gone meanwhile, or not ours to read
        if found:
            yield found


def _search(
    file: IO[bytes], path: str, query: Query, matcher: LineMatcher, stop: threading.Event
) -> list[Line]:
    found: list[Line] = []
    before: deque[tuple[int, str]] = deque(maxlen=query.context)
    after = 0
    matches = 0
    for number, text in enumerate(_lines(file, stop), 1):
        if text is None:
            return []  # not text after all
        if matcher.matches(text):
            found += [shown_line(path, one, line, matches=False) for one, line in before]
            before.clear()
            found.append(shown_line(path, number, text, matches=True))
            after = query.context
            matches += 1
        elif after:
            found.append(shown_line(path, number, text, matches=False))
            after -= 1
        elif matches > limits.MOST_RESULTS:
            break
        else:
            before.append((number, text[: limits.GREP_LINE_CHARS + 1]))
    return found


def shown_line(path: str, number: int, text: str, *, matches: bool, cut: bool = False) -> Line:
    cut = cut or len(text) > limits.GREP_LINE_CHARS
    return Line(path, number, text[: limits.GREP_LINE_CHARS], matches, cut)


def _lines(file: IO[bytes], stop: threading.Event) -> Iterator[str | None]:
    """The lines without their ends; None where the file turns out to hold a NUL, and so no text."""
    start = file.read(3)
    encoding = _UTF16.get(start[:2])
    file.seek(2 if encoding else 3 if start == _UTF8_BOM else 0)
    if encoding:
        yield from _utf16_lines(file, encoding, stop)
        return
    for piece in _pieces(file, b"\n", stop):
        if b"\0" in piece:
            yield None
            return
        yield piece.removesuffix(b"\n").removesuffix(b"\r").decode("utf-8", "replace")


def _utf16_lines(file: IO[bytes], encoding: str, stop: threading.Event) -> Iterator[str]:
    import codecs

    reader = codecs.getreader(encoding)(file, "replace")
    while line := reader.readline(limits.GREP_LINE_BYTES):
        if stop.is_set():
            raise Interrupted
        yield line.rstrip("\r\n")


def _pieces(file: IO[bytes], end: bytes, stop: threading.Event) -> Iterator[bytes]:
    """Lines with their ends; of one that is too long only the beginning."""
    count = 0
    while piece := file.readline(limits.GREP_LINE_BYTES):
        rest = piece
        while not rest.endswith(end) and (rest := file.readline(limits.GREP_LINE_BYTES)):
            if stop.is_set():
                raise Interrupted
        yield piece
        count += 1
        if count % 1000 == 0 and stop.is_set():
            raise Interrupted
