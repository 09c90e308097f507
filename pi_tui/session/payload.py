"""An entry's bytes → its typed payload, as much of it as can be read.

The strict decoder is tried first. What it refuses (another program's rounding, a lone surrogate, a block of a
kind to come) is mended field by field: a value that does not fit becomes its field's default, a block of an
unknown kind is left out, and an entry of an unknown type or a message of an unknown role is kept as an
`UnknownEntry`.
"""

import json
from typing import Any, get_args

import msgspec
from msgspec import Struct, inspect

from pi_tui.llm.messages import AgentMessage
from pi_tui.session.entries import Entry, Head, KnownEntry, UnknownEntry

MAX_NUMBER = 2**63
"""Numbers this large are no count of anything."""
_BASE_FIELDS = frozenset({"type", "id", "parentId", "timestamp"})
_decode_known = msgspec.json.Decoder(KnownEntry).decode
_ENTRY_TYPES: dict[str, type[Struct]] = {
    str(kind.__struct_config__.tag): kind for kind in get_args(KnownEntry)
}
_ROLES = frozenset(str(kind.__struct_config__.tag) for kind in get_args(AgentMessage))


def decode_entry(head: Head, raw: bytes) -> Entry:
    """The entry in `raw`; never raises for what a file may hold."""
    try:
        return _decode_known(raw)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return _mended_entry(head, raw)


def lenient_fields(raw: bytes) -> dict[str, Any]:
    """The JSON object in `raw`, with bytes that are not UTF-8 and lone surrogates as U+FFFD."""
    try:
        fields = json.loads(raw.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return {}
    return scrub(fields) if isinstance(fields, dict) else {}


def scrub(value: Any) -> Any:
    """The same plain data with lone surrogates, which no encoder takes, as U+FFFD."""
    if isinstance(value, str):
        return value.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    if isinstance(value, list):
        return [scrub(item) for item in value]
    if isinstance(value, dict):
        return {scrub(key): scrub(item) for key, item in value.items()}
    return value


def mend(value: Any, kind: Any) -> Any:
    """`value` (plain data) as the type `kind`, with defaults where it does not fit."""
    return _mend(value, inspect.type_info(kind))


def _mended_entry(head: Head, raw: bytes) -> Entry:
    fields = lenient_fields(raw)
    kind = _ENTRY_TYPES.get(head.type)
    message = fields.get("message")
    unknown_role = head.type == "message" and (
        not isinstance(message, dict) or message.get("role") not in _ROLES
    )
    if kind is None or unknown_role:
        rest = {name: value for name, value in fields.items() if name not in _BASE_FIELDS}
        return UnknownEntry(head.type, head.id, head.parent_id, head.timestamp, rest)
    entry: Entry = mend(fields, kind)
    return entry


def _mend(value: Any, info: inspect.Type) -> Any:
    match info:
        case inspect.AnyType():
            return value
        case inspect.StructType():
            return _mend_struct(value, info)
        case inspect.UnionType():
            return _mend_union(value, info)
        case inspect.ListType():
            return _mend_list(value, info)
        case inspect.DictType():
            return _mend_dict(value, info)
    return _mend_plain(value, info)


def _mend_plain(value: Any, info: inspect.Type) -> Any:
    match info:
        case inspect.StrType():
            return value if isinstance(value, str) else "" if value is None else json.dumps(value)
        case inspect.IntType() | inspect.FloatType():
            number = value if isinstance(value, int | float) and abs(value) < MAX_NUMBER else 0
            return int(number) if isinstance(info, inspect.IntType) else float(number)
        case inspect.BoolType():
            return value is True
    return None


def _mend_struct(value: Any, info: inspect.StructType) -> Any:
    fields = value if isinstance(value, dict) else {}
    arguments: dict[str, Any] = {}
    for field in info.fields:
        found = fields.get(field.encode_name)
        if found is not None or field.required:
            arguments[field.name] = _mend(found, field.type)
    return info.cls(**arguments)


def _mend_list(value: Any, info: inspect.ListType) -> list[Any]:
    if isinstance(value, str):
        # Content that its role requires as blocks.
        value = [{"type": "text", "text": value}]
    if not isinstance(value, list):
        return []
    if isinstance(info.item_type, inspect.StructType):
        value = [item for item in value if isinstance(item, dict)]
    mended = [_mend(item, info.item_type) for item in value]
    return [item for item in mended if item is not None]


def _mend_union(value: Any, info: inspect.UnionType) -> Any:
    """None where nothing in the union fits: the caller leaves it out."""
    if value is None and info.includes_none:
        return None
    kinds = list(info.types)
    structs = [kind for kind in kinds if isinstance(kind, inspect.StructType)]
    if isinstance(value, dict) and structs:
        for kind in structs:
            if kind.tag_field is None or value.get(kind.tag_field) == kind.tag:
                return _mend_struct(value, kind)
        return None
    if isinstance(value, list):
        kinds.sort(key=lambda kind: not isinstance(kind, inspect.ListType))
    elif isinstance(value, str):
        kinds.sort(key=lambda kind: not isinstance(kind, inspect.StrType))
    plain = [kind for kind in kinds if not isinstance(kind, inspect.NoneType | inspect.StructType)]
    return _mend(value, plain[0]) if plain else None


def _mend_dict(value: Any, info: inspect.DictType) -> dict[str, Any]:
    if isinstance(value, str):
        # Tool arguments that were stored as the JSON text they came as.
        try:
            value = json.loads(value, strict=False)
        except ValueError:
            return {}
    if not isinstance(value, dict):
        return {}
    return {str(key): _mend(item, info.value_type) for key, item in value.items()}


def encode_entry(entry: KnownEntry) -> bytes:
    """The entry's line without its newline. What JSON cannot hold becomes text, a lone surrogate U+FFFD."""
    try:
        return msgspec.json.encode(entry, enc_hook=str)
    except UnicodeEncodeError:
        plain = msgspec.to_builtins(entry, enc_hook=str, str_keys=True)
        return msgspec.json.encode(scrub(plain), enc_hook=str)
