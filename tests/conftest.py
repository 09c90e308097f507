"""Every test has a home folder of its own and no key from the machine it runs on."""

import os
from pathlib import Path

import pytest


def pytest_xdist_auto_num_workers() -> int:
    """One more than there are cores: many a test waits for a program it has started."""
    return len(os.sched_getaffinity(0)) + 1 if hasattr(os, "sched_getaffinity") else (os.cpu_count() or 1) + 1


_OURS = ("PI_", "XDG_", "ANTHROPIC_", "OPENAI_", "GIT_")
_MARKERS = ("_API_KEY", "_AUTH_TOKEN", "_BASE_URL")
_OTHERS = ("AI_AGENT", "VISUAL", "EDITOR", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_COLOR", "COLORTERM")


@pytest.fixture(autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home folder of this test; the agent dir is `.pi/agent` in it."""
    home = tmp_path_factory.mktemp("home")
    for name in list(os.environ):
        plain = name.upper()
        if plain.startswith(_OURS) or plain.endswith(_MARKERS) or plain in _OTHERS:
            monkeypatch.delenv(name)
    monkeypatch.setenv("HOME", str(home))
    monkeypatch.setenv("PI_CODING_AGENT_DIR", str(home / ".pi" / "agent"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(home / ".config"))
    monkeypatch.setenv("XDG_CACHE_HOME", str(home / ".cache"))
    monkeypatch.setenv("XDG_STATE_HOME", str(home / ".local" / "state"))
    monkeypatch.setenv("XDG_DATA_HOME", str(home / ".local" / "share"))
    return home
