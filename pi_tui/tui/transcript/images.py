"""Images as a line of text: what they are, how large, how many pixels."""

import base64
import binascii
import struct

from pi_tui.llm.messages import ImageContent
from pi_tui.tui.transcript.ansi import one_line

_HEAD = 64 * 1024
"""Base64 characters that are looked at for the size in pixels."""


def image_line(image: ImageContent, name: str = "") -> str:
    """Such as `image/png 640×480, 12.3 kB`."""
    size = len(image.data) * 3 // 4
    pixels = pixel_size(image.data)
    parts = [one_line(name or image.mime_type, 80)]
    if pixels is not None:
        parts.append(f"{pixels[0]}×{pixels[1]}")
    return " ".join(parts) + f", {shown_bytes(size)}"


def shown_bytes(size: int) -> str:
    if size < 1_000:
        return f"{size} B"
    if size < 1_000_000:
        return f"{size / 1_000:.1f} kB"
    return f"{size / 1_000_000:.1f} MB"


def pixel_size(data: str) -> tuple[int, int] | None:
    """Width and height from the head of a base64 PNG, GIF, WebP or JPEG."""
    try:
        head = base64.b64decode(data[:_HEAD])
    except (binascii.Error, ValueError):
        return None
    try:
        return _from_head(head)
    except (struct.error, IndexError):
        return None


def _from_head(head: bytes) -> tuple[int, int] | None:
    size: tuple[int, int] | None = None
    if head.startswith(b"\x89PNG"):
        size = struct.unpack(">II", head[16:24])
    elif head.startswith(b"GIF8"):
        size = struct.unpack("<HH", head[6:10])
    elif head[:4] == b"RIFF" and head[8:12] == b"WEBP":
        size = _webp_size(head)
    elif head.startswith(b"\xff\xd8"):
        size = _jpeg_size(head)
    return size


def _webp_size(head: bytes) -> tuple[int, int] | None:
    match head[12:16]:
        case b"VP8 ":
            width, height = struct.unpack("<HH", head[26:30])
            return width & 0x3FFF, height & 0x3FFF
        case b"VP8L":
            (bits,) = struct.unpack("<I", head[21:25])
            return (bits & 0x3FFF) + 1, (bits >> 14 & 0x3FFF) + 1
        case b"VP8X":
            return int.from_bytes(head[24:27], "little") + 1, int.from_bytes(head[27:30], "little") + 1
    return None


def _jpeg_size(head: bytes) -> tuple[int, int] | None:
    position = 2
    while position + 9 < len(head):
        marker = head[position + 1]
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            height, width = struct.unpack(">HH", head[position + 5 : position + 9])
            return width, height
        position += 2 + int.from_bytes(head[position + 2 : position + 4], "big")
    return None
