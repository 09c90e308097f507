"""The three front ends of one session, each with its log of what it was told."""

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

from textual.pilot import Pilot

from pi_tui.modes.event_stream import EventStream
from pi_tui.modes.record_writer import RecordWriter
from pi_tui.modes.records import record_of
from pi_tui.modes.rpc.reading import DescriptorReader
from pi_tui.modes.rpc.server import run_rpc
from pi_tui.runtime.bus import Subscription
from pi_tui.runtime.events import SessionEvent
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from pi_tui.tui.app import ClientSetup, PiApp
from pi_tui.tui.theme.discover import discover_themes

PATIENCE = 30
"""Seconds for one thing to happen."""


def open_scripted(cwd: Path) -> Session:
    return open_session(Launch(cwd=cwd, model="test/scripted", offline=True))


class Log:
    """What was told, and waiting for it."""

    lenient = False
    """Records are kept as they are: some are deeper than Python's decoder goes."""

    def __init__(self) -> None:
        self.records: list[dict[str, Any]] = []
        self.raw: list[bytes] = []
        self._changed = asyncio.Event()

    def add(self, line: bytes) -> None:
        self.raw.append(line)
        if not self.lenient:
            self.records.append(json.loads(line))
        self._changed.set()

    async def changed(self) -> None:
        """Returns when something more has been told."""
        self._changed.clear()
        await self._changed.wait()

    async def told(self, kind: str, count: int = 1) -> None:
        async with asyncio.timeout(PATIENCE):
            while sum(one["type"] == kind for one in self.records) < count:
                await self.changed()

    @property
    def events(self) -> list[dict[str, Any]]:
        return [one for one in self.records if one["type"] not in ("response", "session")]


class Screen(Log):
    """The full-screen client; its log is what its own follower took from the session."""

    def __init__(self, app: PiApp, pilot: Pilot[int]) -> None:
        super().__init__()
        self._app = app
        self._pilot = pilot

    async def prompt(self, text: str) -> None:
        self._app.editor.set_prompt(text)
        await self._pilot.press("enter")

    async def steer(self, text: str) -> None:
        await self.prompt(text)

    async def follow_up(self, text: str) -> None:
        self._app.editor.set_prompt(text)
        self._app._key_actions["app.message.followUp"](False)
        await self._pilot.pause()

    async def abort(self) -> None:
        await self._pilot.press("escape")

    async def compact(self) -> None:
        await self.prompt("/compact")

    async def bash(self, command: str) -> None:
        await self.prompt(f"!{command}")


class _Overheard(Subscription):
    log: Log

    def _next(self) -> SessionEvent:
        event = super()._next()
        self.log.add(record_of(event))
        return event


@asynccontextmanager
async def screen(cwd: Path) -> AsyncIterator[Screen]:
    session = open_scripted(cwd)
    app = PiApp(session, ClientSetup(shelf=discover_themes(), offline=True))
    waiting: list[_Overheard] = []

    def subscribe(*, holds_back: bool = False) -> Subscription:
        overheard = _Overheard(session._bus, holds_back=holds_back)
        session._bus.subscriptions.add(overheard)
        waiting.append(overheard)
        return overheard

    session.subscribe = subscribe  # type: ignore[method-assign]
    async with app.run_test() as pilot:
        shown = Screen(app, pilot)
        await pilot.pause()
        (waiting[0]).log = shown
        yield shown
    session.close()


class Json(Log):
    """The stream of JSON mode. There nobody can act meanwhile, so the session itself is asked."""

    def __init__(self, session: Session, tasks: asyncio.TaskGroup) -> None:
        super().__init__()
        self._session = session
        self._tasks = tasks

    async def prompt(self, text: str) -> None:
        self._tasks.create_task(self._session.prompt(text))

    async def steer(self, text: str) -> None:
        self._session.steer(text)

    async def follow_up(self, text: str) -> None:
        self._session.follow_up(text)

    async def abort(self) -> None:
        self._session.abort()

    async def compact(self) -> None:
        self._tasks.create_task(self._session.compact())

    async def bash(self, command: str) -> None:
        self._tasks.create_task(self._session.user_command.run(command))


@asynccontextmanager
async def json_mode(cwd: Path) -> AsyncIterator[Json]:
    session = open_scripted(cwd)
    async with _pipe() as (lines, descriptor), asyncio.TaskGroup() as tasks:
        writer = RecordWriter(descriptor)
        events = EventStream(session, writer)
        front_end = Json(session, tasks)
        reading = asyncio.create_task(_read(lines, front_end))
        tasks.create_task(events.run())
        yield front_end
        events.close()
        await writer.close(PATIENCE)
        reading.cancel()
    session.close()


class Rpc(Log):
    """RPC mode, by its commands."""

    def __init__(self, descriptor: int) -> None:
        super().__init__()
        self._descriptor = descriptor

    async def command(self, kind: str, **fields: Any) -> None:
        line = json.dumps({"type": kind, **fields}).encode() + b"\n"
        await asyncio.to_thread(os.write, self._descriptor, line)

    async def prompt(self, text: str) -> None:
        await self.command("prompt", message=text)

    async def steer(self, text: str) -> None:
        await self.command("steer", message=text)

    async def follow_up(self, text: str) -> None:
        await self.command("follow_up", message=text)

    async def abort(self) -> None:
        await self.command("abort")

    async def compact(self) -> None:
        await self.command("compact")

    async def bash(self, command: str) -> None:
        await self.command("bash", command=command)


@asynccontextmanager
async def rpc_mode(cwd: Path, *, lenient: bool = False) -> AsyncIterator[Rpc]:
    session = open_scripted(cwd)
    commands, to_server = os.pipe()
    async with _pipe() as (lines, descriptor):
        writer = RecordWriter(descriptor)
        front_end = Rpc(to_server)
        front_end.lenient = lenient
        reading = asyncio.create_task(_read(lines, front_end))
        serving = asyncio.create_task(run_rpc(session, DescriptorReader(commands).pieces(), writer))
        try:
            yield front_end
        finally:
            os.close(to_server)
            await serving
            await writer.close(PATIENCE)
            reading.cancel()
    os.close(commands)
    session.close()


@asynccontextmanager
async def _pipe() -> AsyncIterator[tuple[asyncio.StreamReader, int]]:
    """A pipe: its lines, and the descriptor to write to."""
    read_end, write_end = os.pipe()
    reader = asyncio.StreamReader(limit=64 * 1024 * 1024)
    transport, _ = await asyncio.get_running_loop().connect_read_pipe(
        lambda: asyncio.StreamReaderProtocol(reader), os.fdopen(read_end, "rb")
    )
    try:
        yield reader, write_end
    finally:
        os.close(write_end)
        transport.close()


async def _read(lines: asyncio.StreamReader, log: Log) -> None:
    async for line in lines:
        log.add(line)
