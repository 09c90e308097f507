"""Markers in the text of the editor that stand for something larger: a long paste, an image."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from pi_tui.llm.messages import ImageContent

_MARKER: Final = re.compile(r"\[(?:paste|image) #\d+ [^\[\]\n]*\]")

NAME_SHOWN: Final = 40
"""Characters of a file name in a marker."""


@dataclass(frozen=True)
class Attachment:
    """An image that goes with a prompt."""

    number: int
    name: str
    source: Path | ImageContent
    """The file it is in, or the image itself when it came from the clipboard."""


class Markers:
    """The markers of one prompt and what they stand for."""

    def __init__(self) -> None:
        self._pastes: dict[str, str] = {}
        self._attachments: dict[str, Attachment] = {}

    def __bool__(self) -> bool:
        return bool(self._pastes or self._attachments)

    def add_paste(self, text: str) -> str:
        """The marker for a long paste, such as `[paste #1 +123 lines]`."""
        lines = text.count("\n") + 1
        size = f"+{lines} lines" if lines > 1 else f"{len(text)} chars"
        marker = f"[paste #{len(self._pastes) + 1} {size}]"
        self._pastes[marker] = text
        return marker

    def add_image(self, name: str, source: Path | ImageContent) -> str:
        """The marker for an attached image, such as `[image #1 shot.png]`."""
        number = len(self._attachments) + 1
        shown = re.sub(r"[\[\]\n\x00-\x1f]", "_", name)
        if len(shown) > NAME_SHOWN:
            shown = f"{shown[: NAME_SHOWN // 2]}…{shown[-NAME_SHOWN // 2 + 1 :]}"
        marker = f"[image #{number} {shown}]"
        self._attachments[marker] = Attachment(number, name, source)
        return marker

    def restore_images(self, text: str, images: Sequence[ImageContent]) -> Sequence[ImageContent]:
        """Give images back to the markers in a text that was sent with them; returns those without a marker."""
        markers = [match[0] for match in _MARKER.finditer(text) if match[0].startswith("[image ")]
        for marker, image in zip(markers, images, strict=False):
            name = marker.partition(" ")[2].partition(" ")[2].removesuffix("]")
            self._attachments[marker] = Attachment(len(self._attachments) + 1, name, image)
        return images[len(markers) :]

    def clear(self) -> None:
        """Forget everything: the prompt was sent or given up."""
        self._pastes.clear()
        self._attachments.clear()

    def expand(self, text: str) -> str:
        """The text with the long pastes in full; markers of images stay, so that one can speak of them."""
        return _MARKER.sub(lambda match: self._pastes.get(match[0], match[0]), text)

    def attachments_in(self, text: str) -> list[Attachment]:
        """The images whose markers are still in the text, in the order they stand there."""
        found = dict.fromkeys(match[0] for match in _MARKER.finditer(text))
        return [self._attachments[marker] for marker in found if marker in self._attachments]

    def spans(self, line: str) -> list[tuple[int, int]]:
        """Where in a line markers of this prompt stand: start and end columns."""
        if not self or "#" not in line:
            return []
        return [
            match.span()
            for match in _MARKER.finditer(line)
            if match[0] in self._pastes or match[0] in self._attachments
        ]

    def around(self, line: str, column: int) -> tuple[int, int] | None:
        """The marker a column is strictly inside of."""
        return next((span for span in self.spans(line) if span[0] < column < span[1]), None)
