"""The session's tree as the page's sidebar reads it: columns, an entry's number is its place in each."""

import re
from typing import Any, Final

from pi_tui.export.html.snapshot import Snapshot
from pi_tui.export.html.terminal_text import one_line, plain
from pi_tui.session.outline.kinds import SHOWN_KINDS

_MARKS = re.compile(r"(?m)^[#>\s*-]+|\*\*|`")
"""What in one line of Markdown says nothing."""
MAX_TAG: Final = 40
MAX_TEXT: Final = 160
"""Characters of a row."""


def tree_data(shot: Snapshot, starts: list[int]) -> dict[str, Any]:
    """Everything but the entries themselves; `starts` are the numbers at which chunks begin."""
    tags: list[str] = []
    texts: list[str] = []
    failed: list[int] = []
    calls: dict[int, str] = {}
    for number in range(len(shot.ids)):
        said = shot.text(number)
        tags.append(one_line(said.tag, MAX_TAG))
        texts.append(one_line(_MARKS.sub("", said.text[: 8 * MAX_TEXT]), MAX_TEXT))
        if said.failed:
            failed.append(number)
        call = shot.call_id(number)
        if call:
            calls[number] = plain(call)
    numbers = {entry_id: number for number, entry_id in enumerate(shot.ids)}
    return {
        "ids": shot.ids,
        "parents": shot.parents,
        "order": shot.order,
        "kinds": shot.kinds,
        "tags": tags,
        "texts": texts,
        "failed": failed,
        "calls": calls,
        "labels": {numbers[entry_id]: one_line(label, MAX_TEXT) for entry_id, label in shot.labels.items()},
        "leaf": shot.leaf,
        "chunks": starts,
        "filters": {mode: sorted(map(int, kinds)) for mode, kinds in SHOWN_KINDS.items()},
    }
