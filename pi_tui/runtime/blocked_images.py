"""Keeps images from models, where the settings say so."""

from collections.abc import Sequence

from msgspec.structs import replace

from pi_tui.llm.messages import AssistantMessage, ImageContent, TextContent, WireMessage

BLOCKED = "(image left out: images.blockImages in the settings keeps images from models)"


def without_images(messages: Sequence[WireMessage]) -> list[WireMessage]:
    """The messages with a note in the place of each image; those without one stay the same objects."""
    return [_without_images(message) for message in messages]


def _without_images(message: WireMessage) -> WireMessage:
    if isinstance(message, AssistantMessage) or isinstance(message.content, str):
        return message
    if not any(isinstance(block, ImageContent) for block in message.content):
        return message
    content = [
        TextContent(BLOCKED) if isinstance(block, ImageContent) else block for block in message.content
    ]
    return replace(message, content=content)
