"""Commands and responses as they stand on the line."""

import json
import re
from typing import Any, TypeAlias, TypeVar, get_args

import msgspec
from msgspec import UNSET, Struct, UnsetType

from pi_tui.agent.surrogates import mended
from pi_tui.modes.records import encoded
from pi_tui.modes.rpc.framing import MAX_COMMAND_BYTES, TooLong

C = TypeVar("C", bound="Command")

CommandId: TypeAlias = str | int | float | None
"""By what a response is told apart; strings are usual."""

_HALF = re.compile(r"\\u[dD][89a-fA-F]")
"""Half a surrogate pair, or the first half of a whole one."""
_NAMED = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<path>[^`]*)`)?$", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(?P<field>[^`]*)`")


class Refused(Exception):
    """A command that is not carried out: says why, and which field or thing is meant."""


class Malformed(Exception):
    """A line that is no command at all.

    Args:
        reason: What is wrong with it.
        command_id: The id it has all the same.
    """

    def __init__(self, reason: str, command_id: CommandId = None) -> None:
        super().__init__(reason)
        self.command_id = command_id


class Command(Struct, rename="camel"):
    """What a command says beside its type and id; fields we do not know are left alone."""


class Head(Struct):
    type: str
    id: CommandId = None


class _Id(Struct):
    id: CommandId = None


class _Response(Struct, omit_defaults=True):
    id: CommandId = None
    type: str = msgspec.field(default_factory=lambda: "response")
    command: str | UnsetType = UNSET
    success: bool = msgspec.field(default_factory=bool)
    data: Any = UNSET
    error: str | UnsetType = UNSET


def head_of(line: bytes) -> Head:
    """Type and id of a command.

    Raises:
        Malformed: It is no JSON object, or has no type.
    """
    try:
        return _decode_head(line)
    except msgspec.ValidationError as error:
        raise Malformed(field_error(error), _id_in(line)) from error
    except msgspec.DecodeError as error:
        raise Malformed(f"the line is not one JSON object: {error}") from error
    except RecursionError as error:
        raise Malformed("the line is nested too deeply") from error


def legal(line: bytes | TooLong) -> bytes:
    """A line as strict JSON has it. Half a surrogate pair, which JavaScript escapes as it is, becomes U+FFFD.

    Raises:
        Malformed: It is too long, or no UTF-8.
    """
    if isinstance(line, TooLong):
        raise Malformed(f"the line is longer than {MAX_COMMAND_BYTES // 1024 // 1024} MiB and was left out")
    try:
        text = line.decode()
    except UnicodeDecodeError as error:
        raise Malformed(f"byte {error.start + 1} of the line is not UTF-8") from error
    if _HALF.search(text) is None:
        return line
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return line
    return encoded(mended(value))


def fields_of(line: bytes, kind: type[C]) -> C:
    """What a command says.

    Raises:
        Refused: A field is missing or does not fit.
    """
    try:
        return msgspec.json.decode(line, type=kind)
    except msgspec.ValidationError as error:
        raise Refused(field_error(error, kind)) from error


def explained(error: BaseException) -> str:
    """Why something went wrong, for whoever wrote the client."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return str(error) or type(error).__name__


def field_error(error: msgspec.ValidationError, kind: type[Struct] | None = None) -> str:
    """Says which field does not fit, how, and what would."""
    found = _NAMED.match(str(error))
    assert found is not None
    what, path = found["what"], (found["path"] or "").lstrip(".")
    missing = _MISSING.match(what)
    if missing is not None:
        field = f"{path}.{missing['field']}" if path else missing["field"]
        return f"{field}: it is missing"
    choices = _choices(kind, path) if kind is not None and what.startswith("Invalid enum") else ()
    if choices:
        return f"{path}: it has to be one of {', '.join(choices)}"
    what = what.replace("`", "").replace("Expected", "expected").replace("Invalid", "invalid")
    return f"{path or 'the line'}: {what}"


def succeeded(head: Head, data: object = UNSET) -> bytes:
    return encoded(_Response(head.id, command=head.type, success=True, data=data))


def failed(head: Head, error: str) -> bytes:
    return encoded(_Response(head.id, command=head.type, error=error))


def not_understood(error: Malformed) -> bytes:
    return encoded(_Response(error.command_id, command="parse", error=f"Not a command: {error}."))


def _choices(kind: type[Struct], path: str) -> list[str]:
    """The texts that a field takes, if there are only a few."""
    for field in msgspec.structs.fields(kind):
        if field.encode_name == path:
            named = (get_args(one) or (one,) for one in get_args(field.type))
            return [text for texts in named for text in texts if isinstance(text, str)]
    return []


def _id_in(line: bytes) -> CommandId:
    try:
        return _decode_id(line).id
    except (msgspec.DecodeError, RecursionError):
        return None


_decode_head = msgspec.json.Decoder(Head).decode
_decode_id = msgspec.json.Decoder(_Id).decode
