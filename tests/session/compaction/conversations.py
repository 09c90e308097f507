"""Random conversations that a loop could have left behind, and an in-memory session that holds them."""

from pathlib import Path

from hypothesis import strategies as st

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    CustomMessage,
    SystemMessage,
    TextContent,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from pi_tui.llm.model import Model
from pi_tui.session.log import SessionLog

MODELS = [
    Model(id="a", provider="p", api="anthropic-messages"),
    Model(id="a", provider="p", api="openai-completions"),
]
texts = st.sampled_from(["x", "two words", "long " * 40, "很长的句子" * 20])


@st.composite
def turns(draw: st.DrawFn, number: int) -> list[AgentMessage]:
    """A prompt and what came of it: responses with calls, some of them failed, aborted or steered."""
    messages: list[AgentMessage] = [UserMessage(f"prompt {number} {draw(texts)}", 1)]
    if draw(st.booleans()):
        messages.insert(0, draw(st.sampled_from([SystemMessage("s"), CustomMessage("note", "n", True)])))
    for step in range(draw(st.integers(0, 4))):
        ids = [f"{number}-{step}-{index}" for index in range(draw(st.integers(0, 3)))]
        calls = [ToolCall(one, "read", {"path": f"{one}.txt"}) for one in ids]
        stop = "toolUse" if ids else draw(st.sampled_from(["stop", "error", "aborted", "length"]))
        messages.append(
            AssistantMessage(
                [TextContent(draw(texts)), *calls], "openai-completions", "p", "a", stop_reason=stop
            )
        )
        # A crash leaves calls without results.
        answered = ids if draw(st.integers(0, 9)) else ids[:-1]
        messages += [
            ToolResultMessage(one, "read", [TextContent(draw(texts))], draw(st.booleans()))
            for one in answered
        ]
        if answered and draw(st.integers(0, 5)) == 0:
            # Other programs store what was said while a tool ran between its call and its result.
            messages.insert(-1, UserMessage(f"said meanwhile {number}-{step}", 1))
        if draw(st.integers(0, 5)) == 0:
            messages.append(UserMessage(f"steering {number}-{step}", 1))
        if draw(st.integers(0, 7)) == 0:
            messages.append(BashExecutionMessage("ls", draw(texts), exclude_from_context=draw(st.booleans())))
    return messages


@st.composite
def conversations(draw: st.DrawFn, least: int = 1) -> list[AgentMessage]:
    count = draw(st.integers(least, 6))
    return [message for number in range(count) for message in draw(turns(number))]


def log_of(messages: list[AgentMessage]) -> SessionLog:
    log = SessionLog.create(Path("/project"), None)
    for message in messages:
        log.append_message(message)
    return log
