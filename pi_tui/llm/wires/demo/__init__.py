"""The demo: a scripted agent that needs no key and no network, and really uses the tools.

It has no memory of its own. What it does next follows from the conversation alone, so it can be stopped,
continued, branched and compacted like any other model.
"""

from collections.abc import AsyncIterator

from pi_tui.llm.demo_models import ENDLESS, MODELS, TOUR
from pi_tui.llm.messages import Usage
from pi_tui.llm.model import Model
from pi_tui.llm.stream import AssistantEvent, Context, MessageAssembler, StreamOptions
from pi_tui.llm.wires.demo.pace import Pace, pieces
from pi_tui.llm.wires.demo.reply import Reply
from pi_tui.llm.wires.demo.script import reply_to
from pi_tui.llm.wires.demo.size import size_of


async def stream(
    model: Model, context: Context, options: StreamOptions, message: MessageAssembler
) -> AsyncIterator[AssistantEvent]:
    """Streams the reply the script has for this conversation, at a human pace.

    Environment: `PI_DEMO_SPEED` multiplies the pace; `inf` does not wait at all.
    """
    reply = reply_to(context)
    cached, fresh = size_of(context)
    message.usage = Usage(input=fresh, cache_read=cached, total_tokens=fresh + cached)
    pace = Pace(reply.tokens_per_second)
    await pace.begin()
    if reply.thinking and options.thinking_level != "off":
        async for piece in pace.of(pieces(reply.thinking)):
            for event in message.thinking(piece):
                yield event
            _count(message.usage)
    async for piece in pace.of(reply.pieces()):
        for event in message.text(piece):
            yield event
        _count(message.usage)
    for number, call in enumerate(reply.calls):
        for event in message.tool_call(number, call.id, call.name):
            yield event
        async for piece in pace.of(pieces(call.raw_arguments)):
            for event in message.arguments(number, piece):
                yield event
            _count(message.usage)
        for event in message.end_call(number):
            yield event
    for event in message.end():
        yield event
    message.stop_reason = "toolUse" if reply.calls else "stop"


def _count(usage: Usage) -> None:
    usage.output += 1
    usage.total_tokens += 1


__all__ = ["ENDLESS", "MODELS", "TOUR", "Reply", "stream"]
