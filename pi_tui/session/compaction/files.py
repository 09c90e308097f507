"""Which files the agent read and changed, carried on from summary to summary."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

from pi_tui.llm.messages import AgentMessage, AssistantMessage
from pi_tui.session.entries import BranchSummaryEntry, CompactionEntry, Entry

_READS = frozenset({"read"})
_MODIFIES = frozenset({"write", "edit"})


class FileLists(Struct, frozen=True):
    """Paths as the agent wrote them, sorted; one that was changed is not listed as read."""

    read: list[str]
    modified: list[str]

    @property
    def details(self) -> dict[str, list[str]]:
        """As a compaction or branch summary stores them."""
        return {"readFiles": self.read, "modifiedFiles": self.modified}


def file_lists(messages: Iterable[AgentMessage], summaries: Iterable[Entry] = ()) -> FileLists:
    """The files in the tool calls of `messages` and in what earlier summaries of our own carry on."""
    read: set[str] = set()
    modified: set[str] = set()
    for entry in summaries:
        if isinstance(entry, CompactionEntry | BranchSummaryEntry) and not entry.from_hook:
            read.update(_paths(entry.details, "readFiles"))
            modified.update(_paths(entry.details, "modifiedFiles"))
    for message in messages:
        if not isinstance(message, AssistantMessage):
            continue
        for call in message.tool_calls:
            path = call.arguments.get("path")
            if isinstance(path, str) and path:
                if call.name in _READS:
                    read.add(path)
                elif call.name in _MODIFIES:
                    modified.add(path)
    return FileLists(sorted(read - modified), sorted(modified))


def _paths(details: Any, key: str) -> list[str]:
    """A list of paths out of a foreign object."""
    paths = details.get(key) if isinstance(details, dict) else None
    return [path for path in paths if isinstance(path, str)] if isinstance(paths, list) else []
