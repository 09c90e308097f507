"""Commands about the session's tree: its entries as they are stored, and moving about in it."""

import msgspec

from pi_tui.modes.rpc.context import Rpc
from pi_tui.modes.rpc.protocol import Command, CommandId, Refused
from pi_tui.runtime.branch_summary import BranchSummaryStopped, summarise_branch
from pi_tui.runtime.navigation import destination, label, left_behind, move_to
from pi_tui.session.entries import LabelEntry
from pi_tui.session.log import SessionLog
from pi_tui.session.patch import replace_members


class Since(Command):
    since: str | None = None


class Navigate(Command):
    entry_id: str
    summarize: bool = False
    """Whether a summary of the branch that is left is written where the conversation goes on."""
    custom_instructions: str = ""
    """What the summary should mind."""


class SetLabel(Command):
    entry_id: str
    label: str = ""
    """Empty takes the label away."""


async def get_entries(rpc: Rpc, command: Since, _: CommandId) -> object:
    """All entries in the order of the file, or those after one of them."""
    log = rpc.session.log
    ids = log.entry_ids
    if command.since is not None:
        if command.since not in log:
            raise Refused(f"since: there is no entry {command.since!r}")
        ids = ids[ids.index(command.since) + 1 :]
    return {"entries": [entry_record(log, one) for one in ids], "leafId": log.leaf_id}


async def get_tree(rpc: Rpc, _command: Command, _: CommandId) -> object:
    log = rpc.session.log
    return {"tree": tree_record(log), "leafId": log.leaf_id}


async def navigate_tree(rpc: Rpc, command: Navigate, _: CommandId) -> object:
    """Goes on from another entry. `text` and `images` are of a message that was chosen to be written anew."""
    session = rpc.session
    _must_exist(session.log, command.entry_id)
    summary = None
    goal = destination(session.log, command.entry_id)
    if command.summarize and left_behind(session.log, goal.leaf_id):
        try:
            summary = await summarise_branch(session, goal.leaf_id, command.custom_instructions)
        except BranchSummaryStopped:
            return {"cancelled": True}
    goal = move_to(session, command.entry_id, summary)
    found = {"text": goal.text, "images": goal.images, "leafId": session.log.leaf_id, "cancelled": False}
    return {name: value for name, value in found.items() if value or name in ("leafId", "cancelled")}


async def set_label(rpc: Rpc, command: SetLabel, _: CommandId) -> object:
    _must_exist(rpc.session.log, command.entry_id)
    label(rpc.session, command.entry_id, command.label)
    return msgspec.UNSET


def entry_record(log: SessionLog, entry_id: str) -> msgspec.Raw:
    """An entry as it is stored. Where the file is damaged, with the id and parent it has been given here."""
    raw = log.raw(entry_id)
    head = log.head(entry_id)
    try:
        if (head.id, head.parent_id) != (entry_id, log.parent(entry_id)):
            raw = replace_members(raw, {"id": entry_id, "parentId": log.parent(entry_id)})
        return msgspec.json.decode(raw, type=msgspec.Raw).copy()
    except (msgspec.DecodeError, ValueError, RecursionError):
        return msgspec.Raw(msgspec.json.encode(log.entry(entry_id)))


def tree_record(log: SessionLog) -> msgspec.Raw:
    """The roots with their children in them. Put together piece by piece: a conversation is as deep as it is long."""
    labelled_at = _label_times(log)
    pieces: list[bytes] = [b"["]
    closing = object()
    waiting: list[object] = list(reversed(log.children(None)))
    first = True
    while waiting:
        at = waiting.pop()
        if at is closing:
            pieces.append(b"]}")
            first = False
            continue
        assert isinstance(at, str)
        pieces += (b"" if first else b",", b'{"entry":', bytes(entry_record(log, at)))
        if at in log.labels:
            pieces += (b',"label":', msgspec.json.encode(log.labels[at]))
            pieces += (b',"labelTimestamp":', msgspec.json.encode(labelled_at.get(at)))
        pieces.append(b',"children":[')
        waiting.append(closing)
        waiting += reversed(log.children(at))
        first = True
    pieces.append(b"]")
    return msgspec.Raw(b"".join(pieces))


def _label_times(log: SessionLog) -> dict[str, str]:
    """When each entry got its present label."""
    times: dict[str, str] = {}
    for entry_id in log.entry_ids:
        if log.head(entry_id).type == "label":
            entry = log.entry(entry_id)
            if isinstance(entry, LabelEntry):
                times[entry.target_id] = entry.timestamp
    return times


def _must_exist(log: SessionLog, entry_id: str) -> None:
    if entry_id not in log:
        raise Refused(f"entryId: there is no entry {entry_id!r}")
