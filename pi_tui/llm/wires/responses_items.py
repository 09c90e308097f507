"""What a stored message keeps of the items of an OpenAI responses answer, so that they can be sent back.

A reasoning item goes whole into the signature of its thinking block, the id and phase of a message item into
the signature of its text, and the id of a call item behind a bar in the id of the tool call.
"""

from typing import Any

import msgspec

Item = dict[str, Any]

ID_SEPARATOR = "|"
_REASONING_FIELDS = ("type", "id", "summary", "content", "encrypted_content")


def reasoning_signature(item: Item) -> str:
    """A reasoning item as the signature of its block; what the service does not want back is left out."""
    kept = {name: item[name] for name in _REASONING_FIELDS if item.get(name)}
    return msgspec.json.encode({"type": "reasoning", "summary": [], **kept}).decode()


def reasoning_item(signature: str | None) -> Item | None:
    """The item in a signature; None where there is none that the service could read without its storage."""
    item = _decoded(signature)
    if item.get("type") != "reasoning" or not isinstance(item.get("id"), str):
        return None
    return item if item.get("encrypted_content") or item.get("content") else None


def text_signature(item: Item) -> str | None:
    """Id and phase of a message item as the signature of its text."""
    if not item.get("id"):
        return None
    kept = {"v": 1, "id": item["id"], "phase": item.get("phase")}
    return msgspec.json.encode({name: value for name, value in kept.items() if value}).decode()


def message_fields(signature: str | None) -> Item:
    """`id` and `phase` from a signature, as far as they are there."""
    found = _decoded(signature)
    return {name: found[name] for name in ("id", "phase") if isinstance(found.get(name), str)}


def joined_id(call_id: str, item_id: str | None) -> str:
    return f"{call_id}{ID_SEPARATOR}{item_id}" if item_id else call_id


def split_id(tool_call_id: str) -> tuple[str, str | None]:
    """The id of a call, and that of its item where it has one."""
    call_id, _, item_id = tool_call_id.partition(ID_SEPARATOR)
    return call_id, item_id or None


def _decoded(signature: str | None) -> Item:
    if not signature or not signature.startswith("{"):
        return {}
    try:
        decoded = msgspec.json.decode(signature)
    except msgspec.DecodeError:
        return {}
    return decoded if isinstance(decoded, dict) else {}
