"""Which stored images a page shows."""

import re
from typing import Final

from pi_tui.llm.messages import ImageContent

MAX_IMAGE: Final = 16 * 1024 * 1024
"""Characters of base64."""
SHOWN_TYPES: Final = frozenset({"image/png", "image/jpeg", "image/gif", "image/webp"})
"""Pictures made of dots: an SVG is a document, with scripts and links of its own."""
_BASE64 = re.compile(r"[A-Za-z0-9+/]+={0,2}")


def data_url(image: ImageContent) -> str | None:
    """The image as a `data:` URL; None for one that is no picture, or too large."""
    kind = image.mime_type.strip().lower()
    if kind not in SHOWN_TYPES or len(image.data) > MAX_IMAGE or not _BASE64.fullmatch(image.data):
        return None
    return f"data:{kind};base64,{image.data}"
