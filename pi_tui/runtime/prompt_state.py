"""The system prompt and the tools as the session file tells them: one full message first, patches later.

Replaying the `system` messages of a branch in order gives what the model saw at any entry of it.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from pi_tui.llm.messages import AgentMessage, SystemMessage, ToolReference, ToolSpec, now_ms
from pi_tui.session.entries import CompactionEntry, MessageEntry
from pi_tui.session.log import SessionLog


class PromptState(msgspec.Struct):
    """Named sections of the system prompt and the tools, in the order the model sees them."""

    sections: dict[str, str] = msgspec.field(default_factory=dict)
    tools: dict[str, ToolSpec] = msgspec.field(default_factory=dict)
    declared: bool = False
    """Whether any system message was seen."""


def replay(messages: Iterable[AgentMessage]) -> PromptState:
    """What the system messages among `messages` add up to."""
    state = PromptState()
    for message in messages:
        if not isinstance(message, SystemMessage):
            continue
        state.declared = True
        for name, text in (message.sections or {}).items():
            if text is None:
                state.sections.pop(name, None)
            else:
                state.sections[name] = text
        for removed in message.tools_removed or []:
            state.tools.pop(removed.name, None)
        for tool in message.tools_added or []:
            state.tools[tool.name] = tool
    return state


def told_at_leaf(log: SessionLog) -> PromptState:
    """What the system messages on the active branch add up to; a compaction starts afresh with the one it carries."""
    messages: list[AgentMessage] = []
    for entry_id in log.branch():
        if log.role(entry_id) == "system":
            entry = log.entry(entry_id)
            if isinstance(entry, MessageEntry):
                messages.append(entry.message)
        elif log.head(entry_id).type == "compaction":
            compaction = log.entry(entry_id)
            if isinstance(compaction, CompactionEntry) and compaction.system_message is not None:
                messages = [compaction.system_message]
    return replay(messages)


def patch(told: PromptState, sections: Mapping[str, str], tools: Sequence[ToolSpec]) -> SystemMessage | None:
    """The message that takes a reader from `told` to the present prompt; None if nothing changed."""
    changed: dict[str, str | None] = {
        name: text for name, text in sections.items() if told.sections.get(name) != text
    }
    changed.update({name: None for name in told.sections if name not in sections})
    now = {tool.name: tool for tool in tools}
    added = [tool for name, tool in now.items() if told.tools.get(name) != tool]
    removed = [ToolReference(name) for name in told.tools if name not in now]
    if told.declared and not (changed or added or removed):
        return None
    return SystemMessage(
        content="",
        sections=changed or None,
        tools_added=added or None,
        tools_removed=removed or None,
        timestamp=now_ms(),
    )
