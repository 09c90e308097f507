"""The ids and times of sessions and entries."""

import os
import re
from collections.abc import Container
from datetime import UTC, datetime
from time import time_ns

MAX_ID_TRIES = 100
SESSION_ID = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._-]*[A-Za-z0-9])?")
"""What `--session-id` may be."""


def new_session_id() -> str:
    """A UUID of version 7 (RFC 9562, section 5.7): sorts by the millisecond it was made in.

    Made here because the first screen waits for it: `uuid` alone costs as much as the rest of opening a session.
    """
    random = int.from_bytes(os.urandom(10), "big")
    value = time_ns() // 1_000_000 << 80 | random
    value = value & ~(0xF000 << 64) | 0x7000 << 64
    value = value & ~(0xC000 << 48) | 0x8000 << 48
    digits = f"{value:032x}"
    return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))


def new_entry_id(taken: Container[str]) -> str:
    """Eight hex digits that are not `taken`; a full UUID if a hundred tries collide."""
    for _ in range(MAX_ID_TRIES):
        entry_id = os.urandom(4).hex()
        if entry_id not in taken:
            return entry_id
    import uuid

    return str(uuid.uuid4())


def derived_entry_id(seed: str, taken: Container[str]) -> str:
    """Eight hex digits that are the same for the same seed, for entries whose file gives them none."""
    from hashlib import blake2s

    attempt = 0
    while True:
        digest = blake2s(f"{seed}/{attempt}".encode(), digest_size=4).hexdigest()
        if digest not in taken:
            return digest
        attempt += 1


def now_iso() -> str:
    """The current time as entries carry it: ISO 8601, UTC, milliseconds, `Z`."""
    return iso_of(datetime.now(UTC))


def iso_of(moment: datetime) -> str:
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def milliseconds_of(timestamp: str) -> int:
    """Unix milliseconds of an entry's timestamp; 0 if it is none."""
    try:
        moment = datetime.fromisoformat(timestamp)
    except ValueError:
        return 0
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return round(moment.timestamp() * 1000)
