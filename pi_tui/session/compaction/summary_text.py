"""A summary as it is stored: what the model wrote, the latest prompt, and the lists of files."""

import re

from msgspec import Struct

from pi_tui.session.compaction.files import FileLists
from pi_tui.session.compaction.serialise import shortened

MAX_PROMPT = 8_000
"""Characters of a prompt that is carried along word by word."""
SPLIT_TURN = "---\n\n**The turn under way, up to here:**"

_FILES = re.compile(r"<(read|modified)-files>\n(.*?)\n?</\1-files>", re.DOTALL)
_PROMPT = re.compile(r"<latest-prompt>\n(.*?)\n</latest-prompt>", re.DOTALL)


class SummaryText(Struct, frozen=True):
    text: str
    prompt: str | None
    """The user's own words, where the compaction fell in the middle of what they asked for."""
    files: FileLists


def joined(history: str, turn: str | None) -> str:
    """One summary of what came before a turn and of the turn's beginning."""
    if turn is None:
        return history
    return f"{history or 'Nothing came before.'}\n\n{SPLIT_TURN}\n\n{turn}"


def composed(text: str, files: FileLists, prompt: str | None = None) -> str:
    """The summary to be stored."""
    parts = [text.strip()]
    if prompt is not None and prompt.strip():
        parts.append(f"<latest-prompt>\n{shortened(prompt.strip(), MAX_PROMPT)}\n</latest-prompt>")
    for name, paths in (("read", files.read), ("modified", files.modified)):
        if paths:
            parts.append(f"<{name}-files>\n" + "\n".join(paths) + f"\n</{name}-files>")
    return "\n\n".join(parts)


def taken_apart(summary: str) -> SummaryText:
    """What `composed` put together; a summary from elsewhere is all text."""
    found = {name: listed.splitlines() for name, listed in _FILES.findall(summary)}
    prompt = _PROMPT.search(summary)
    text = _PROMPT.sub("", _FILES.sub("", summary))
    files = FileLists(found.get("read", []), found.get("modified", []))
    return SummaryText(text.strip(), prompt[1] if prompt else None, files)
