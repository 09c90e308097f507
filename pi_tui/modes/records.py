"""What a session tells, as the records of JSON and RPC mode: one JSON object and a line feed each."""

import json
from typing import Any

import msgspec

from pi_tui.runtime.events import BashEnd, BashUpdate, SessionEvent


def record_of(event: SessionEvent, bash_id: str | int | None = None) -> bytes:
    """The record of an event, as the format of these modes has it.

    Args:
        event: What the session told. Output that only a screen needs (colours, a live tail) is left out.
        bash_id: The id of the command whose output this is.
    """
    match event:
        case BashUpdate(delta=delta):
            fields: dict[str, Any] = {"type": "bash_execution_update"}
            if bash_id is not None:
                fields["id"] = bash_id
            return encoded({**fields, "delta": delta})
        case BashEnd(message=message):
            return encoded({"type": "bash_execution_end", "message": message})
    return encoded(event)


def encoded(value: object) -> bytes:
    """One line of JSON. Half a surrogate pair, which UTF-8 cannot hold, is escaped."""
    try:
        return _encode(value) + b"\n"
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(value)
        return json.dumps(plain, separators=(",", ":")).encode() + b"\n"


_encode = msgspec.json.Encoder().encode
