"""What an entry is to somebody who looks through the tree, and which filter shows it."""

import re
from enum import IntEnum
from typing import Final, Literal, TypeAlias, get_args

import msgspec
from msgspec import Struct

from pi_tui.session.log import SessionLog


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


def kind_of(log: SessionLog, entry_id: str) -> Kind:
    """The kind of an entry, told from its head and a look at its bytes."""
    entry_type = log.head(entry_id).type
    if entry_type != "message":
        return _BY_TYPE.get(entry_type, Kind.RECORD)
    role = log.role(entry_id)
    if role == "assistant":
        return _kind_of_answer(log.raw(entry_id))
    return _BY_ROLE.get(role, Kind.RECORD)


def _kind_of_answer(raw: bytes) -> Kind:
    if _SAYS_SOMETHING.search(raw) or not _CALLS_A_TOOL.search(raw):
        return Kind.ANSWER
    # Fields may stand in another order than the usual one: only now a real look is worth its time.
    try:
        message = _decode(raw).message
    except msgspec.MsgspecError:
        return Kind.ANSWER
    content = message.content if message is not None else ""
    if isinstance(content, str):
        return Kind.ANSWER
    says = any(block.type == "text" and block.text.strip() for block in content)
    calls = any(block.type == "toolCall" for block in content)
    return Kind.CALLS if calls and not says else Kind.ANSWER
