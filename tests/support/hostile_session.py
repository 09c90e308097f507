"""A session file in which every field that can be shown tries to run something, or to break out of where it is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

RUN = "window.pwned = (window.pwned || 0) + 1"
"""What each attack would do."""

ATTACKS = (
    f"<script>{RUN}</script>",
    f"</script><script>{RUN}</script>",
    f'"><img src=x onerror="{RUN}">',
    f"'><svg/onload={RUN}>",
    f"<!--<script>{RUN}</script>-->",
    f"]]></template></textarea></style></title><script>{RUN}</script>",
    f"&lt;script&gt;{RUN}&lt;/script&gt;",
    "{{ 7 * 7 }} {% raw %} ${7 * 7} {{ cycler.__init__.__globals__ }}",
    "\u2028\u2029\u202e\u0000\x1b]0;title\x07\x1b[2J\x1b[31mred\x1b[0m\x9b5m",
    "http://evil.invalid/track.png",
)
ALL = " ".join(ATTACKS)

MARKDOWN = f"""# {ATTACKS[0]}

[javascript](javascript:{RUN.replace(" ", "%20")}) [tabbed](java\tscript:alert(1)) [entity](javascript&#58;alert(1))
[data](data:text/html,<script>{RUN}</script>) [vb](vbscript:x) [back](/\\evil.invalid) [slashes](//evil.invalid/x)
[percent](%5c%5cevil.invalid) [file](file:///etc/passwd) [fragment](#rows) [good](https://example.com/a?b=1&c=2)
<javascript:alert(1)> <https://example.com/auto> ![tracker](http://evil.invalid/t.png)
![svg](data:image/svg+xml;base64,PHN2Zz4=)
![x" onerror="{RUN}](http://evil.invalid/"onload="{RUN})

<iframe src="http://evil.invalid"></iframe><form action="http://evil.invalid"><input onfocus="{RUN}" autofocus></form>
<style>* {{ display: none }}</style><base href="http://evil.invalid/"><meta http-equiv="refresh" content="0;url=http://evil.invalid">
<a href="https://example.com" style="position:fixed" onclick="{RUN}" id="rows" name="session">raw</a>

```html" onmouseover="{RUN}
{ALL}
```

```python
x = "</code></pre><script>{RUN}</script>"
```

| a{ATTACKS[2]} | b |
|:--|--:|
| {ATTACKS[3]} | `{ATTACKS[0]}` |
"""

PIXEL = "R0lGODlhAQABAIAAAP8AAP///yH5BAAAAAAALAAAAAABAAEAAAICRAEAOw=="
"""A red GIF of one pixel."""

HUGE = "A" * 17_000_000
"""Base64 of more than a page shows."""

IDS = (
    'x" onclick="' + RUN,
    "</script><script>" + RUN + "</script>",
    "rows",
    "a b#?/%41'",
    "<img src=x onerror=1>",
)


def write_hostile_session(path: Path, *, huge: bool = False) -> Path:
    """`huge` adds an image of 17 MB."""
    lines: list[dict[str, Any]] = []
    parent: str | None = None

    def add(kind: str, entry_id: str | None = None, /, **fields: Any) -> str:
        nonlocal parent
        found = entry_id or f"{len(lines):08x}"
        lines.append({"type": kind, "id": found, "parentId": parent, "timestamp": stamp(), **fields})
        parent = found
        return found

    def stamp() -> str:
        return ALL if len(lines) % 7 == 3 else "2026-01-01T00:00:00.000Z"

    def say(message: dict[str, Any], entry_id: str | None = None) -> str:
        return add("message", entry_id, message={"timestamp": 0, **message})

    add("session_info", name=ALL)
    add("model_change", provider=ALL, modelId=ALL)
    add("thinking_level_change", thinkingLevel=ALL)
    images = [
        {"type": "image", "data": PIXEL, "mimeType": "image/gif"},
        {"type": "image", "data": f'{PIXEL}" onerror="{RUN}', "mimeType": "image/gif"},
        {"type": "image", "data": PIXEL, "mimeType": f'image/gif" onerror="{RUN}'},
        {"type": "image", "data": "PHN2ZyBvbmxvYWQ9ImFsZXJ0KDEpIi8+", "mimeType": "image/svg+xml"},
        {"type": "image", "data": "PHNjcmlwdD4=", "mimeType": "text/html"},
    ]
    if huge:
        images.append({"type": "image", "data": HUGE, "mimeType": "image/gif"})
    first = say({"role": "user", "content": [{"type": "text", "text": ALL}, *images]}, IDS[0])
    usage = {
        "input": 1,
        "output": 1,
        "cacheRead": 0,
        "cacheWrite": 0,
        "totalTokens": 2,
        "cost": {"total": 0.1},
    }
    source = {"api": ALL, "provider": ALL, "model": ALL, "usage": usage, "stopReason": "toolUse"}
    tools = ("bash", "read", "write", "edit", "grep", ALL)
    arguments = {
        "command": f"{ALL}\n{ALL}",
        "path": f"{ALL}.html",
        "pattern": ALL,
        "content": MARKDOWN,
        "edits": [{"oldText": ALL, "newText": ALL}],
        ALL: [ALL],
    }
    calls = [
        {"type": "toolCall", "id": f"{ALL}{name}", "name": name, "arguments": arguments} for name in tools
    ]
    blocks = [{"type": "thinking", "thinking": MARKDOWN}, {"type": "text", "text": MARKDOWN}, *calls]
    say({"role": "assistant", "content": blocks, **source}, IDS[1])
    for place, name in enumerate(tools[:-1]):
        details = {
            "diff": f"@@ -1,2 +1,2 @@\n-{ALL}\n+{ALL}\n {ALL}",
            "ansi": f"\x1b[31m{ALL}\x1b[0m",
            "exitCode": 1,
        }
        say(
            {
                "role": "toolResult",
                "toolCallId": f"{ALL}{name}",
                "toolName": ALL,
                "content": [{"type": "text", "text": MARKDOWN}, images[0]],
                "isError": place % 2 == 1,
                "details": details if place != 1 else ALL,
            },
            IDS[2] if place == 0 else None,
        )
    say(
        {
            "role": "bashExecution",
            "command": ALL,
            "output": ALL,
            "exitCode": 1,
            "cancelled": False,
            "truncated": False,
        }
    )
    say({"role": "custom", "customType": ALL, "content": MARKDOWN, "display": True}, IDS[3])
    say(
        {
            "role": "system",
            "content": ALL,
            "toolsAdded": [{"name": ALL, "description": ALL, "parameters": {}}],
        }
    )
    say({"role": "nobody knows", "content": ALL})
    add("custom_message", customType=ALL, content=MARKDOWN, display=False)
    add("compaction", summary=MARKDOWN, firstKeptEntryId=first, tokensBefore=1)
    add("branch_summary", fromId=None, summary=MARKDOWN)
    add("custom", customType=ALL, data={ALL: ALL})
    add("context_edit", targetId=first, replacement=ALL)
    add("label", IDS[4], targetId=first, label=ALL)
    add("usage", kind=ALL, provider=ALL, model=ALL, usage=usage)
    add(ALL, anything=ALL)
    failed = {**source, "stopReason": "error", "errorMessage": ALL}
    say({"role": "assistant", "content": [], **failed})
    header = {"type": "session", "version": 3, "id": "hostile", "timestamp": ALL, "cwd": ALL}
    text = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in (header, *lines))
    path.write_bytes(text.encode() + b'{"torn <script>' + b"\n")
    return path
