"""What holds after every compaction: in the file, in the next request, in the reference's eyes, in the footer."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from pi_tui.tui.footer import compact_number, cost_text
from tests.e2e.terminal import Terminal
from tests.e2e.workspace import Workspace
from tests.support.fakellm import FakeLLM
from tests.support.reference_program import REFERENCE, ask_reference, said

Entry = dict[str, Any]

COST = {"input": 3.0, "output": 15.0, "cacheRead": 0.3, "cacheWrite": 3.75}
"""USD per million tokens, so that the footer has a sum to show."""
SUMMARISES = {
    "when": {"system_contains": "write summaries of conversations"},
    "text": "## Goal\nTo build a kite.",
    "name": "summary",
}
FIELDS = {"type", "id", "parentId", "timestamp", "summary", "firstKeptEntryId", "tokensBefore", "usage"}
FIELDS |= {"details", "fromHook", "systemMessage"}
USAGE = {"input", "output", "cacheRead", "cacheWrite", "totalTokens", "cost"}


class CompactedSession:
    """The session of a terminal, looked at from outside: its file, its requests, its screen.

    Args:
        workspace: Has one session.
        server: Answers it.
        terminal: Shows it.
        window: Tokens of the model's context window.
    """

    def __init__(self, workspace: Workspace, server: FakeLLM, terminal: Terminal, window: int) -> None:
        self._workspace = workspace
        self._server = server
        self.terminal = terminal
        self._window = window

    @property
    def entries(self) -> list[Entry]:
        return self._workspace.entries()

    @property
    def compactions(self) -> list[Entry]:
        return [entry for entry in self.entries if entry["type"] == "compaction"]

    def ask(self, prompt: str, answer: str) -> None:
        """Sends a prompt and waits until all that comes of it is over."""
        self.terminal.submit(prompt)
        self.terminal.wait_for(answer, 30)
        self.settled()

    def settled(self) -> str:
        return self.terminal.wait_for(
            lambda screen: "esc to stop" not in screen and "esc cancels" not in screen, 30
        )

    def bytes(self) -> bytes:
        """The session file as it is."""
        return self._workspace.session_file().read_bytes()

    def check(self, before: bytes, added: int = 1) -> list[Entry]:
        """All that must hold once the answer after a compaction is there.

        Args:
            before: The file as it was before.
            added: Compactions since then.
        """
        new = self.check_file(before, added)
        self.check_request()
        self.check_reference()
        self.check_footer()
        return new

    def check_file(self, before: bytes, added: int = 1) -> list[Entry]:
        """One new entry for each compaction with all fields, and everything older byte for byte."""
        assert self.bytes().startswith(before)
        known = before.count(b'"type":"compaction"')
        new = self.compactions[known:]
        assert len(new) == added
        for entry in new:
            assert set(entry) == FIELDS and entry["fromHook"] is False
            assert set(entry["usage"]) >= USAGE and entry["usage"]["totalTokens"] > 0
            assert set(entry["details"]) == {"readFiles", "modifiedFiles", "estimatedTokensAfter"}
            assert entry["systemMessage"]["role"] == "system" and entry["systemMessage"]["sections"]
            assert [tool["name"] for tool in entry["systemMessage"]["toolsAdded"]][:2] == ["read", "bash"]
            assert entry["tokensBefore"] > 0 and "To build a kite" in entry["summary"]
            assert entry["firstKeptEntryId"] in {one["id"] for one in path_to(self.entries, entry["id"])}
        return new

    def check_request(self) -> None:
        """The last request begins with the summary, goes on with what was kept, and has nothing else."""
        path = path_to(self.entries, self.entries[-1]["id"])
        answered = max(place for place, entry in enumerate(path) if role_of(entry) == "assistant")
        expected = context_of(path[:answered])
        (summary, *rest), sent = expected, joined(texts_of(self._server.bodies()[-1]))
        assert sent.partition("<summary>")[2] == joined([f"\n{summary}\n</summary>", *rest])

    def check_reference(self) -> None:
        """The reference reads the same context; where it is not installed, `test_reference_reads_ours` says so."""
        if REFERENCE is None:
            return
        models = json.loads((self._workspace.agent_dir / "models.json").read_text())
        copy = Path(shutil.copy(self._workspace.session_file(), self._workspace.home))
        theirs = ask_reference(copy, self._workspace.project, models)["get_messages"]["messages"]
        path = path_to(self.entries, self.entries[-1]["id"])
        assert [text for _, text in said(theirs) if text] == context_of(path)

    def check_footer(self) -> None:
        """Tokens and cost are the sums of all that was paid for; the context is what was counted last."""
        path = path_to(self.entries, self.entries[-1]["id"])
        paid = [usage for entry in self.entries if (usage := usage_of(entry)) is not None]
        sums = {name: sum(usage[name] for usage in paid) for name in ("input", "output")}
        cost = sum(usage["cost"]["total"] for usage in paid)
        assert cost > 0
        last = next(
            entry for entry in reversed(path) if role_of(entry) == "assistant" or is_compaction(entry)
        )
        if is_compaction(last):
            context = f"~{100 * last['details']['estimatedTokensAfter'] / self._window:.1f}%"
        else:
            context = f"{100 * last['message']['usage']['totalTokens'] / self._window:.1f}%"
        figures = [
            f"↑{compact_number(sums['input'])} ↓{compact_number(sums['output'])}",
            cost_text(cost),
            f"  {context}/{compact_number(self._window)}",
        ]
        self.terminal.wait_for(lambda screen: all(one in screen.splitlines()[-1] for one in figures))

    def leave(self) -> None:
        self.terminal.press("ctrl+d")
        assert self.terminal.wait_for_exit() == 0
        assert self.terminal.modes.left_on() == []


def path_to(entries: list[Entry], entry_id: str) -> list[Entry]:
    """The entries root → `entry_id`."""
    by_id = {entry["id"]: entry for entry in entries}
    path: list[Entry] = []
    at: str | None = entry_id
    while at is not None:
        path.append(by_id[at])
        at = by_id[at]["parentId"]
    return path[::-1]


def context_of(path: list[Entry]) -> list[str]:
    """The texts that a model is to see at the end of a path, written down from the format's description."""
    left_out = {
        entry["targetId"]
        for entry in path
        if entry["type"] == "context_edit" and entry["replacement"] is None
    }
    at = max((place for place, entry in enumerate(path) if is_compaction(entry)), default=None)
    texts: list[str] = []
    if at is not None:
        ids = [entry["id"] for entry in path]
        kept = ids.index(path[at]["firstKeptEntryId"])
        texts.append(path[at]["summary"])
        path = path[kept:at] + path[at + 1 :]
    for entry in path:
        if entry["type"] == "branch_summary":
            texts.append(entry["summary"])
        elif role_of(entry) in ("user", "assistant", "toolResult") and entry["id"] not in left_out:
            content = entry["message"]["content"]
            texts += [block["text"] for block in content if block["type"] == "text" and block["text"]]
    return texts


def texts_of(body: Entry) -> list[str]:
    """All texts of a request's conversation, in order."""
    messages = [one for one in body["messages"] if one["role"] not in ("system", "developer")]
    return [text for message in messages for text in _texts(message.get("content"))]


def joined(texts: list[str]) -> str:
    """As one text: a wire may put messages of the user that follow each other into one."""
    return "\n\n".join(texts)


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content] if content else []
    blocks = content or []
    return [
        text
        for block in blocks
        for text in ([block["text"]] if "text" in block else _texts(block.get("content")))
    ]


def is_compaction(entry: Entry) -> bool:
    return bool(entry["type"] == "compaction")


def role_of(entry: Entry) -> str:
    return str(entry["message"]["role"]) if entry["type"] == "message" else ""


def usage_of(entry: Entry) -> Entry | None:
    holder = entry["message"] if entry["type"] == "message" else entry
    usage: Entry | None = holder.get("usage")
    return usage
