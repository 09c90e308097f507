"""The `bash` command: run in the session's folder, told in full, stored in the session."""

import asyncio
from collections.abc import Mapping

import msgspec

from pi_tui.modes.records import encoded, record_of
from pi_tui.modes.rpc.command_output import CommandPipe, PlainText
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId
from pi_tui.runtime.events import BashEnd


class Bash(Command):
    command: str
    exclude_from_context: bool = False


async def bash(rpc: Rpc, command: Bash, command_id: CommandId) -> object:
    """Every piece of the output is told before the response, however slowly the client reads."""
    user_command = rpc.session.user_command
    user_command.refuse_to_run()
    pipe = CommandPipe(asyncio.get_running_loop())

    def stop() -> None:
        pipe.let_go()
        user_command.cancel()

    rpc.stop_command = stop
    rpc.tells_output = True
    try:
        async with asyncio.TaskGroup() as tasks:
            telling = tasks.create_task(_tell(rpc, pipe, command_id))
            message = await user_command.run(
                command.command, in_context=not command.exclude_from_context, tap=pipe.feed
            )
            pipe.close()
            await telling
    finally:
        rpc.flush_events()
        rpc.tells_output = False
        rpc.stop_command = user_command.cancel
    rpc.writer.put(record_of(BashEnd(message)))
    fields = {
        "output": message.output,
        "exitCode": message.exit_code,
        "cancelled": message.cancelled,
        "truncated": message.truncated,
        "fullOutputPath": message.full_output_path,
    }
    return {name: value for name, value in fields.items() if value is not None}


async def abort_bash(rpc: Rpc, _command: Command, _: CommandId) -> object:
    rpc.stop_command()
    return msgspec.UNSET


async def _tell(rpc: Rpc, pipe: CommandPipe, command_id: CommandId) -> None:
    text = PlainText()
    named: Mapping[str, CommandId] = {} if command_id is None else {"id": command_id}
    while piece := await pipe.read():
        _put(rpc, named, text.feed(piece))
        await rpc.writer.room()
    _put(rpc, named, text.end())


def _put(rpc: Rpc, named: Mapping[str, CommandId], delta: str) -> None:
    if delta:
        rpc.flush_events()
        rpc.writer.put(encoded({"type": "bash_execution_update", **named, "delta": delta}))
