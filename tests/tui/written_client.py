"""A client over a session in which something was said, and what a person in front of it does."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

from textual.pilot import Pilot

from pi_tui.llm.messages import UserMessage
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.run import theme_finder


@asynccontextmanager
async def client(folder: Path, *said: str, stored: bool = False) -> AsyncIterator[tuple[PiApp, Pilot[int]]]:
    session = open_session(Launch(cwd=folder, in_memory=not stored, offline=True))
    for text in said:
        session.log.append_message(UserMessage(text))
    find = theme_finder([], discover=True)
    app = PiApp(session, ClientSetup(shelf=find(session.services), find_themes=find, offline=True))
    async with app.run_test(size=(110, 40)) as pilot:
        await pilot.pause()
        yield app, pilot
    session.close()


def shown(app: PiApp) -> str:
    return "\n".join(block.text() for block in app.transcript.blocks)


async def until(pilot: Pilot[int], app: PiApp, text: str) -> None:
    async with asyncio.timeout(30):
        while text not in shown(app):
            await pilot.pause()


async def submit(pilot: Pilot[int], app: PiApp, text: str) -> None:
    app.editor.set_prompt(text)
    await pilot.press("enter")
    await pilot.pause()
