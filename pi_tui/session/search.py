"""Finding sessions by words: in names and first messages at once, in everything that was said by reading.

Searched are the texts of the user and the model, the user's own commands, labels, names and summaries; not
the output of tools, which has every word somewhere.
"""

import re
from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec
from msgspec import Struct

from pi_tui.session.lines import scan
from pi_tui.session.listing import SessionInfo
from pi_tui.session.pieces import whole_lines
from pi_tui.session.roles import PEEK_BYTES, role_of

MAX_TERMS = 16
_TERM = re.compile(r'"([^"]+)"?|(\S+)')
_ASCII_RUN = re.compile(r"[ -~]+")
_UNSEARCHED_ROLES = frozenset({"toolResult", "system"})


class _Block(Struct):
    text: str = ""


class _Message(Struct):
    role: str = ""
    content: str | list[_Block] = ""
    command: str = ""


class _Line(Struct):
    """What is searched of an entry."""

    type: str = ""
    message: _Message | None = None
    content: str | list[_Block] = ""
    summary: str = ""
    label: str | None = None
    name: str | None = None


_decode = msgspec.json.Decoder(_Line).decode


def terms_of(query: str) -> tuple[str, ...]:
    """The words of a query in lower case; what stands in double quotes is one."""
    found = [(quoted or word).lower() for quoted, word in _TERM.findall(query)]
    return tuple(dict.fromkeys(found))[:MAX_TERMS]


def metadata_text(info: SessionInfo) -> str:
    """What can be searched of a session without its file, in lower case: name, first message, id and folder."""
    return f"{info.name or ''}\n{info.first_message}\n{info.id}\n{info.cwd}".lower()


def find_in_file(path: Path, terms: Iterable[str], stop: Callable[[], bool]) -> bool:
    """Whether each of the terms is said somewhere in a session; False also when `stop` says so meanwhile."""
    missing = list(terms)
    try:
        with path.open("rb") as file:
            for piece in whole_lines(file):
                if stop():
                    return False
                lowered = piece.lower()
                missing = [term for term in missing if not _is_said(term, piece, lowered)]
                if not missing:
                    return True
    except OSError:
        return False
    return not missing


def _is_said(term: str, piece: bytes, lowered: bytes) -> bool:
    needle = _needle(term)
    at = lowered.find(needle)
    while 0 <= at < len(piece):
        start = piece.rfind(b"\n", 0, at) + 1
        end = piece.find(b"\n", at)
        end = end if end >= 0 else len(piece)
        if term in _text_of(piece, start, end):
            return True
        at = lowered.find(needle, end + 1)
    return False


def _needle(term: str) -> bytes:
    """Bytes that a line with the term holds whatever way it was encoded; they only rule lines out."""
    runs = [part for run in _ASCII_RUN.findall(term) for part in re.split(r'["\\/]', run)]
    return max(runs, key=len, default="").encode()


def _text_of(piece: bytes, start: int, end: int) -> str:
    """What is searched of a line, in lower case."""
    if role_of(piece, start, min(end, start + PEEK_BYTES)) in _UNSEARCHED_ROLES:
        return ""
    raw = piece[start:end]
    line = _decoded(raw)
    if line is not None:
        return _searched(line)
    found = (_decoded(raw[one.start : one.end]) for one in scan(raw, 0, 1).records)
    return "\n".join(_searched(one) for one in found if one is not None)


def _decoded(raw: bytes) -> _Line | None:
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return None


def _searched(line: _Line) -> str:
    texts = [line.summary, line.label, line.name, _flat(line.content)]
    if line.message is not None and line.message.role not in _UNSEARCHED_ROLES:
        texts += [_flat(line.message.content), line.message.command]
    return "\n".join(text for text in texts if text).lower()


def _flat(content: str | list[_Block]) -> str:
    return content if isinstance(content, str) else "\n".join(block.text for block in content)
