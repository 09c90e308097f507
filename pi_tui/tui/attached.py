"""Images that go with a prompt, made from the files the user dropped."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

from pi_tui.llm.messages import ImageContent
from pi_tui.tui.conversation import Conversation
from pi_tui.tui.editor.markers import Attachment


async def images_of(attachments: Sequence[Attachment], conversation: Conversation) -> list[ImageContent]:
    """The attachments as a model takes them; one that cannot be read is left out, with a note why."""
    images: list[ImageContent] = []
    for attachment in attachments:
        if isinstance(attachment.source, ImageContent):
            images.append(attachment.source)
            continue
        image = await _read(attachment, conversation)
        if image is not None:
            images.append(image)
    return images


async def _read(attachment: Attachment, conversation: Conversation) -> ImageContent | None:
    from pi_tui.runtime.image_file import UnusableImage, read_image

    assert isinstance(attachment.source, Path)
    try:
        return await asyncio.to_thread(read_image, attachment.source)
    except UnusableImage as error:
        conversation.note(f"An attachment was left out: {error}.", "error")
        return None
