"""How many output tokens a request asks for."""

from collections.abc import Sequence

from pi_tui.llm.messages import ImageContent, TextContent, ThinkingContent, ToolCall, WireMessage
from pi_tui.llm.model import Model
from pi_tui.llm.stream import Context, StreamOptions

LEAST_OUTPUT = 1024
CHARACTERS_PER_TOKEN = 3
IMAGE_TOKENS = 1200
TOOL_CHARACTERS = 1000


def output_limit(model: Model, context: Context, options: StreamOptions) -> int:
    """The model's limit, or what its window has left; never too little for an answer (tokens)."""
    wanted = options.max_tokens or model.max_tokens
    left = model.context_window - _prompt_tokens(context)
    return max(min(wanted, left), min(wanted, LEAST_OUTPUT))


def _prompt_tokens(context: Context) -> int:
    """An estimate on the high side, so that servers which add prompt and limit do not refuse."""
    characters = len(context.system) + TOOL_CHARACTERS * len(context.tools)
    return characters // CHARACTERS_PER_TOKEN + _message_tokens(context.messages)


def _message_tokens(messages: Sequence[WireMessage]) -> int:
    characters = images = 0
    for message in messages:
        if isinstance(message.content, str):
            characters += len(message.content)
            continue
        for block in message.content:
            match block:
                case TextContent():
                    characters += len(block.text)
                case ThinkingContent():
                    characters += len(block.thinking)
                case ToolCall():
                    characters += len(block.name) + len(str(block.arguments))
                case ImageContent():
                    images += 1
    return characters // CHARACTERS_PER_TOKEN + images * IMAGE_TOKENS
