"""Commands that go to another session."""

from pathlib import Path

from pi_tui.llm.messages import text_of
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId, Refused
from pi_tui.resources.paths import resolve
from pi_tui.runtime.switching import earlier_prompts


class NewSession(Command):
    parent_session: str | None = None


class SwitchSession(Command):
    session_path: str


class Entry(Command):
    entry_id: str


async def new_session(rpc: Rpc, command: NewSession, _: CommandId) -> object:
    parent = command.parent_session
    rpc.session.start_new(_path(rpc, parent) if parent else None)
    return {"cancelled": False}


async def switch_session(rpc: Rpc, command: SwitchSession, _: CommandId) -> object:
    path = _path(rpc, command.session_path)
    if not path.is_file():
        raise Refused(f"sessionPath: there is no file {path}")
    await rpc.session.resume(path)
    rpc.apply_switches()
    return {"cancelled": False}


async def fork(rpc: Rpc, command: Entry, _: CommandId) -> object:
    if command.entry_id not in rpc.session.log.branch():
        raise Refused(f"entryId: there is no entry {command.entry_id!r} on the active branch")
    try:
        message = rpc.session.fork(command.entry_id)
    except KeyError:
        raise Refused(f"entryId: {command.entry_id} is no user message") from None
    return {"text": text_of(message.content), "cancelled": False}


async def clone(rpc: Rpc, _command: Command, _: CommandId) -> object:
    rpc.session.clone()
    return {"cancelled": False}


async def get_fork_messages(rpc: Rpc, _command: Command, _: CommandId) -> object:
    on_branch = set(rpc.session.log.branch())
    prompts = [one for one in earlier_prompts(rpc.session.log) if one.entry_id in on_branch]
    return {"messages": [{"entryId": one.entry_id, "text": one.text} for one in prompts]}


def _path(rpc: Rpc, written: str) -> Path:
    return resolve(written, rpc.session.cwd)
