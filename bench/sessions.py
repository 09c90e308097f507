"""Realistic session files of any size: `python -m bench.sessions OUT --entries 20000 --megabytes 100`.

Turns of a user's message, answers with thinking, text and tool calls, and their results; here and there a
label, a compaction, a user's own command, and branches left with a summary. The same for the same seed.
"""

from __future__ import annotations

import argparse
import json
import random
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

Fields = dict[str, Any]

VOCABULARY = (
    "the agent reads a file and applies small edits because its parser expects a stream of tokens in stable "
    "order while the session tree keeps every branch so that the user may return later without any loss"
)
WORDS = VOCABULARY.split()
CORPUS_CHARACTERS = 1 << 20
TOOLS = ("read", "bash", "bash", "edit")
LAST_WORDS = "end-of-session-9d4b"
"""What the last answer says, to be looked for on screen."""

BRANCHES = 40
LABELLED = 0.03
USERS_COMMANDS = 0.03


class SessionWriter:
    """Grows one session, line by line."""

    def __init__(
        self, *, entries: int, megabytes: float, cwd: str, compact_every: int = 0, seed: int = 1
    ) -> None:
        """`compact_every`: entries between two compactions; 0 means none."""
        self._random = random.Random(seed)
        self._wanted, self._bytes_wanted = entries, megabytes * 1e6
        self._compact_every = compact_every
        self._clock = datetime(2026, 1, 1, tzinfo=UTC)
        self._corpus = self._words(CORPUS_CHARACTERS)
        self._lines: list[str] = []
        self._bytes = 0
        self._entries: list[tuple[str, str]] = []
        """Id and role (or type) of each, in file order."""
        self._leaf: str | None = None
        self._calls = self._branches = self._compacted_at = 0
        self._put({"type": "session", "version": 3, "id": self._uuid(), "timestamp": self._now(), "cwd": cwd})

    def write(self, path: Path) -> None:
        self._add("model_change", provider="local", modelId="scripted")
        self._add("thinking_level_change", thinkingLevel="off")
        while len(self._entries) < self._wanted:
            self._turn()
        self._message("user", content=[_text("is that all?")])
        self._answer([_text(f"That is all. {LAST_WORDS}")], "stop")
        path.write_text("".join(self._lines), "utf-8")

    def _turn(self) -> None:
        asked = self._message("user", content=[_text(self._text(30, 400))])
        for _ in range(self._random.randint(1, 8)):
            self._call_and_result()
        self._answer([_text(self._report())], "stop")
        if self._random.random() < LABELLED:
            self._add("label", targetId=asked, label=self._text(8, 20))
        if self._random.random() < USERS_COMMANDS:
            self._users_command()
        if len(self._entries) > (self._branches + 1) * self._wanted / (BRANCHES + 1):
            self._branch_off()
        if self._compact_every and len(self._entries) - self._compacted_at > self._compact_every:
            self._compact()

    def _call_and_result(self) -> None:
        self._calls += 1
        call, tool = f"call_{self._calls:07d}", self._random.choice(TOOLS)
        blocks: list[Fields] = []
        if self._random.random() < 0.4:
            blocks.append({"type": "thinking", "thinking": self._text(100, 600)})
        if self._random.random() < 0.6:
            blocks.append(_text(self._text(30, 200)))
        blocks.append({"type": "toolCall", "id": call, "name": tool, "arguments": self._arguments(tool)})
        self._answer(blocks, "toolUse")
        result = {"toolCallId": call, "toolName": tool, "isError": self._random.random() < 0.05}
        if tool == "edit":
            diff = "\n".join(f"-{self._text(40, 40)}\n+{self._text(44, 44)}" for _ in range(6))
            result |= {
                "content": [_text("Replaced 1 block.")],
                "details": {"diff": f"@@ -1,6 +1,6 @@\n{diff}\n"},
            }
        else:
            result["content"] = [_text(self._numbered(self._output_size()))]
        self._message("toolResult", **result)

    def _output_size(self) -> int:
        left = max(1, self._wanted - len(self._entries))
        # About 45 % of the entries are results that carry the bulk.
        average = max(40.0, (self._bytes_wanted - self._bytes) / left * 2.2 - 1200)
        return int(average * self._random.uniform(0.2, 1.8))

    def _arguments(self, tool: str) -> Fields:
        path = f"src/part{self._random.randint(1, 90)}/file{self._random.randint(1, 99)}.py"
        match tool:
            case "read":
                return {"path": path}
            case "bash":
                return {"command": f"grep -rn '{self._text(12, 20)}' src | head -50"}
            case _:
                return {
                    "path": path,
                    "edits": [{"oldText": self._text(90, 150), "newText": self._text(90, 150)}],
                }

    def _report(self) -> str:
        points = "\n".join(f"- **{self._word()}**: {self._text(50, 90)}" for _ in range(5))
        code = "\n".join(f"value_{n} = {n}  # {self._word()}" for n in range(6))
        return f"## Result\n\n{points}\n\n```python\n{code}\n```\n"

    def _users_command(self) -> None:
        output = self._numbered(300)
        outcome = {"exitCode": 0, "cancelled": False, "truncated": False}
        self._message("bashExecution", command="git status", output=output, **outcome)

    def _branch_off(self) -> None:
        self._branches += 1
        start = max(0, len(self._entries) - self._random.randint(20, 200))
        answers = [entry for entry, role in self._entries[start:] if role == "assistant"]
        left, self._leaf = self._leaf, answers[0]
        self._add("branch_summary", fromId=left, summary=f"## Goal\n{self._text(300, 500)}")

    def _compact(self) -> None:
        kept = [entry for entry, role in self._entries[-60:] if role == "user"][-2:][0]
        self._compacted_at = len(self._entries)
        summary = f"## Goal\n{self._text(1000, 2000)}"
        self._add("compaction", summary=summary, firstKeptEntryId=kept, tokensBefore=150_000)

    def _answer(self, content: list[Fields], stop: str) -> None:
        size = self._random.randint(8_000, 60_000)
        cost = {"input": 0.01, "output": 0.001, "cacheRead": 0, "cacheWrite": 0, "total": 0.011}
        usage = {"input": size, "output": 120, "cacheRead": 0, "cacheWrite": 0, "totalTokens": size + 120}
        source = {"api": "openai-completions", "provider": "local", "model": "scripted"}
        self._message("assistant", content=content, **source, usage=usage | {"cost": cost}, stopReason=stop)

    def _message(self, role: str, **fields: Any) -> str:
        stamp = int(self._clock.timestamp() * 1000)
        return self._add("message", message={"role": role, **fields, "timestamp": stamp})

    def _add(self, kind: str, **fields: Any) -> str:
        entry = f"{self._random.getrandbits(24):06x}{len(self._entries) % 256:02x}"
        self._put({"type": kind, "id": entry, "parentId": self._leaf, "timestamp": self._now(), **fields})
        self._entries.append((entry, fields.get("message", {}).get("role", kind)))
        self._leaf = entry
        return entry

    def _put(self, record: Fields) -> None:
        line = json.dumps(record, separators=(",", ":")) + "\n"
        self._lines.append(line)
        self._bytes += len(line)

    def _now(self) -> str:
        self._clock += timedelta(milliseconds=self._random.randint(400, 9_000))
        return self._clock.isoformat(timespec="milliseconds").replace("+00:00", "Z")

    def _uuid(self) -> str:
        bits = f"{self._random.getrandbits(128):032x}"
        return f"{bits[:8]}-{bits[8:12]}-7{bits[13:16]}-8{bits[17:20]}-{bits[20:]}"

    def _word(self) -> str:
        return self._random.choice(WORDS)

    def _words(self, characters: int) -> str:
        return " ".join(self._random.choices(WORDS, k=characters // 4))[:characters]

    def _text(self, least: int, most: int) -> str:
        start = self._random.randrange(CORPUS_CHARACTERS - most)
        return self._corpus[start : start + self._random.randint(least, most)].strip()

    def _numbered(self, characters: int) -> str:
        lines: list[str] = []
        size = 0
        while size < characters:
            lines.append(f"{len(lines) + 1:5d}  {self._text(20, 90)}")
            size += len(lines[-1]) + 1
        return "\n".join(lines)


def _text(text: str) -> Fields:
    return {"type": "text", "text": text}


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.sessions", description="Writes a session file.")
    parser.add_argument("out", type=Path)
    parser.add_argument("--entries", type=int, default=20_000)
    parser.add_argument("--megabytes", type=float, default=20)
    parser.add_argument("--compact-every", type=int, default=0, help="entries; 0 means never")
    parser.add_argument("--cwd", default="/project")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    writer = SessionWriter(
        entries=options.entries,
        megabytes=options.megabytes,
        cwd=options.cwd,
        compact_every=options.compact_every,
        seed=options.seed,
    )
    writer.write(options.out)


if __name__ == "__main__":
    main()
