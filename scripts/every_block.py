"""A session with a block of every kind, for pictures of the themes."""

from __future__ import annotations

import base64
import json
import struct
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

Json = dict[str, Any]

ANSWER = """\
## What the timer does

It reads `MINUTES` and waits. See [the docs](https://docs.python.org/3/library/time.html) of `time.sleep`.

| tea | minutes | with milk |
|---|--:|---|
| green | 2 | no |
| black | 4 | yes |

1. **Parse** the name of the tea
2. *Wait*, ~~twice~~ once
   - a list in a list

> Good tea takes its time.

```python
@dataclass
class Tea:
    name: str = "green"  # the usual one
    minutes: float = 2.5

    def seconds(self) -> int:
        return round(self.minutes * 60)
```

---
"""
DIFF = (
    "--- tea.py\n+++ tea.py\n@@ -1,4 +1,5 @@\n import time\n \n"
    "-MINUTES = {'green': 3, 'black': 4}\n+MINUTES = {'green': 2, 'black': 4}\n \n+DEFAULT = 'green'\n"
)
SUMMARY = "## Goal\nTell when the tea is ready.\n\n## Progress\n- [x] The table of minutes\n- [ ] A sound at the end"


def write_session(path: Path, cwd: Path) -> None:
    """Writes the session; its last entry is where the conversation stands."""
    header = {"type": "session", "version": 3, "id": "01a22bcc-0000-7000-8000-00000000tea0"}
    lines = [header | {"timestamp": _time(0), "cwd": str(cwd)}]
    parent: str | None = None
    for number, entry in enumerate(_entries(), 1):
        identity = f"{number:08x}"
        lines.append(entry | {"id": identity, "parentId": parent, "timestamp": _time(number)})
        parent = identity
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def _entries() -> Iterator[Json]:
    yield {"type": "session_info", "name": "Tea timer"}
    yield _message("user", [_text("What does this program do? Here is a picture of the kettle."), _picture()])
    yield _assistant(
        {"type": "thinking", "thinking": "The user wants to know what it does. I read it first."}
    )
    yield from _tool("ls", {}, "README.md\ntea.py\ntest_tea.py", {"entries": 3, "more": False, "ignored": 0})
    yield from _tool("find", {"pattern": "*.py"}, "tea.py\ntest_tea.py", {"results": 2, "more": False})
    found = "tea.py:3:MINUTES = {'green': 3, 'black': 4}"
    yield from _tool("grep", {"pattern": "MINUTES"}, found, {"matches": 1, "files": 1, "more": False})
    code = "import time\n\nMINUTES = {'green': 3, 'black': 4}\n"
    yield from _tool("read", {"path": "tea.py"}, code, {"lines": {"first": 1, "last": 3, "total": 3}})
    yield _assistant(_text(ANSWER))
    yield {
        "type": "compaction",
        "summary": SUMMARY,
        "firstKeptEntryId": "00000001",
        "tokensBefore": 151_200,
        "details": {"readFiles": ["tea.py"], "modifiedFiles": []},
    }
    yield _message("user", [_text("Green tea takes two minutes. Change it, and test it.")])
    edits = {"path": "tea.py", "edits": [{"oldText": "'green': 3", "newText": "'green': 2"}]}
    details = {"diff": DIFF, "firstChangedLine": 3, "added": 2, "removed": 1}
    yield from _tool("edit", edits, "Changed tea.py.", details)
    test = "from tea import MINUTES\n\n\ndef test_green():\n    assert MINUTES['green'] == 2\n"
    yield from _tool("write", {"path": "test_tea.py", "content": test}, "Wrote test_tea.py.", {})
    output = "F                                    [100%]\nE   assert 3 == 2\n1 failed in 0.02s"
    yield from _tool("bash", {"command": "pytest -q"}, output, {"exitCode": 1, "durationMs": 412}, error=True)
    yield {
        "type": "branch_summary",
        "fromId": "00000009",
        "summary": "Tried a sound at the end; it needs a library.",
    }
    yield {
        "type": "custom_message",
        "customType": "reminder",
        "content": "The kettle is hot.",
        "display": True,
    }
    yield _message(
        "bashExecution",
        None,
        command="git status --short",
        output=" M tea.py\n?? test_tea.py",
        exitCode=0,
        cancelled=False,
        truncated=False,
    )
    failed = _assistant()
    failed["message"] |= {"stopReason": "error", "errorMessage": "529 overloaded: the server is busy"}
    yield failed


def _assistant(*content: Json, stop: str = "stop") -> Json:
    cost = {"input": 0.012, "output": 0.004, "cacheRead": 0.001, "cacheWrite": 0, "total": 0.017}
    usage = {"input": 4_000, "output": 300, "cacheRead": 150_000, "cacheWrite": 0, "totalTokens": 154_300}
    return _message(
        "assistant",
        list(content),
        api="openai-completions",
        provider="kitchen",
        model="kettle",
        usage=usage | {"cost": cost},
        stopReason=stop,
    )


def _tool(name: str, arguments: Json, output: str, details: Json, *, error: bool = False) -> Iterator[Json]:
    call = {"type": "toolCall", "id": f"call_{name}", "name": name, "arguments": arguments}
    yield _assistant(call, stop="toolUse")
    yield _message(
        "toolResult",
        [_text(output)],
        toolCallId=f"call_{name}",
        toolName=name,
        isError=error,
        details=details,
    )


def _message(role: str, content: object, **fields: object) -> Json:
    message = {"role": role, "timestamp": 1_790_000_000_000, **fields}
    return {"type": "message", "message": message if content is None else message | {"content": content}}


def _text(text: str) -> Json:
    return {"type": "text", "text": text}


def _picture() -> Json:
    """A grey square as PNG."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    size = 64
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", size, size, 8, 0, 0, 0, 0))
    rows = chunk(b"IDAT", zlib.compress((b"\0" + b"\x80" * size) * size))
    data = b"\x89PNG\r\n\x1a\n" + header + rows + chunk(b"IEND", b"")
    return {"type": "image", "data": base64.b64encode(data).decode(), "mimeType": "image/png"}


def _time(second: int) -> str:
    return f"2026-05-04T10:00:{second:02d}.000Z"
