"""A copy of a session in which secrets are masked, for those who are shown it."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec

from pi_tui.export.secrets import FoundSecret, fields_of
from pi_tui.session.log import SessionLog

MASK = "[masked]"


def masked_copy(log: SessionLog, found: Sequence[FoundSecret], path: Path) -> SessionLog:
    """Writes a copy of all branches to a new file, with a mask for every secret, and opens it at the same leaf.

    Raises:
        OSError: The file could not be written.
    """
    # The longest first: one may be a part of another.
    secrets = sorted((one.secret for one in found), key=len, reverse=True)
    with path.open("xb") as file:
        file.write(log.header_line + b"\n")
        for entry_id in log.entry_ids:
            file.write(_masked_line(log.raw(entry_id), secrets) + b"\n")
    copy = SessionLog.open(path, read_only=True)
    if log.leaf_id is None or log.leaf_id in copy:
        copy.move_to(log.leaf_id)
    return copy


def _masked_line(raw: bytes, secrets: Sequence[str]) -> bytes:
    fields = fields_of(raw)
    masked = _masked(fields, secrets)
    return raw if masked == fields else msgspec.json.encode(masked)


def _masked(value: Any, secrets: Sequence[str]) -> Any:
    match value:
        case str():
            for secret in secrets:
                if secret in value:
                    value = value.replace(secret, MASK)
            return value
        case list():
            return [_masked(item, secrets) for item in value]
        case dict():
            return {_masked(key, secrets): _masked(item, secrets) for key, item in value.items()}
    return value
