"""Image files of the user, made fit to be sent."""

from pathlib import Path

from pi_tui.agent.tools.content_type import image_type
from pi_tui.agent.tools.images import ImageError, fit_image
from pi_tui.agent.tools.limits import IMAGE_FILE_BYTES
from pi_tui.llm.messages import ImageContent

SNIFF_BYTES = 4_096


class UnusableImage(ValueError):
    """A file that cannot be sent as an image; says why."""


def read_image(path: Path) -> ImageContent:
    """The image in a file, scaled to what every provider accepts. Blocks: for a thread.

    Raises:
        UnusableImage: It cannot be read, is too large, damaged, or no image.
    """
    try:
        with path.open("rb") as file:
            content = file.read(IMAGE_FILE_BYTES + 1)
    except OSError as error:
        raise UnusableImage(f"{path} cannot be read: {error.strerror}") from error
    return image_of(content, str(path))


def image_of(content: bytes, name: str) -> ImageContent:
    """An image, scaled to what every provider accepts; `name` is for errors. Blocks: for a thread.

    Raises:
        UnusableImage: It is too large, damaged, or no image.
    """
    if len(content) > IMAGE_FILE_BYTES:
        raise UnusableImage(f"{name} is larger than {IMAGE_FILE_BYTES // 1024**2} MiB")
    mime_type = image_type(content[:SNIFF_BYTES])
    if mime_type is None:
        raise UnusableImage(f"{name} is no png, jpeg, gif, webp or bmp image")
    try:
        image = fit_image(content, mime_type)
    except ImageError as error:
        raise UnusableImage(f"{name} cannot be sent as an image: {error}") from error
    return ImageContent(image.data, image.mime_type)
