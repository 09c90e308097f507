"""A real session over real wires: everything but the model, which is the scripted server."""

import json
import os
from pathlib import Path
from typing import Any

from pi_tui.agent.retry import RetryPolicy
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.services import Services
from pi_tui.runtime.session import Session
from tests.support.fakellm import FakeLLM

WIRES = {
    "openai": "openai-completions",
    "anthropic": "anthropic-messages",
    "responses": "openai-responses",
}
"""Providers of the written models.json, with the wire they speak. Each has the model `scripted`."""


def open_live(server: FakeLLM, cwd: Path, provider: str = "openai", **settings: Any) -> Session:
    """A session in `cwd` whose model is the server's, by the wire of `provider`."""
    agent_dir = Path(os.environ["PI_CODING_AGENT_DIR"])
    agent_dir.mkdir(parents=True, exist_ok=True)
    record = {"id": "scripted", "contextWindow": 200_000, "maxTokens": 8_000}
    providers = {
        name: {
            "baseUrl": server.url if name == "anthropic" else server.base_url,
            "api": api,
            "apiKey": "sk-test-0123456789abcdef",
            "models": [record],
        }
        for name, api in WIRES.items()
    }
    (agent_dir / "models.json").write_text(json.dumps({"providers": providers}))
    (agent_dir / "settings.json").write_text(json.dumps(settings))
    return open_session(Launch(cwd=cwd, model=f"{provider}/scripted", offline=True))


def retry_at_once(session: Session) -> None:
    """Takes the waiting out of retries, and leaves everything else of them."""
    policy = session.services.retry_policy
    quick = RetryPolicy(policy.enabled, policy.max_retries, 0, policy.max_delay_ms)
    services = session.services
    services.__class__ = type("Quick", (Services,), {"retry_policy": property(lambda self: quick)})


def use(session: Session, provider: str) -> None:
    """From the next request on, the wire of another provider."""
    model = session.services.registry.find(provider, "scripted")
    assert model is not None
    session.set_model(model)
