"""Images are shown within every provider's limits, or refused with the reason."""

import base64
import io
import random
import struct
import zlib

import pytest
from PIL import Image

from pi_tui.agent.tools import limits
from pi_tui.agent.tools.images import ImageError, fit_image


def encoded(image: Image.Image, image_format: str, **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, image_format, **options)
    return buffer.getvalue()


def noise(width: int, height: int) -> Image.Image:
    return Image.frombytes("RGB", (width, height), random.Random(1).randbytes(width * height * 3))


def decoded(data: str) -> Image.Image:
    return Image.open(io.BytesIO(base64.b64decode(data)))


@pytest.mark.parametrize("image_format", ["PNG", "JPEG", "GIF", "WEBP"])
async def test_a_small_image_is_sent_as_it_is(call, workspace, image_format):
    content = encoded(Image.new("RGB", (30, 20), "red"), image_format)
    (workspace.cwd / "picture.dat").write_bytes(content)
    outcome = await call("read", path="picture.dat")
    (image,) = outcome.images
    assert image.mime_type == f"image/{image_format.lower()}"
    assert base64.b64decode(image.data) == content
    assert outcome.text == f"[Image: {image_format.lower()}, 30x20]"
    assert outcome.details["image"]["width"] == 30


async def test_a_bitmap_becomes_png(call, workspace):
    (workspace.cwd / "f.bmp").write_bytes(encoded(Image.new("RGB", (30, 20), "red"), "BMP"))
    outcome = await call("read", path="f.bmp")
    (image,) = outcome.images
    assert image.mime_type == "image/png"
    assert decoded(image.data).convert("RGB").getpixel((0, 0)) == (255, 0, 0)
    assert outcome.text == "[Image: bmp, 30x20, shown as png]"


@pytest.mark.parametrize(
    ("size", "shown"), [((2600, 1200), (2000, 923)), ((100, 4000), (50, 2000)), ((2001, 1), (2000, 1))]
)
async def test_an_image_that_is_too_large_is_scaled_and_the_model_told(call, workspace, size, shown):
    (workspace.cwd / "f.png").write_bytes(encoded(Image.new("RGB", size, "blue"), "PNG"))
    outcome = await call("read", path="f.png")
    assert decoded(outcome.images[0].data).size == shown
    factor = f"{size[0] / shown[0]:.2f}"
    assert (
        f"{size[0]}x{size[1]}, shown at {shown[0]}x{shown[1]}: multiply coordinates by {factor}"
        in outcome.text
    )


def test_what_counts_is_the_size_in_base64():
    content = encoded(noise(1250, 1000), "PNG")
    assert len(content) < limits.IMAGE_MAX_BASE64_BYTES < len(base64.b64encode(content))
    image = fit_image(content, "image/png")
    assert len(image.data) <= limits.IMAGE_MAX_BASE64_BYTES
    decoded(image.data).load()


def test_transparency_is_kept_where_it_fits():
    image = fit_image(encoded(Image.new("RGBA", (2500, 100), (0, 0, 0, 0)), "PNG"), "image/png")
    assert decoded(image.data).convert("RGBA").getpixel((0, 0))[3] == 0


def test_a_photo_is_turned_upright_before_it_is_scaled():
    exif = Image.Exif()
    exif[0x0112] = 6
    content = encoded(Image.new("RGB", (3000, 1000), "green"), "JPEG", exif=exif)
    image = fit_image(content, "image/jpeg")
    assert (image.original_width, image.original_height) == (1000, 3000)
    assert decoded(image.data).size == (667, 2000)


def test_of_an_animation_that_is_too_large_the_first_frame_is_shown():
    frames = [Image.new("RGB", (2400, 10), color) for color in ("red", "green", "blue")]
    content = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    image = fit_image(content, "image/gif")
    assert image.animated and image.mime_type == "image/png"
    assert decoded(image.data).convert("RGB").getpixel((0, 0)) == (255, 0, 0)


@pytest.mark.parametrize("image_format", ["PNG", "JPEG", "GIF", "WEBP", "BMP"])
@pytest.mark.parametrize("part", [0.5, 0.9])
async def test_a_truncated_image_is_an_error_result(call, workspace, image_format, part):
    content = encoded(noise(60, 60), image_format)
    (workspace.cwd / "f").write_bytes(content[: int(len(content) * part)])
    outcome = await call("read", path="f")
    assert outcome.is_error
    assert "f cannot be shown: it is damaged or incomplete" in outcome.text
    assert outcome.images == []


async def test_a_header_that_promises_billions_of_pixels_is_refused(call, workspace):
    header = struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0)
    content = bytearray(encoded(Image.new("RGB", (1, 1)), "PNG"))
    content[16:29] = header
    content[29:33] = struct.pack(">I", zlib.crc32(content[12:29]))
    (workspace.cwd / "f.png").write_bytes(content)
    outcome = await call("read", path="f.png")
    assert outcome.is_error


async def test_a_file_that_only_claims_to_be_an_image_is_text(call, workspace):
    (workspace.cwd / "f.png").write_text("<svg/>\n")
    outcome = await call("read", path="f.png")
    assert (outcome.text, outcome.images) == ("<svg/>\n", [])


def test_without_resizing_too_many_bytes_are_refused():
    content = encoded(noise(1400, 1000), "PNG")
    with pytest.raises(ImageError, match=r"images\.autoResize is off"):
        fit_image(content, "image/png", resize=False)
    wide = encoded(Image.new("RGB", (3000, 10)), "PNG")
    assert fit_image(wide, "image/png", resize=False).width == 3000
