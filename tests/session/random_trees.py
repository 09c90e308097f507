"""Random session files for property tests: any tree, known and unknown types, extra fields, odd spacing."""

import json
from typing import Any

from hypothesis import strategies as st

HEADER = {
    "type": "session",
    "version": 3,
    "id": "s-1",
    "timestamp": "2026-01-02T03:04:05.678Z",
    "cwd": "/project",
    "headerExtra": [1],
}
TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)


def _user(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    return {"type": "message", "message": {"role": "user", "content": draw(TEXT), "timestamp": 1}}


def _assistant(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    blocks: list[dict[str, Any]] = [{"type": "text", "text": draw(TEXT)}]
    usage = {"input": draw(st.integers(0, 99)), "output": 1, "cost": {"total": 0.5}}
    message = {"role": "assistant", "content": blocks, "provider": "p", "model": draw(st.sampled_from("ab"))}
    return {"type": "message", "message": {**message, "usage": usage, "stopReason": "stop"}}


def _label(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    if not ids:
        return _user(draw, ids)
    label = draw(st.none() | TEXT)
    return {
        "type": "label",
        "targetId": draw(st.sampled_from(ids)),
        **({} if label is None else {"label": label}),
    }


def _name(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    return {"type": "session_info", "name": draw(TEXT)}


def _compaction(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    kept = draw(st.sampled_from([*ids, "nowhere0"]))
    return {"type": "compaction", "summary": draw(TEXT), "firstKeptEntryId": kept, "tokensBefore": 5}


def _edit(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    if not ids:
        return _user(draw, ids)
    return {
        "type": "context_edit",
        "targetId": draw(st.sampled_from(ids)),
        "replacement": draw(st.none() | TEXT),
    }


def _unknown(draw: st.DrawFn, ids: list[str]) -> dict[str, Any]:
    return {"type": "to_come", "payload": {"x": [draw(TEXT), None]}}


_KINDS = [_user, _user, _assistant, _assistant, _label, _name, _compaction, _edit, _unknown]


@st.composite
def session_bytes(draw: st.DrawFn) -> bytes:
    """A sound session file."""
    ids: list[str] = []
    lines = [json.dumps(HEADER)]
    for number in range(draw(st.integers(0, 25))):
        entry_id = f"{number:08x}"
        # Most entries go on where the last one stands; some branch off, and there may be several roots.
        parent = draw(st.sampled_from([None, *ids, *ids[-1:] * 12])) if ids else None
        base = {"id": entry_id, "parentId": parent, "timestamp": f"2026-01-02T03:04:{number:02d}.000Z"}
        fields = draw(st.sampled_from(_KINDS))(draw, ids)
        extra = draw(st.sampled_from([{}, {}, {"extra": {"id": "x", "parentId": "y"}}]))
        first = {"type": fields.pop("type")}
        order = draw(
            st.sampled_from([{**first, **base, **fields, **extra}, {**extra, **fields, **base, **first}])
        )
        spacing = draw(st.sampled_from([(",", ":"), (", ", ": ")]))
        lines.append(json.dumps(order, ensure_ascii=draw(st.booleans()), separators=spacing))
        ids.append(entry_id)
    return "".join(line + "\n" for line in lines).encode()
