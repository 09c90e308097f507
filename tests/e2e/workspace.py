"""A home of its own for the program under test: settings, models and sessions that nobody else sees."""

from __future__ import annotations

import json
import os
import shlex
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pi_tui
from tests.e2e.terminal import Terminal
from tests.support.fakellm import FakeLLM

PI = shlex.split(os.environ.get("PI_TEST_COMMAND", "")) or [sys.executable, "-m", "pi_tui"]
"""The program under test; PI_TEST_COMMAND may name an installed one."""

PASSED_ON = ("PATH", "LANG", "LC_ALL", "TMPDIR", "SYSTEMROOT", "VIRTUAL_ENV", "COVERAGE_PROCESS_START")
"""What the program gets of our environment. No keys, no proxies, and bytecode may be cached as usual."""

PROVIDERS = {"openai": "openai-completions", "anthropic": "anthropic-messages"}
"""Custom providers of models.json by name, with the wire they speak. Each has the model `scripted`."""

READY_SECONDS = 20.0
"""Generous: a machine under load, and a first start without bytecode."""


class Workspace:
    """A project folder and the isolated environment in which `pi` runs on it."""

    def __init__(self, root: Path) -> None:
        self.home = root / "home"
        self.project = self.home / "project"
        self.agent_dir = root / "agent"
        self.state_dir = root / "state"
        for folder in (self.project, self.agent_dir, self.state_dir):
            folder.mkdir(parents=True)
        self.env = {name: os.environ[name] for name in PASSED_ON if name in os.environ} | {
            "HOME": str(self.home),
            "XDG_CONFIG_HOME": str(root / "config"),
            "XDG_CACHE_HOME": str(root / "cache"),
            "XDG_DATA_HOME": str(root / "data"),
            "XDG_STATE_HOME": str(self.state_dir),
            "PI_CODING_AGENT_DIR": str(self.agent_dir),
            "PYTHONPATH": str(Path(pi_tui.__file__).parents[1]),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }

    def use(self, server: FakeLLM, *, provider: str = "openai", **model: Any) -> None:
        """Makes the server's model the default; `model` adds fields to its record in models.json."""
        record = {"id": "scripted", "contextWindow": 200_000, "maxTokens": 8_000, **model}
        providers = {
            name: {"baseUrl": _base_url(server, api), "api": api, "apiKey": "test-key", "models": [record]}
            for name, api in PROVIDERS.items()
        }
        (self.agent_dir / "models.json").write_text(json.dumps({"providers": providers}))
        self.settings(defaultProvider=provider, defaultModel="scripted")

    def settings(self, **values: Any) -> None:
        """Adds to settings.json."""
        path = self.agent_dir / "settings.json"
        known = json.loads(path.read_text()) if path.exists() else {}
        path.write_text(json.dumps(known | values))

    def command(self, *arguments: str) -> list[str]:
        return [*PI, *arguments]

    def terminal(self, command: Sequence[str], **options: Any) -> Terminal:
        """Any command in a terminal, in the project folder and this environment."""
        env: Mapping[str, str] = self.env | options.pop("env", {})
        return Terminal(command, cwd=self.project, env=env, **options)

    def run(
        self, *arguments: str, stdin: str | None = None, timeout: float = 60
    ) -> subprocess.CompletedProcess[str]:
        """`pi` without a terminal."""
        return subprocess.run(
            self.command(*arguments),
            cwd=self.project,
            env=self.env,
            input=stdin,
            stdin=subprocess.DEVNULL if stdin is None else None,
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )

    def run_shell(self, command: str) -> subprocess.CompletedProcess[str]:
        """A shell command in the project folder."""
        return subprocess.run(
            ["bash", "-c", command],
            cwd=self.project,
            env=self.env,
            capture_output=True,
            text=True,
            check=False,
        )

    def session_files(self) -> list[Path]:
        return sorted(self.agent_dir.glob("sessions/**/*.jsonl"))

    def session_file(self) -> Path:
        (file,) = self.session_files()
        return file

    def entries(self) -> list[dict[str, Any]]:
        """The entries of the only session, header left out."""
        return [json.loads(line) for line in self.session_file().read_bytes().splitlines()][1:]

    def messages(self) -> list[dict[str, Any]]:
        """The stored messages, without those of role `system`."""
        messages = [entry["message"] for entry in self.entries() if entry["type"] == "message"]
        return [message for message in messages if message["role"] != "system"]


def _base_url(server: FakeLLM, api: str) -> str:
    return server.url if api == "anthropic-messages" else server.base_url
