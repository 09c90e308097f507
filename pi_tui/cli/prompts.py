"""The prompts of a command line: piped input, `@files` and messages put together."""

from collections.abc import Sequence
from pathlib import Path
from typing import BinaryIO, NamedTuple

from pi_tui.cli.arguments import UsageError
from pi_tui.cli.inline_size import MAX_INLINE_BYTES, too_large
from pi_tui.llm.messages import ImageContent


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
        raise UsageError(f"standard input {too_large()}: save it to a file and name that in the prompt")
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
        # What reads files and images is not needed to open the client.
        from pi_tui.cli.attached_file import attached_file

        text, image = attached_file(name, cwd)
        parts.append(text)
        images += image
    parts += messages[:1]
    if not parts:
        return []
    return [Prompt("\n\n".join(parts), images), *(Prompt(message, []) for message in messages[1:])]
