"""A short session of two branches, whose entries have the ids that its tests speak of."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

NEEDLE = "needle-in-the-output"


def write_branched_session(path: Path, *, odd_id: str = "e5") -> Path:
    """e1 → e2 → e3 → e4 → `odd_id` (left) and e2 → e6 → e7 (the leaf); e1 has a label."""
    lines: list[dict[str, Any]] = [
        {
            "type": "session",
            "version": 3,
            "id": "branched",
            "timestamp": "2026-01-01T00:00:00.000Z",
            "cwd": "/project",
        }
    ]

    def add(entry_id: str, parent: str | None, kind: str, **fields: Any) -> None:
        stamp = f"2026-01-01T10:{len(lines):02d}:00.000Z"
        lines.append({"type": kind, "id": entry_id, "parentId": parent, "timestamp": stamp, **fields})

    def say(entry_id: str, parent: str | None, role: str, content: Any, **fields: Any) -> None:
        message = {"role": role, "content": content, "timestamp": 0, **fields}
        add(entry_id, parent, "message", message=message)

    source = {"api": "x", "provider": "local", "model": "scripted", "stopReason": "stop"}
    call = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {"command": "ls\nls -a"}}
    say("e1", None, "user", "What is here?")
    say(
        "e2",
        "e1",
        "assistant",
        [{"type": "thinking", "thinking": "I look."}, _text("**Two** ways.")],
        **source,
    )
    say("e3", "e2", "assistant", [call], **{**source, "stopReason": "toolUse"})
    output = "\n".join([*(f"line {number}" for number in range(40)), NEEDLE])
    say("e4", "e3", "toolResult", [_text(output)], toolCallId="c1", toolName="bash", isError=False)
    say(odd_id, "e4", "assistant", [_text("The first way.")], **source)
    say("e6", "e2", "user", "Go the second way")
    add("l1", "e6", "label", targetId="e1", label="start")
    say("e7", "l1", "assistant", [_text("The second way, at its end.")], **source)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), "utf-8")
    return path


def _text(text: str) -> dict[str, str]:
    return {"type": "text", "text": text}
