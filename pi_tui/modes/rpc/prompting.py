"""Commands that send messages, queue them, and stop what is going on."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from pi_tui.agent.queue import QueueMode
from pi_tui.llm.messages import ImageContent
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId, Refused
from pi_tui.runtime.session import NoModel


class Prompt(Command):
    message: str
    images: list[ImageContent] = msgspec.field(default_factory=list)
    streaming_behavior: Literal["steer", "followUp"] | None = None


class Message(Command):
    message: str
    images: list[ImageContent] = msgspec.field(default_factory=list)


class Mode(Command):
    mode: QueueMode


class Compact(Command):
    custom_instructions: str | None = None


class Enabled(Command):
    enabled: bool


class Disposition(msgspec.Struct):
    """What became of a message."""

    disposition: Literal["started", "queued"]


async def prompt(rpc: Rpc, command: Prompt, _: CommandId) -> object:
    """Starts a run, or queues the message while one is going, if the client says how."""
    session = rpc.session
    if session.running:
        match command.streaming_behavior:
            case "steer":
                return await steer(rpc, command, _)
            case "followUp":
                return await follow_up(rpc, command, _)
        raise Refused('streamingBehavior: a run is going, so it has to be "steer" or "followUp"')
    if rpc.leaving:
        raise Refused("pi is about to end")
    try:
        session.refuse_to_begin()
    except NoModel:
        raise Refused(
            "no model is chosen: set a key such as ANTHROPIC_API_KEY, then set_model chooses one of "
            "get_available_models"
        ) from None
    rpc.begin(session.prompt(session.written(command.message), command.images))
    return Disposition("started")


async def steer(rpc: Rpc, command: Message | Prompt, _: CommandId) -> object:
    rpc.session.steer(rpc.session.written(command.message), command.images)
    return Disposition("queued")


async def follow_up(rpc: Rpc, command: Message | Prompt, _: CommandId) -> object:
    rpc.session.follow_up(rpc.session.written(command.message), command.images)
    return Disposition("queued")


async def abort(rpc: Rpc, _command: Command, _: CommandId) -> object:
    """Stops the run and waits for its end; what is queued is sent then, unless the client took it back before."""
    session = rpc.session
    session.abort()
    await session.wait_settled()
    if _waiting(session.queue.steering_texts, session.queue.follow_up_texts) and not rpc.leaving:
        rpc.begin(session.send_queued())
    return msgspec.UNSET


async def clear_queue(rpc: Rpc, _command: Command, _: CommandId) -> object:
    queue = rpc.session.queue
    taken = {"steering": queue.steering_texts, "followUp": queue.follow_up_texts}
    rpc.session.take_back_queued()
    return taken


async def set_steering_mode(rpc: Rpc, command: Mode, _: CommandId) -> object:
    rpc.session.queue.steering_mode = command.mode
    return msgspec.UNSET


async def set_follow_up_mode(rpc: Rpc, command: Mode, _: CommandId) -> object:
    rpc.session.queue.follow_up_mode = command.mode
    return msgspec.UNSET


async def compact(rpc: Rpc, command: Compact, _: CommandId) -> object:
    return await rpc.session.compact(command.custom_instructions or "")


async def set_auto_compaction(rpc: Rpc, command: Enabled, _: CommandId) -> object:
    rpc.auto_compaction = command.enabled
    rpc.apply_switches()
    return msgspec.UNSET


async def set_auto_retry(rpc: Rpc, command: Enabled, _: CommandId) -> object:
    rpc.auto_retry = command.enabled
    rpc.apply_switches()
    return msgspec.UNSET


async def abort_retry(rpc: Rpc, _command: Command, _: CommandId) -> object:
    """Stops waiting for the next attempt; a run that is not waiting goes on."""
    if rpc.session.activity.waiting_to_retry:
        rpc.session.abort()
    return msgspec.UNSET


def _waiting(*texts: Sequence[str]) -> bool:
    return any(texts)
