from pi_tui.llm.messages import AgentMessage, SystemMessage, ToolSpec, UserMessage
from pi_tui.runtime.prompt_state import PromptState, patch, replay

READ = ToolSpec("read", "Reads.", {"type": "object"})
BASH = ToolSpec("bash", "Runs.", {"type": "object"})


def told(*messages: AgentMessage) -> PromptState:
    return replay(messages)


def test_the_first_message_carries_everything() -> None:
    message = patch(PromptState(), {"preamble": "You are", "cwd": "/x"}, [READ, BASH])
    assert message is not None
    assert message.sections == {"preamble": "You are", "cwd": "/x"}
    assert message.tools_added == [READ, BASH]


def test_nothing_is_written_while_nothing_changes() -> None:
    first = patch(PromptState(), {"preamble": "You are"}, [READ])
    assert first is not None
    assert patch(told(first), {"preamble": "You are"}, [READ]) is None


def test_a_patch_names_only_what_changed() -> None:
    first = SystemMessage("", {"preamble": "You are", "skills": "none"}, [READ, BASH])
    message = patch(told(first), {"preamble": "You are", "cwd": "/y"}, [BASH])
    assert message is not None
    assert message.sections == {"cwd": "/y", "skills": None}
    assert message.tools_added is None
    assert [tool.name for tool in message.tools_removed or []] == ["read"]


def test_replaying_all_patches_gives_the_present_state() -> None:
    first = SystemMessage("", {"preamble": "a", "skills": "b"}, [READ])
    second = patch(told(first), {"preamble": "c"}, [READ, BASH])
    assert second is not None
    state = told(first, UserMessage("hello"), second)
    assert state.sections == {"preamble": "c"}
    assert list(state.tools.values()) == [READ, BASH]


def test_a_changed_schema_declares_the_tool_again() -> None:
    first = SystemMessage("", {"preamble": "a"}, [READ])
    newer = ToolSpec("read", "Reads.", {"type": "object", "required": ["path"]})
    message = patch(told(first), {"preamble": "a"}, [newer])
    assert message is not None and message.tools_added == [newer]
