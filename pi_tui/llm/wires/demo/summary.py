"""A summary of a conversation, gathered from its text: no model, but nothing invented either."""

import re

MAX_ITEMS = 8
"""Entries under one heading."""
MAX_CHARACTERS = 160
"""Characters of one entry."""

_PART = re.compile(r"^\[(User|Assistant|Assistant tool calls|Tool result)\]: ", re.MULTILINE)
_PATH = re.compile(r'path="([^"]+)"')


def summary_of(request: str) -> str:
    """The summary asked for in `request`, which holds the conversation in `<conversation>` tags."""
    earlier = _inside(request, "previous-summary")
    parts = _parts(_inside(request, "conversation"))
    asked = [text for kind, text in parts if kind == "User"]
    calls = [text for kind, text in parts if kind == "Assistant tool calls"]
    said = [text for kind, text in parts if kind == "Assistant"]
    paths = list(dict.fromkeys(_PATH.findall("\n".join(calls))))
    goals = _under(earlier, "Goal") + asked
    done = _under(earlier, "Done") + calls
    sections = {
        "## Goal": goals,
        "## Constraints & Preferences": [],
        "## Progress\n### Done": done,
        "### In Progress": asked[-1:],
        "### Blocked": [],
        "## Key Decisions": [],
        "## Next Steps": ["Go on with what the user asked for last"],
        "## Critical Context": [*(f"File: {path}" for path in paths), *said[-1:]],
    }
    return "\n\n".join(f"{heading}\n{_list(items)}" for heading, items in sections.items())


def _inside(text: str, tag: str) -> str:
    _, begun, rest = text.partition(f"<{tag}>")
    return rest.partition(f"</{tag}>")[0] if begun else ""


def _parts(conversation: str) -> list[tuple[str, str]]:
    """The conversation as (who, what), in order."""
    split = _PART.split(conversation)
    return list(zip(split[1::2], split[2::2], strict=True))


def _under(summary: str, heading: str) -> list[str]:
    """The list under a heading of an earlier summary."""
    _, _, rest = summary.partition(f"# {heading}\n")
    section = rest.partition("\n#")[0]
    return [line[2:] for line in section.splitlines() if line.startswith("- ")]


def _list(items: list[str]) -> str:
    """The last items, the newest being what the conversation is about."""
    lines = [" ".join(item.split())[:MAX_CHARACTERS] for item in items[-MAX_ITEMS:]]
    return "\n".join(f"- {line}" for line in lines if line and line != "(none)") or "- (none)"
