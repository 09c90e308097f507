"""Getting one response of a wire format, whole."""

from typing import Any

from msgspec import Struct

from pi_tui.llm.messages import AgentMessage, AssistantMessage, TextContent, ToolSpec, UserMessage
from pi_tui.llm.model import Model
from pi_tui.llm.replay import to_wire
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamOptions
from pi_tui.llm.wires.registry import stream_function

APIS = ("anthropic-messages", "openai-completions", "openai-responses")
SCHEMA = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
READ = ToolSpec("read", "Reads a file.", SCHEMA)


class Received(Struct):
    message: AssistantMessage
    events: list[AssistantEvent]
    broken_calls: dict[str, str]


def model_at(base_url: str, api: str, **fields: Any) -> Model:
    return Model(**{"id": "fake-1", "provider": "fake", "api": api, "base_url": base_url, **fields})


async def respond(
    model: Model,
    *history: AgentMessage | str,
    system: str = "Be brief.",
    tools: tuple[ToolSpec, ...] = (READ,),
    **options: Any,
) -> Received:
    """What the model answers to a history; strings in it are user messages."""
    messages = [UserMessage(one) if isinstance(one, str) else one for one in history or ("hello",)]
    assembler = MessageAssembler(model)
    context = Context(system, to_wire(messages, model), list(tools))
    given = StreamOptions(**{"api_key": "sk-test-0123456789abcdef", **options})
    events = [event async for event in stream_function(model.api)(model, context, given, assembler)]
    return Received(assembler.finish(), events, assembler.broken_calls)


def texts(message: AssistantMessage) -> list[str]:
    return [block.text for block in message.content if isinstance(block, TextContent)]


def history_in(body: dict[str, Any]) -> list[dict[str, Any]]:
    """What a request says of the conversation, whatever its wire."""
    history: list[dict[str, Any]] = body["messages"] if "messages" in body else body["input"]
    return history
