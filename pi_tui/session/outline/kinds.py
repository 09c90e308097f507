"""What an entry is to somebody who looks through the tree, and which filter shows it."""

import re
from collections.abc import Sequence
from enum import IntEnum
from typing import Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from pi_tui.session.log import SessionLog
from pi_tui.session.roles import role_of


class Kind(IntEnum):
    USER = 0
    ANSWER = 1
    """An assistant's message that says something, or failed."""
    CALLS = 2
    """An assistant's message that does nothing but call tools: the results tell of it."""
    RESULT = 3
    COMMAND = 4
    """The user's own `!command`."""
    CUSTOM = 5
    SUMMARY = 6
    """A compaction, or the summary of a branch."""
    RECORD = 7
    """A change of model or name, a label, a system message, an extension's state: no part of the talk."""


FilterMode: TypeAlias = Literal["default", "no-tools", "user-only", "labeled-only", "all"]
FILTER_MODES: Final[tuple[FilterMode, ...]] = get_args(FilterMode)

SHOWN_KINDS: Final[dict[FilterMode, frozenset[Kind]]] = {
    "default": frozenset(Kind) - {Kind.CALLS, Kind.RECORD},
    "no-tools": frozenset(Kind) - {Kind.CALLS, Kind.RESULT, Kind.RECORD},
    "user-only": frozenset({Kind.USER}),
    "labeled-only": frozenset(),
    "all": frozenset(Kind),
}
"""What a filter shows whatever its labels; `labeled-only` goes by labels alone."""

_BY_TYPE = {
    "custom_message": Kind.CUSTOM,
    "compaction": Kind.SUMMARY,
    "branch_summary": Kind.SUMMARY,
}
_BY_ROLE = {
    "user": Kind.USER,
    "toolResult": Kind.RESULT,
    "bashExecution": Kind.COMMAND,
    "custom": Kind.CUSTOM,
    "branchSummary": Kind.SUMMARY,
    "compactionSummary": Kind.SUMMARY,
}
_SAYS_SOMETHING = re.compile(rb'"type"\s*:\s*"text"\s*,\s*"text"\s*:\s*"(?:\\[nrt]|\s)*+(?!")')
_CALLS_A_TOOL = re.compile(rb'"type"\s*:\s*"toolCall"')


class _Block(Struct):
    type: str = ""
    text: str = ""


class _Message(Struct):
    content: str | list[_Block] = ""


class _Line(Struct):
    message: _Message | None = None


_decode = msgspec.json.Decoder(_Line).decode


def kinds_of(log: SessionLog, entry_ids: Sequence[str]) -> bytearray:
    """The kind of each entry, told from its head and a look at its bytes; nothing is decoded that need not be."""
    head, place = log.head, log.place
    kinds = bytearray()
    for entry_id in entry_ids:
        entry_type = head(entry_id).type
        if entry_type != "message":
            kinds.append(_BY_TYPE.get(entry_type, Kind.RECORD))
            continue
        data, start, end = place(entry_id)
        role = role_of(data, start, end)
        kinds.append(
            _kind_of_answer(data, start, end) if role == "assistant" else _BY_ROLE.get(role, Kind.RECORD)
        )
    return kinds


def _kind_of_answer(data: bytes, start: int, end: int) -> Kind:
    if not _CALLS_A_TOOL.search(data, start, end) or _SAYS_SOMETHING.search(data, start, end):
        return Kind.ANSWER
    if data.find(b'"text"', start, end) < 0:
        return Kind.CALLS
    # A blank text, or fields in another order than the usual one: only now a real look is worth its time.
    try:
        message = _decode(data[start:end]).message
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Kind.ANSWER
    content = message.content if message is not None else ""
    if isinstance(content, str):
        return Kind.ANSWER
    says = any(block.type == "text" and block.text.strip() for block in content)
    calls = any(block.type == "toolCall" for block in content)
    return Kind.CALLS if calls and not says else Kind.ANSWER
