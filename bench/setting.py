"""Where the measured programs run: an isolated home, cached bytecode, and the commands themselves."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.e2e.pseudo_terminal import PseudoTerminal
from tests.support.fakellm import FakeLLM

ROOT = Path(__file__).parents[1]
FLOORS = Path(__file__).parent / "floors"
PROJECT_NAME = "bench-7f3a"
"""Every program shows its folder: these letters on screen mean that the first paint is there."""

COLUMNS, ROWS = 120, 40
LAUNCH_SECONDS = 60.0

WIRES = {"openai-completions": "openai", "anthropic-messages": "anthropic"}
"""Wire APIs and the SDKs that speak them."""
SDK_LIBRARY = "pydantic_core"
"""A native library that both SDKs load and nothing else does: mapped means that an SDK is there."""

CONSOLE_SCRIPT = "import sys\nfrom pi_tui.__main__ import main\nsys.exit(main())\n"
"""What pip installs as `pi`."""


@dataclass
class Setting:
    """An isolated home with a project folder, and what is to be measured in it."""

    root: Path
    runs: int
    """Launches per median."""
    installed: list[str] = field(default_factory=list)
    """Command of an installed `pi`; empty means this checkout."""
    reference: list[str] = field(default_factory=list)
    """Command of another program with the same options, measured too where it makes sense."""

    def __post_init__(self) -> None:
        self.home = self.root / "home"
        self.project = self.home / PROJECT_NAME
        self.agent_dir = self.root / "agent"
        self.project.mkdir(parents=True)
        self.agent_dir.mkdir()
        self.script = self.root / "pi"
        self.script.write_text(CONSOLE_SCRIPT)
        self.env = {name: os.environ[name] for name in ("PATH", "LANG") if name in os.environ} | {
            "HOME": str(self.home),
            **{
                f"XDG_{kind}_HOME": str(self.root / kind.lower())
                for kind in ("CONFIG", "CACHE", "DATA", "STATE")
            },
            "PI_CODING_AGENT_DIR": str(self.agent_dir),
            "PI_OFFLINE": "1",
            "PYTHONPATH": str(ROOT),
            "PYTHONPYCACHEPREFIX": str(_bytecode_cache()),
            "TERM": "xterm-256color",
            "COLORTERM": "truecolor",
        }

    def pi(self, *arguments: str) -> list[str]:
        return [*(self.installed or [sys.executable, str(self.script)]), *arguments]

    def contenders(self, floor: list[str], *arguments: str) -> dict[str, list[str]]:
        """Commands by the names under which `table.compare` expects their figures."""
        commands = {"pi": self.pi(*arguments), "floor": floor}
        if self.reference:
            commands["reference"] = [*self.reference, *arguments]
        return commands

    def floor(self, name: str, *arguments: str) -> list[str]:
        return [sys.executable, str(FLOORS / name), *arguments]

    def use(self, server: FakeLLM, api: str = "openai-completions") -> None:
        """Makes the scripted server's model the default one."""
        base_url = server.url if api == "anthropic-messages" else server.base_url
        model = {"id": "scripted", "contextWindow": 1_000_000, "maxTokens": 64_000}
        provider = {"baseUrl": base_url, "api": api, "apiKey": "test-key", "models": [model]}
        self._write("models.json", {"providers": {"local": provider}})
        self._write("settings.json", {"defaultProvider": "local", "defaultModel": "scripted"})

    def _write(self, name: str, value: Any) -> None:
        (self.agent_dir / name).write_text(json.dumps(value))

    def run(self, command: list[str]) -> None:
        """Runs a command to its end without a terminal; RuntimeError has its complaint if it fails."""
        done = subprocess.run(
            command,
            cwd=self.project,
            env=self.env,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
        )
        if done.returncode != 0:
            raise RuntimeError(f"{' '.join(command)} failed: {done.stderr.decode(errors='replace')[-1000:]}")

    @contextmanager
    def launched(self, command: list[str], *, shown: str = PROJECT_NAME) -> Iterator[PseudoTerminal]:
        """A full-screen program whose first paint, with `shown` in it, has come."""
        with self.terminal(command) as terminal:
            terminal.wait_for_output(shown, LAUNCH_SECONDS)
            yield terminal

    def terminal(self, command: list[str]) -> PseudoTerminal:
        return PseudoTerminal(command, columns=COLUMNS, rows=ROWS, cwd=self.project, env=self.env)


def _bytecode_cache() -> Path:
    """Kept between runs, so that no run measures the compiler; Python checks it against the sources."""
    caches = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return caches / "pi-bench" / f"bytecode-{sys.implementation.cache_tag}"
