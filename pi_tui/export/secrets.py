"""Finds keys, tokens and passwords in a session before it is given away."""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Struct

from pi_tui.export.secret_patterns import PATTERNS, SecretPattern, compiled, encoded_marks, looks_secret
from pi_tui.session.payload import lenient_fields

if TYPE_CHECKING:
    from pi_tui.session.log import SessionLog

MAX_FOUND = 200
"""Different secrets after which the search ends."""
MASK_SHOWS = 6
"""Characters of a secret that are shown, at most a quarter of it."""
SHORTEST = 8
"""Characters of a text that may hold a secret."""
WINDOW_BEFORE = 300
"""Bytes before a mark in which its secret may begin."""
MAX_NAME = 60
"""Characters of an id or a tool's name that are shown."""

_NO_TEXT = frozenset(
    [
        *("id", "parentId", "timestamp", "type", "role", "mimeType", "toolCallId", "responseId"),
        *("api", "provider", "model", "stopReason", "thinkingLevel"),
    ]
)
_decode = msgspec.json.Decoder().decode


class FoundSecret(Struct):
    """One secret, at the first place where it was found."""

    kind: str
    secret: str
    entry_id: str
    where: str
    """What kind of entry it is: `your message`, `answer`, `result of bash`."""
    line: int
    """Line of the text in which it stands, from 1."""
    times: int = 1

    @property
    def masked(self) -> str:
        """The beginning of the secret, and how long it is."""
        shown = self.secret[: min(MASK_SHOWS, len(self.secret) // 4)]
        return f"{_printable(shown)}… ({len(self.secret)} characters)"

    @property
    def place(self) -> str:
        """Where it stands, for a line of a list."""
        again = f", {self.times} times in all" if self.times > 1 else ""
        return f"{self.where} {self.entry_id}, line {self.line}{again}"


class SearchStopped(Exception):
    """Whoever asked for the search changed their mind."""


def find_secrets(log: "SessionLog", stopped: Callable[[], bool] = lambda: False) -> list[FoundSecret]:
    """The different secrets of all branches, in file order; at most `MAX_FOUND`. Takes seconds for a large session.

    Args:
        stopped: Asked between two entries.

    Raises:
        SearchStopped: It was.
    """
    found: dict[str, FoundSecret] = {}
    for entry_id in log.entry_ids:
        if stopped():
            raise SearchStopped
        raw = log.raw(entry_id)
        lower = raw.lower()
        possible = [one for one in PATTERNS if any(mark in lower for mark in encoded_marks(one))]
        if not possible:
            continue
        fields = fields_of(raw)
        for text in _texts(fields):
            for kind, secret, line in secrets_in(text, possible):
                known = found.get(secret)
                if known is not None:
                    known.times += 1
                elif len(found) < MAX_FOUND:
                    found[secret] = FoundSecret(kind, secret, _printable(entry_id), _where(fields), line)
    return list(found.values())


def secrets_in(text: str, patterns: Sequence[SecretPattern] = PATTERNS) -> Iterator[tuple[str, str, int]]:
    """Kind, secret and line of each one in a text; what two patterns find counts for the first."""
    # Lower case letters of bytes stand where the others stood; those of text need not.
    data = text.encode("utf-8", "replace")
    lower = data.lower()
    taken: list[tuple[int, int]] = []
    for pattern in patterns:
        expression = compiled(pattern.expression)
        group = "secret" if "secret" in expression.groupindex else 0
        for begin, end in _windows(lower, pattern):
            for within in expression.finditer(data, begin, end):
                # What the window cuts off belongs to it.
                match = expression.match(data, within.start()) or within
                first, last = match.span(group)
                if any(first < behind and last > before for before, behind in taken):
                    continue
                secret = match[group].decode("utf-8", "replace")
                if pattern.judged and not looks_secret(secret):
                    continue
                taken.append((first, last))
                yield pattern.kind, secret, data.count(b"\n", 0, first) + 1


def _windows(lower: bytes, pattern: SecretPattern) -> Iterator[tuple[int, int]]:
    """Where a secret may be: the line of each mark, of a long one what is around it."""
    for mark in encoded_marks(pattern):
        at = lower.find(mark)
        while at >= 0:
            begin = max(lower.rfind(b"\n", 0, at) + 1, at - WINDOW_BEFORE)
            line_end = -1 if pattern.lines else lower.find(b"\n", at)
            end = min(line_end if line_end >= 0 else len(lower), at + pattern.reach)
            yield begin, end
            at = lower.find(mark, end if end == line_end else max(at + 1, end - WINDOW_BEFORE))


def fields_of(raw: bytes) -> dict[str, Any]:
    """An entry as plain data; empty if it is none."""
    try:
        fields = _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        fields = lenient_fields(raw)
    return fields if isinstance(fields, dict) else {}


def _texts(value: Any, key: str = "") -> Iterator[str]:
    """Every text in an entry, but for ids, images and the seals of providers."""
    match value:
        case str():
            if len(value) >= SHORTEST and key not in _NO_TEXT and not key.endswith("ignature"):
                yield value
        case list():
            for item in value:
                yield from _texts(item, key)
        case dict():
            is_image = value.get("type") == "image"
            for name, item in value.items():
                if not (is_image and name == "data"):
                    yield from _texts(item, name)


def _where(fields: dict[str, Any]) -> str:
    message = fields.get("message")
    match message.get("role") if isinstance(message, dict) else fields.get("type"):
        case "user":
            return "your message"
        case "assistant":
            return "answer"
        case "toolResult":
            assert isinstance(message, dict)
            return f"result of {_printable(str(message.get('toolName') or 'a tool'))}"
        case "bashExecution":
            return "your command"
        case "system":
            return "system prompt"
        case "compaction" | "branch_summary":
            return "summary"
    return "entry"


def _printable(text: str) -> str:
    return "".join(sign if sign.isprintable() else "?" for sign in text)[:MAX_NAME]
