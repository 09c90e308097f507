"""How large a conversation is for the demo: what it was really sent, a token being four characters."""

import msgspec

from pi_tui.llm.messages import (
    AssistantMessage,
    ImageContent,
    TextContent,
    ThinkingContent,
    ToolCall,
    WireMessage,
)
from pi_tui.llm.stream import Context

CHARACTERS_PER_TOKEN = 4
IMAGE_TOKENS = 1200


def size_of(context: Context) -> tuple[int, int]:
    """Tokens of the request: what the last response has seen already, and what is new since."""
    sizes = [_tokens(message) for message in context.messages]
    seen = max(
        (
            index + 1
            for index, message in enumerate(context.messages)
            if isinstance(message, AssistantMessage)
        ),
        default=0,
    )
    prompt = len(context.system) + len(msgspec.json.encode(context.tools))
    always = prompt // CHARACTERS_PER_TOKEN
    if not seen:
        return 0, always + sum(sizes)
    return always + sum(sizes[:seen]), sum(sizes[seen:])


def _tokens(message: WireMessage) -> int:
    if isinstance(message.content, str):
        return len(message.content) // CHARACTERS_PER_TOKEN + 1
    characters = images = 0
    for block in message.content:
        match block:
            case TextContent():
                characters += len(block.text)
            case ThinkingContent():
                characters += len(block.thinking)
            case ToolCall():
                characters += len(block.name) + len(msgspec.json.encode(block.arguments))
            case ImageContent():
                images += 1
    return characters // CHARACTERS_PER_TOKEN + 1 + images * IMAGE_TOKENS
