"""`pi --mode json`: the session's header, then every event of the given prompts, one record a line."""

import asyncio
import sys
from collections.abc import Sequence
from typing import TextIO

from pi_tui.llm.messages import ImageContent
from pi_tui.modes.event_stream import EventStream
from pi_tui.modes.opened import opened
from pi_tui.modes.print_mode import ANSWERED, FAILED, INTERRUPTED, NO_MODEL, say
from pi_tui.modes.record_writer import RecordWriter
from pi_tui.modes.serving import serve
from pi_tui.modes.signals import catching_signals
from pi_tui.runtime.launch import Launch, LaunchError
from pi_tui.runtime.session import Session
from pi_tui.runtime.written import CannotExpand

Prompts = Sequence[tuple[str, Sequence[ImageContent]]]


def stream_json(launch: Launch, prompts: Prompts, *, verbose: bool = False) -> int:
    """Runs prompts one after another and tells all that happens on stdout; returns the exit code of print mode.

    Raises:
        LaunchError: The session cannot be opened as asked.
    """

    async def stream(writer: RecordWriter) -> int:
        async with opened(launch, verbose=verbose) as session:
            try:
                written = [(session.written(text), images) for text, images in prompts]
            except CannotExpand as error:
                raise LaunchError(str(error)) from error
            return await run_json(session, written, writer, stderr=sys.stderr)

    return serve(stream)


async def run_json(session: Session, prompts: Prompts, writer: RecordWriter, *, stderr: TextIO) -> int:
    """Sends each prompt when the one before it has settled; a prompt that fails for good is the last."""
    writer.put(session.log.header_line + b"\n")
    if session.model is None:
        say(stderr, NO_MODEL)
        return FAILED
    events = EventStream(session, writer)
    code = FAILED
    with catching_signals(session.abort) as caught:
        async with asyncio.TaskGroup() as tasks:
            tasks.create_task(events.run())
            try:
                for text, images in prompts:
                    await session.prompt(text, images)
                    code = _code(session)
                    if code != ANSWERED or writer.gone:
                        break
            finally:
                events.close()
    return code if caught.exit_code is None else caught.exit_code


def _code(session: Session) -> int:
    answer = session.last_assistant()
    if answer is None or answer.stop_reason == "error":
        return FAILED
    return INTERRUPTED if answer.stop_reason == "aborted" else ANSWERED
