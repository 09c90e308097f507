"""Making an image one that every provider accepts."""

import base64
import io
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pi_tui.agent.tools import limits

if TYPE_CHECKING:
    from PIL import Image

_FORMATS = {
    "image/png": "PNG",
    "image/jpeg": "JPEG",
    "image/gif": "GIF",
    "image/webp": "WEBP",
    "image/bmp": "BMP",
}
_ORIENTATION = 0x0112
_FIRST_TURNED = 5
"""EXIF orientations from here on exchange width and height."""
_QUALITIES = (85, 70, 50)
_SMALLER = 0.75


class ImageError(ValueError):
    """Why an image cannot be shown, for the model to read."""


@dataclass(frozen=True)
class FittedImage:
    """An image as it is sent: `data` in base64, its size in pixels, and the size it has in the file."""

    data: str
    mime_type: str
    width: int
    height: int
    original_width: int
    original_height: int
    original_type: str
    animated: bool


def fit_image(content: bytes, mime_type: str, resize: bool = True) -> FittedImage:
    """The image within `limits.IMAGE_MAX_SIDE` and `limits.IMAGE_MAX_BASE64_BYTES`; its own bytes if they
    are.

    Decodes it in any case, so that a damaged image is found here and not by the provider. Blocks: for a
    thread.

    Args:
        mime_type: By its first bytes, see `content_type.image_type`.
        resize: Whether it may be made smaller. If not, one with too many bytes is refused.

    Raises:
        ImageError: It is damaged or too large.
    """
    from PIL import Image, ImageOps

    try:
        with Image.open(io.BytesIO(content), formats=[_FORMATS[mime_type]]) as image:
            if image.width * image.height > limits.IMAGE_PIXELS:
                raise ImageError(f"it has {image.width}x{image.height} pixels, which is too many to open")
            original = image.size
            animated = getattr(image, "n_frames", 1) > 1
            fits = not resize or max(original) <= limits.IMAGE_MAX_SIDE
            if fits and mime_type != "image/bmp" and _base64_size(content) <= limits.IMAGE_MAX_BASE64_BYTES:
                image.load()
                return _fitted(
                    content,
                    mime_type,
                    original,
                    original=original,
                    original_type=mime_type,
                    animated=animated,
                )
            if not resize and mime_type != "image/bmp":
                raise ImageError(
                    f"it has {len(content)} bytes, more than a provider takes, and images.autoResize is off"
                )
            turned = image.getexif().get(_ORIENTATION, 1) >= _FIRST_TURNED
            image.draft("RGB", (limits.IMAGE_MAX_SIDE, limits.IMAGE_MAX_SIDE))
            image.load()
            upright = ImageOps.exif_transpose(image)
    except ImageError:
        raise
    except (OSError, SyntaxError, ValueError, EOFError, Image.DecompressionBombError) as error:
        raise ImageError(f"it is damaged or incomplete ({error})") from error
    if turned:
        original = (original[1], original[0])
    for encoded, encoded_type, size in _smaller_and_smaller(upright, mime_type, resize):
        if _base64_size(encoded) <= limits.IMAGE_MAX_BASE64_BYTES:
            return _fitted(
                encoded, encoded_type, size, original=original, original_type=mime_type, animated=animated
            )
    raise ImageError("it cannot be made small enough")


def size_note(image: FittedImage) -> str:
    """What the model must know of an image that was changed."""
    facts = f"{image.original_type.removeprefix('image/')}, {image.original_width}x{image.original_height}"
    if (image.width, image.height) != (image.original_width, image.original_height):
        factor = image.original_width / image.width
        facts += f", shown at {image.width}x{image.height}: multiply coordinates by {factor:.2f}"
    elif image.mime_type != image.original_type:
        facts += f", shown as {image.mime_type.removeprefix('image/')}"
    if image.animated and image.mime_type not in ("image/gif", "image/webp"):
        facts += "; only the first frame"
    return f"[Image: {facts}]"


def _smaller_and_smaller(
    image: "Image.Image", original_type: str, resize: bool
) -> Iterator[tuple[bytes, str, tuple[int, int]]]:
    """Encodings of the image, the best first."""
    from PIL import Image

    has_alpha = "A" in image.mode or "transparency" in image.info
    plain = image.convert("RGBA" if has_alpha else "RGB")
    side = min(limits.IMAGE_MAX_SIDE, max(plain.size)) if resize else max(plain.size)
    while side >= 1:
        scale = side / max(plain.size)
        size = (max(1, round(plain.width * scale)), max(1, round(plain.height * scale)))
        scaled = plain if size == plain.size else plain.resize(size, Image.Resampling.LANCZOS)
        if original_type != "image/jpeg":
            yield _encoded(scaled, "PNG"), "image/png", size
        opaque = _on_white(scaled) if has_alpha else scaled
        for quality in _QUALITIES:
            yield _encoded(opaque, "JPEG", quality=quality), "image/jpeg", size
        if not resize:
            return
        side = int(side * _SMALLER)


def _on_white(image: "Image.Image") -> "Image.Image":
    from PIL import Image

    paper = Image.new("RGB", image.size, "white")
    paper.paste(image, mask=image.getchannel("A"))
    return paper


def _encoded(image: "Image.Image", image_format: str, quality: int | None = None) -> bytes:
    buffer = io.BytesIO()
    if quality is None:
        image.save(buffer, image_format)
    else:
        image.save(buffer, image_format, quality=quality)
    return buffer.getvalue()


def _base64_size(content: bytes) -> int:
    return (len(content) + 2) // 3 * 4


def _fitted(
    content: bytes,
    mime_type: str,
    size: tuple[int, int],
    *,
    original: tuple[int, int],
    original_type: str,
    animated: bool,
) -> FittedImage:
    data = base64.b64encode(content).decode("ascii")
    return FittedImage(data, mime_type, *size, *original, original_type, animated)
