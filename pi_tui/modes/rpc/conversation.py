"""Commands that tell of the session: its state, its messages, its figures."""

import asyncio
from typing import Any

import msgspec
from msgspec import Struct

from pi_tui.llm.messages import AssistantMessage
from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.models import model_record
from pi_tui.modes.rpc.protocol import Command, CommandId, Refused
from pi_tui.resources.paths import shipped_dir
from pi_tui.runtime.projecting import project
from pi_tui.runtime.written import SKILL_PREFIX
from pi_tui.session.entries import MessageEntry
from pi_tui.session.log import SessionLog
from pi_tui.session.totals import SessionTotals


class Name(Command):
    name: str


async def get_state(rpc: Rpc, _command: Command, _: CommandId) -> object:
    session = rpc.session
    log, queue = session.log, session.queue
    waiting = len(queue.steering_texts) + len(queue.follow_up_texts)
    fields = {
        "model": model_record(session.model) if session.model else None,
        "thinkingLevel": session.thinking_level,
        "isStreaming": session.running and not session.activity.compacting,
        "isCompacting": session.activity.compacting,
        "steeringMode": queue.steering_mode,
        "followUpMode": queue.follow_up_mode,
        "sessionFile": str(log.path) if log.path is not None else None,
        "sessionId": log.id,
        "sessionName": log.name,
        "autoCompactionEnabled": session.services.settings.compaction.enabled,
        "messageCount": len((await project(log)).messages),
        "pendingMessageCount": waiting,
    }
    return {name: value for name, value in fields.items() if value is not None}


async def get_messages(rpc: Rpc, _command: Command, _: CommandId) -> object:
    """What the model sees at the present place: after a compaction the summary and what was kept."""
    return {"messages": (await project(rpc.session.log)).messages}


async def get_last_assistant_text(rpc: Rpc, _command: Command, _: CommandId) -> object:
    log = rpc.session.log
    for entry_id in reversed(log.branch()):
        if log.role(entry_id) != "assistant":
            continue
        entry = log.entry(entry_id)
        if isinstance(entry, MessageEntry) and isinstance(entry.message, AssistantMessage):
            text = entry.message.text.strip()
            if text:
                return {"text": text}
    return {"text": None}


async def get_session_stats(rpc: Rpc, _command: Command, _: CommandId) -> object:
    session = rpc.session
    log = session.log
    totals = SessionTotals(log)
    for _pause in totals.update():
        await asyncio.sleep(0)
    usage, messages = totals.usage, totals.messages
    fields: dict[str, Any] = {
        "sessionFile": str(log.path) if log.path is not None else None,
        "sessionId": log.id,
        "userMessages": messages["user"],
        "assistantMessages": messages["assistant"],
        "toolCalls": await _tool_calls(log),
        "toolResults": messages["toolResult"],
        "totalMessages": sum(messages.values()),
        "tokens": {
            "input": usage.input,
            "output": usage.output,
            "cacheRead": usage.cache_read,
            "cacheWrite": usage.cache_write,
            "total": usage.input + usage.output + usage.cache_read + usage.cache_write,
        },
        "cost": usage.cost.total,
        "contextUsage": _context_usage(rpc),
    }
    return {name: value for name, value in fields.items() if value is not None}


async def set_session_name(rpc: Rpc, command: Name, _: CommandId) -> object:
    name = command.name.strip()
    if not name:
        raise Refused("name: it must not be empty")
    rpc.session.set_name(name)
    return msgspec.UNSET


async def get_commands(rpc: Rpc, _command: Command, _: CommandId) -> object:
    """Templates and skills, which `prompt` expands; the client's own `/` commands are not among them."""
    resources = rpc.session.services.resources
    if resources is None:
        return {"commands": []}
    scopes = {"project": "project", "option": "temporary"}
    sources = {"option": "cli", "shipped": "builtin"}
    commands = [
        {
            "name": one.name,
            "description": one.description,
            "source": "prompt",
            "sourceInfo": {
                "path": str(one.path),
                "source": "local",
                "scope": "project" if one.path.is_relative_to(rpc.session.cwd) else "user",
                "origin": "top-level",
            },
        }
        for one in resources.templates
    ]
    commands += [
        {
            "name": SKILL_PREFIX + one.name,
            "description": one.description,
            "source": "skill",
            "sourceInfo": {
                "path": str(one.path),
                "source": sources.get(one.source, "local"),
                "scope": scopes.get(one.source, "user"),
                "origin": "package" if one.path.is_relative_to(shipped_dir("skills")) else "top-level",
            },
        }
        for one in resources.skills
    ]
    return {"commands": commands}


class _Block(Struct):
    type: str = ""


class _Content(Struct):
    content: list[_Block] = []


class _Line(Struct):
    message: _Content | None = None


_decode_line = msgspec.json.Decoder(_Line).decode
CALLS_IN_A_SLICE = 200
"""Entries that are read between two pauses."""


async def _tool_calls(log: SessionLog) -> int:
    """The tool calls of the whole session."""
    count = 0
    answers = [entry_id for entry_id in log.entry_ids if log.role(entry_id) == "assistant"]
    for number, entry_id in enumerate(answers, 1):
        try:
            message = _decode_line(log.raw(entry_id)).message
        except (msgspec.DecodeError, RecursionError):
            continue
        if message is not None:
            count += sum(block.type == "toolCall" for block in message.content)
        if number % CALLS_IN_A_SLICE == 0:
            await asyncio.sleep(0)
    return count


def _context_usage(rpc: Rpc) -> dict[str, Any] | None:
    model = rpc.session.model
    if model is None or not model.context_window:
        return None
    tokens = rpc.session.context_tokens()
    percent = None if tokens is None else 100 * tokens / model.context_window
    return {"tokens": tokens, "contextWindow": model.context_window, "percent": percent}
