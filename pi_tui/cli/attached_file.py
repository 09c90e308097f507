"""One `@file` of a command line."""

from pathlib import Path

from pi_tui.agent.tools.content_type import binary_type, image_type
from pi_tui.agent.tools.images import ImageError, fit_image, size_note
from pi_tui.agent.tools.limits import IMAGE_FILE_BYTES, SNIFF_BYTES
from pi_tui.agent.tools.paths import PathError, resolve
from pi_tui.cli.arguments import UsageError
from pi_tui.cli.inline_size import MAX_INLINE_BYTES, too_large
from pi_tui.llm.messages import ImageContent


def attached_file(name: str, cwd: Path) -> tuple[str, list[ImageContent]]:
    """A file as it stands in a prompt: its text in a tag, or an empty tag and the image.

    Raises:
        UsageError: It is not there, cannot be read, or is no text and no image.
    """
    try:
        path = resolve(name, cwd)
        if path.exists() and not path.is_file():
            raise UsageError(f"@{name} is not a file: name it in the prompt without the @")
        with path.open("rb") as file:
            raw = file.read(IMAGE_FILE_BYTES + 1)
    except OSError as error:
        raise UsageError(f"@{name} cannot be read: {error.strerror}") from error
    except (PathError, ValueError) as error:
        raise UsageError(f"@{name} cannot be read: {error}") from error
    mime_type = image_type(raw[:SNIFF_BYTES])
    if mime_type is not None:
        return _image(name, path, raw, mime_type)
    kind = binary_type(raw[:SNIFF_BYTES])
    if kind is not None:
        raise UsageError(f"@{name} is no text and no image but {kind}: name it in the prompt without the @")
    if len(raw) > MAX_INLINE_BYTES:
        raise UsageError(f"@{name} {too_large()}: name it in the prompt without the @")
    text = raw.decode("utf-8-sig", "replace").rstrip("\n")
    return f'<file name="{path}">\n{text}\n</file>', []


def _image(name: str, path: Path, raw: bytes, mime_type: str) -> tuple[str, list[ImageContent]]:
    try:
        image = fit_image(raw, mime_type)
    except ImageError as error:
        raise UsageError(f"@{name} cannot be sent as an image: {error}") from error
    resized = (image.width, image.height) != (image.original_width, image.original_height)
    note = size_note(image) if resized else ""
    return f'<file name="{path}">{note}</file>', [ImageContent(image.data, image.mime_type)]
