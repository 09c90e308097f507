"""`pi --mode rpc`: commands on stdin, responses and events on stdout, until stdin ends or a signal comes."""

import asyncio
from collections.abc import AsyncIterator, Coroutine
from typing import Any

from pi_tui.agent.abort import end
from pi_tui.modes.event_stream import EventStream
from pi_tui.modes.opened import opened
from pi_tui.modes.record_writer import COMMANDS_WAIT_AT, RecordWriter
from pi_tui.modes.rpc import protocol
from pi_tui.modes.rpc.commands import COMMANDS, Known
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.framing import LineSplitter, TooLong
from pi_tui.modes.rpc.protocol import Head, Malformed, Refused
from pi_tui.modes.rpc.reading import DescriptorReader
from pi_tui.modes.serving import serve
from pi_tui.modes.signals import catching_signals
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.session import Session

STDIN = 0
LEAVE_WITHIN = 5.0
"""Seconds that work under way gets at the end."""
MAX_AT_WORK = 100
"""Commands that may be at work at the same time; further ones are not read before one has ended."""


def serve_rpc(launch: Launch, *, verbose: bool = False) -> int:
    """Serves the session that `launch` asks for; returns 0 at the end of input, 128 + n after signal n.

    Raises:
        LaunchError: The session cannot be opened as asked.
    """

    async def answer(writer: RecordWriter) -> int:
        async with opened(launch, verbose=verbose) as session:
            return await run_rpc(session, DescriptorReader(STDIN).pieces(), writer)

    return serve(answer)


async def run_rpc(session: Session, pieces: AsyncIterator[bytes], writer: RecordWriter) -> int:
    """Carries out the commands in `pieces` of bytes; then stops what is going on and waits for its end."""
    server = RpcServer(session, writer)
    with catching_signals(server.stop_reading) as caught:
        await server.serve(pieces)
    return caught.exit_code or 0


class RpcServer:
    """One client, one session.

    Args:
        session: What the commands are about.
        writer: Where responses and events go, in the order in which they came about.
    """

    def __init__(self, session: Session, writer: RecordWriter) -> None:
        self._session = session
        self._writer = writer
        self._rpc = Rpc(session, writer, self._begin)
        self._events = EventStream(session, writer, self._rpc.record_of)
        self._rpc.flush_events = self._events.flush
        self._reading: asyncio.Task[None] | None = None
        self._work: set[asyncio.Task[None]] = set()
        self._work_ended = asyncio.Event()

    async def serve(self, pieces: AsyncIterator[bytes]) -> None:
        """Returns when the input has ended, or is no longer read, and all that was going on is over."""
        passing_on = asyncio.create_task(self._events.run())
        self._reading = asyncio.create_task(self._read(pieces))
        try:
            await asyncio.wait([self._reading])
            if not self._reading.cancelled():
                self._reading.result()
        finally:
            await self._wind_up()
            self._events.flush()
            passing_on.cancel()
            await asyncio.wait([passing_on])

    def stop_reading(self) -> None:
        """Begins the end; what was read already is answered."""
        if self._reading is not None:
            self._reading.cancel()

    async def _read(self, pieces: AsyncIterator[bytes]) -> None:
        splitter = LineSplitter()
        async for piece in pieces:
            for line in splitter.feed(piece):
                await self._take(line)
            if self._writer.gone:
                return
        for line in splitter.end():
            await self._take(line)

    async def _take(self, line: bytes | TooLong) -> None:
        """Carries out one command, or begins to."""
        try:
            text = protocol.legal(line)
            head = protocol.head_of(text)
        except Malformed as error:
            self._respond(protocol.not_understood(error))
        else:
            await self._carry_out(head, text)
        # What was begun gets to where the next command finds it.
        await asyncio.sleep(0)
        await self._writer.room(COMMANDS_WAIT_AT)

    async def _carry_out(self, head: Head, line: bytes) -> None:
        known = COMMANDS.get(head.type)
        if known is None:
            self._respond(protocol.failed(head, f"There is no command {head.type!r}."))
            return
        try:
            command = protocol.fields_of(line, known.fields)
        except Refused as error:
            self._respond(protocol.failed(head, str(error)))
            return
        while len(self._work) >= MAX_AT_WORK:
            self._work_ended.clear()
            await self._work_ended.wait()
        # A task of its own: an end that begins meanwhile does not take away its response.
        answering = self._begin(self._answer(head, known, command))
        if not known.beside:
            await asyncio.wait([answering])

    async def _answer(self, head: Head, known: Known, command: Any) -> None:
        try:
            data = await known.run(self._rpc, command, head.id)
        except Exception as error:  # noqa: BLE001 - whatever it is, the client waits for a response
            self._respond(protocol.failed(head, protocol.explained(error)))
        else:
            if known.responds:
                self._respond(protocol.succeeded(head, data))

    def _respond(self, response: bytes) -> None:
        self._events.flush()
        self._writer.put(response)

    def _begin(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._work.add(task)
        task.add_done_callback(self._end)
        return task

    def _end(self, task: asyncio.Task[None]) -> None:
        self._work.discard(task)
        self._work_ended.set()
        if not task.cancelled() and (error := task.exception()) is not None:
            self._session.tell("error", protocol.explained(error))

    async def _wind_up(self) -> None:
        """Stops what is going on; each command that was taken still gets its response."""
        self._rpc.leaving = True
        self._session.abort()
        self._rpc.stop_command()
        if not self._work:
            return
        _, late = await asyncio.wait(self._work, timeout=LEAVE_WITHIN)
        await end(late)
