"""The prompts of a command line: piped input, `@files` and messages put together."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pi_tui.agent.tools.content_type import binary_type, image_type
from pi_tui.agent.tools.images import ImageError, fit_image, size_note
from pi_tui.agent.tools.limits import IMAGE_FILE_BYTES, SNIFF_BYTES
from pi_tui.agent.tools.paths import PathError, resolve
from pi_tui.cli.arguments import UsageError
from pi_tui.llm.messages import ImageContent

MAX_INLINE_BYTES = 4 * 1024 * 1024
"""Of piped input and of each text file; more fits no model."""


class Prompt(NamedTuple):
    text: str
    images: list[ImageContent]


def read_piped(stream: BinaryIO) -> str:
    """Everything that was piped in.

    Raises:
        UsageError: It is larger than `MAX_INLINE_BYTES`.
    """
    raw = stream.read(MAX_INLINE_BYTES + 1)
    if len(raw) > MAX_INLINE_BYTES:
        raise UsageError(f"standard input {_too_large()}: save it to a file and name that in the prompt")
    return raw.decode("utf-8", "replace")


def build_prompts(messages: Sequence[str], files: Sequence[str], piped: str, cwd: Path) -> list[Prompt]:
    """One prompt for each message; piped input and files go before the first, each in its own tag.

    Raises:
        UsageError: A file that is not there, cannot be read, or is no text and no image.
    """
    if piped.strip() and not messages and not files:
        return [Prompt(piped.strip(), [])]
    parts: list[str] = []
    images: list[ImageContent] = []
    if piped.strip():
        parts.append(f"<stdin>\n{piped.rstrip()}\n</stdin>")
    for name in files:
        text, image = _file(name, cwd)
        parts.append(text)
        images += image
    parts += messages[:1]
    if not parts:
        return []
    return [Prompt("\n\n".join(parts), images), *(Prompt(message, []) for message in messages[1:])]


def _file(name: str, cwd: Path) -> tuple[str, list[ImageContent]]:
    """A file as it stands in a prompt: its text in a tag, or an empty tag and the image."""
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
        raise UsageError(f"@{name} {_too_large()}: name it in the prompt without the @")
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


def _too_large() -> str:
    return f"is larger than {MAX_INLINE_BYTES // (1024 * 1024)} MiB"
