"""Images that go with a prompt: from files the user dropped, or from the clipboard."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from textual.events import Paste

from pi_tui.llm.messages import ImageContent
from pi_tui.tui.conversation import Conversation
from pi_tui.tui.editor.markers import Attachment

if TYPE_CHECKING:
    from pi_tui.tui.app import PiApp

PASTED_NAME = "clipboard"


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


async def paste_clipboard(app: "PiApp") -> None:
    """Attaches the image on the clipboard, or writes its text; says why if there is neither."""
    from pi_tui.runtime.image_file import UnusableImage, image_of
    from pi_tui.tui.terminal.clipboard_read import ClipboardError, read_clipboard

    try:
        found = await asyncio.to_thread(read_clipboard)
        if isinstance(found, str):
            app.editor.post_message(Paste(found))
            return
        image = await asyncio.to_thread(image_of, found, "the image on the clipboard")
    except (ClipboardError, UnusableImage) as error:
        app.conversation.note(f"Nothing was pasted. {str(error).rstrip('.')}.", "warning")
        return
    app.editor.attach_image(PASTED_NAME, image)
