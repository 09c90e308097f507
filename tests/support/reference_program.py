"""The npm program whose session files are ours too, asked as a black box what it reads in one."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

PACKAGE = "pi-coding-agent"
OLDEST_NODE = 22
SECONDS = 60
COMMANDS = ("get_state", "get_messages", "get_entries", "get_tree")


def _reference() -> list[str] | None:
    """The command of the reference: `PI_REFERENCE`, or a `pi` on the PATH that npm installed."""
    named = os.environ.get("PI_REFERENCE") or shutil.which("pi")
    if not named or PACKAGE not in str(Path(named).resolve()):
        return None
    beside = Path(named).parent / "node"
    node = str(beside) if beside.exists() else shutil.which("node")
    if node is None:
        return None
    version = subprocess.run([node, "--version"], capture_output=True, text=True, check=False).stdout
    if int(version.strip().lstrip("v").split(".")[0] or 0) < OLDEST_NODE:
        return None
    return [node, str(Path(named).resolve())]


REFERENCE = _reference()
"""Looked for before the environment of the tests is emptied; None where it cannot be run."""

needs_reference = pytest.mark.skipif(
    REFERENCE is None, reason=f"needs the reference and Node {OLDEST_NODE}: PI_REFERENCE names its command"
)


def ask_reference(path: Path, cwd: Path, models: dict[str, Any]) -> dict[str, Any]:
    """What the reference says of a session file, by command. It may add to the file what it starts with.

    Args:
        path: A session file.
        cwd: The folder it belongs to.
        models: The models.json by which the reference knows the session's models.
    """
    assert REFERENCE is not None
    home = path.parent / "reference-home"
    home.mkdir(exist_ok=True)
    (home / "models.json").write_text(json.dumps(models))
    done = subprocess.run(
        [*REFERENCE, "--mode", "rpc", "--session", str(path)],
        cwd=cwd,
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "PI_OFFLINE": "1",
            "PI_CODING_AGENT_DIR": str(home),
        },
        input="".join(json.dumps({"id": name, "type": name}) + "\n" for name in COMMANDS),
        capture_output=True,
        text=True,
        timeout=SECONDS,
        check=False,
    )
    records = [json.loads(line) for line in done.stdout.splitlines()]
    answers = {
        one["id"]: one["data"] for one in records if one.get("type") == "response" and one.get("success")
    }
    assert set(answers) == set(COMMANDS), done.stdout + done.stderr
    return answers


def said(messages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    """Role, and text or summary, of each message of a context; the system's are the program's own affair."""
    facts = []
    for message in messages:
        content = message.get("content", message.get("summary", ""))
        blocks = content if isinstance(content, list) else [{"type": "text", "text": content}]
        facts.append((message["role"], "".join(block.get("text", "") for block in blocks)))
    return [fact for fact in facts if fact[0] != "system"]
