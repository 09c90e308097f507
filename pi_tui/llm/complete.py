"""One question to a model, outside any conversation: a summary, for example."""

from msgspec import structs

from pi_tui.llm.messages import AssistantMessage, UserMessage, now_ms
from pi_tui.llm.model import Model
from pi_tui.llm.stream import Context, MessageAssembler, StreamFunction, StreamOptions


async def complete(
    stream: StreamFunction, model: Model, system: str, question: str, options: StreamOptions
) -> AssistantMessage:
    """The whole answer to one message: no tools, no thinking, nothing written to a prompt cache.

    Being cancelled ends the request.

    Raises:
        ProviderError: The request failed, or its answer ended before it was complete.
    """
    options = structs.replace(options, thinking_level="off", cache=False)
    context = Context(system, [UserMessage(question, now_ms())])
    answer = MessageAssembler(model, "off")
    events = stream(model, context, options, answer)
    try:
        async for _ in events:
            pass
    finally:
        close = getattr(events, "aclose", None)
        if close is not None:
            await close()
    answer.end()
    return answer.finish()
