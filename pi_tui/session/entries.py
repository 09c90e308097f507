"""The lines of a session file after the header: the entry types of format v3.

A line is decoded in two steps: its `Head` at once, its payload when someone asks. Unknown types decode to
`UnknownEntry`; unknown fields stay in the bytes of the line, which are never re-encoded.
"""

from typing import Any, TypeAlias

import msgspec
from msgspec import Struct

from pi_tui.llm.messages import AgentMessage, SystemMessage, Usage, UserBlock


class Header(Struct, tag_field="type", tag="session", rename="camel", omit_defaults=True):
    """Line 1 of a session file."""

    version: int = msgspec.field(default=1)
    id: str = ""
    timestamp: str = ""
    cwd: str = ""
    parent_session: str | None = None


class Head(Struct, rename="camel"):
    """What every entry has, decoded without its payload."""

    type: str
    id: str
    parent_id: str | None = None
    timestamp: str = ""


class _Entry(Struct, tag_field="type", rename="camel", omit_defaults=True, kw_only=True):
    id: str
    parent_id: str | None
    timestamp: str


class MessageEntry(_Entry, tag="message", kw_only=True):
    message: AgentMessage


class ThinkingLevelChangeEntry(_Entry, tag="thinking_level_change", kw_only=True):
    thinking_level: str


class ModelChangeEntry(_Entry, tag="model_change", kw_only=True):
    provider: str
    model_id: str


class CompactionEntry(_Entry, tag="compaction", kw_only=True):
    summary: str
    first_kept_entry_id: str
    tokens_before: int
    usage: Usage | None = None
    details: Any = None
    from_hook: bool | None = None
    system_message: SystemMessage | None = None


class BranchSummaryEntry(_Entry, tag="branch_summary", kw_only=True):
    from_id: str | None
    summary: str
    usage: Usage | None = None
    details: Any = None
    from_hook: bool | None = None


class CustomEntry(_Entry, tag="custom", kw_only=True):
    custom_type: str
    data: Any = None


class CustomMessageEntry(_Entry, tag="custom_message", kw_only=True):
    custom_type: str
    content: str | list[UserBlock]
    display: bool
    details: Any = None


class ContextEditEntry(_Entry, tag="context_edit", kw_only=True):
    target_id: str
    replacement: Any
    """None leaves the target out; else its new content."""


class LabelEntry(_Entry, tag="label", kw_only=True):
    target_id: str
    label: str | None = None


class SessionInfoEntry(_Entry, tag="session_info", kw_only=True):
    name: str | None = None


class UsageEntry(_Entry, tag="usage", kw_only=True):
    kind: str
    provider: str
    model: str
    usage: Usage


class UnknownEntry(Struct):
    """An entry of a type we do not know, or whose payload does not fit its type: kept, not in the context."""

    type: str
    id: str
    parent_id: str | None
    timestamp: str
    fields: dict[str, Any]


KnownEntry: TypeAlias = (
    MessageEntry
    | ThinkingLevelChangeEntry
    | ModelChangeEntry
    | CompactionEntry
    | BranchSummaryEntry
    | CustomEntry
    | CustomMessageEntry
    | ContextEditEntry
    | LabelEntry
    | SessionInfoEntry
    | UsageEntry
)
Entry: TypeAlias = KnownEntry | UnknownEntry
