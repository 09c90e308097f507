"""A home folder whose models.json leads to the scripted server, for processes of ours."""

import json
import os
import sys
from pathlib import Path
from typing import Any

from tests.support.fakellm import FakeLLM

PI = [sys.executable, "-m", "pi_tui"]


def write_models(server: FakeLLM, *, window: int = 200_000, **settings: Any) -> None:
    """The provider `test` with the models `scripted` and `thinker`, and what else is to be set."""
    agent_dir = Path(os.environ["PI_CODING_AGENT_DIR"])
    agent_dir.mkdir(parents=True, exist_ok=True)
    record = {"id": "scripted", "contextWindow": window, "maxTokens": 2_000}
    provider = {
        "baseUrl": server.base_url,
        "api": "openai-completions",
        "apiKey": "sk-test-0123456789abcdef",
        "models": [record, {**record, "id": "thinker", "reasoning": True}],
    }
    (agent_dir / "models.json").write_text(json.dumps({"providers": {"test": provider}}))
    (agent_dir / "settings.json").write_text(json.dumps({"retry": {"baseDelayMs": 1}, **settings}))


def child_environment(**changes: str) -> dict[str, str]:
    """Where a child process finds the package under test."""
    return {
        **os.environ,
        "PYTHONPATH": os.pathsep.join(filter(None, sys.path)),
        "PI_OFFLINE": "1",
        **changes,
    }
