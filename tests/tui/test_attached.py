"""Ctrl+V: the image on the clipboard goes with the prompt."""

import asyncio
import io
from collections.abc import Callable
from pathlib import Path

import pytest
from PIL import Image

from pi_tui.llm.messages import ImageContent, UserMessage
from pi_tui.tui.terminal import clipboard_read
from pi_tui.tui.terminal.clipboard_read import ClipboardError
from tests.tui.test_find import client, until


def png() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (3, 2), "red").save(buffer, "PNG")
    return buffer.getvalue()


def clipboard(monkeypatch: pytest.MonkeyPatch, answer: Callable[[], bytes | str]) -> None:
    monkeypatch.setattr(clipboard_read, "read_clipboard", answer)


async def test_an_image_becomes_a_numbered_attachment_and_is_sent(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PI_DEMO_SPEED", "inf")
    clipboard(monkeypatch, png)
    async with client(tmp_path, blocks=0) as (app, pilot):
        await pilot.press(*"see", "space", "ctrl+v")
        await until(pilot, lambda: app.editor.text == "see [image #1 clipboard] ")
        await pilot.press("ctrl+v")
        await until(pilot, lambda: app.editor.text == "see [image #1 clipboard] [image #2 clipboard] ")
        await pilot.press("enter")
        await until(pilot, lambda: app.session.last_assistant() is not None)
        async with asyncio.timeout(30):
            await app.session.wait_settled()
        (sent,) = [m for m in app.session.log.project().messages if isinstance(m, UserMessage)]
        images = [block for block in sent.content if isinstance(block, ImageContent)]
        assert [image.mime_type for image in images] == ["image/png", "image/png"]


async def test_text_is_pasted_as_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    clipboard(monkeypatch, lambda: "two\nlines")
    async with client(tmp_path, blocks=0) as (app, pilot):
        await pilot.press("ctrl+v")
        await until(pilot, lambda: app.editor.text == "two\nlines")


@pytest.mark.parametrize(
    ("fault", "says"),
    [
        (ClipboardError("Install wl-clipboard."), "Nothing was pasted. Install wl-clipboard."),
        (b"no image at all", "is no png"),
    ],
)
async def test_what_cannot_be_pasted_is_explained(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fault: Exception | bytes, says: str
) -> None:
    def answer() -> bytes:
        if isinstance(fault, Exception):
            raise fault
        return fault

    clipboard(monkeypatch, answer)
    async with client(tmp_path, blocks=0) as (app, pilot):
        await pilot.press("ctrl+v")
        await until(pilot, lambda: any(says in block.text() for block in app.transcript.blocks))
        assert app.editor.text == ""
