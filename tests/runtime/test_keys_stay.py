"""A key goes to its provider and nowhere else: not to a file, an event, a message, a log or a traceback."""

import asyncio
import io
import json
import logging
import os
import traceback
from pathlib import Path
from typing import Any

import msgspec
import pytest

from pi_tui.export.to_file import export_beside
from pi_tui.modes.print_mode import run_print
from pi_tui.runtime.launch import Launch
from pi_tui.runtime.open import open_session
from pi_tui.runtime.session import Session
from pi_tui.session.totals import SessionTotals
from pi_tui.tui.farewell import report_crash
from pi_tui.tui.reports import session_report
from tests.support.fakellm import FakeLLM
from tests.support.live_session import WIRES

PLANTED = "planted-Key-0123456789-abcdef"
"""Of no well-known form: only knowing it can hide it."""
HEADER = "planted-header-secret-9876"

MISHAPS: dict[str, dict[str, Any]] = {
    "an answer": {"text": "Fine."},
    "refused": {"error": "auth", "message": f"Incorrect API key provided: {PLANTED}"},
    "refused by the header": {"error": "bad_request", "message": f"no tenant {HEADER}"},
    "a web page": {
        "status": 502,
        "body": f"<html><title>bad gateway for Bearer {PLANTED}</title></html>",
        "headers": {"content-type": "text/html"},
    },
    "inside the stream": {"text": "abcdefgh", "sse_error_after": 1, "message": f"lost {PLANTED}"},
    "no JSON": {"raw": f"data: {{{PLANTED}\n\n"},
}


def sources(server: FakeLLM, agent_dir: Path, provider: str, source: str) -> dict[str, str | None]:
    """Puts the key where a user may put it; returns options of the launch."""
    entry: dict[str, Any] = {
        "baseUrl": server.url if provider == "anthropic" else server.base_url,
        "api": WIRES[provider],
        "headers": {"X-Tenant": HEADER},
        "models": [{"id": "scripted"}],
    }
    agent_dir.mkdir(parents=True, exist_ok=True)
    if source == "models.json":
        entry["apiKey"] = PLANTED
    elif source == "command":
        entry["apiKey"] = f"!echo {PLANTED[:7]}{PLANTED[7:]}"
    elif source == "auth.json":
        (agent_dir / "auth.json").write_text(json.dumps({provider: {"type": "api_key", "key": PLANTED}}))
    (agent_dir / "models.json").write_text(json.dumps({"providers": {provider: entry}}))
    (agent_dir / "settings.json").write_text(json.dumps({"retry": {"maxRetries": 1, "baseDelayMs": 1}}))
    return {"api_key": PLANTED if source == "--api-key" else None}


async def events_of(session: Session, run: Any) -> tuple[Any, str]:
    """What `run` gives, and all events of it as `--mode json` writes them."""
    subscription = session.subscribe()
    events: list[Any] = []

    async def listen() -> None:
        async for event in subscription:
            events.append(event)

    listening = asyncio.create_task(listen())
    result = await run
    subscription.close()
    await listening
    return result, " ".join(msgspec.json.encode(event).decode() for event in events)


def written(folder: Path, *besides: str) -> str:
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in besides]
    return "\n".join(f"{path}\n{path.read_text('utf-8', 'replace')}" for path in files)


@pytest.mark.parametrize("source", ["--api-key", "auth.json", "models.json", "command"])
@pytest.mark.parametrize("provider", WIRES)
async def test_a_planted_key_is_found_nowhere(
    fake_llm: FakeLLM,
    tmp_path: Path,
    home: Path,
    caplog: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    provider: str,
    source: str,
) -> None:
    caplog.set_level(logging.DEBUG)
    agent_dir = Path(os.environ["PI_CODING_AGENT_DIR"])
    options = sources(fake_llm, agent_dir, provider, source)
    project = tmp_path / "project"
    project.mkdir()
    session = open_session(Launch(cwd=project, model=f"{provider}/scripted", offline=True, **options))
    seen: list[str] = [*session.services.problems, repr(session.services.settings)]
    for name, mishap in MISHAPS.items():
        fake_llm.script({"default": {**mishap, "retry_after": 0}})
        out, err = io.StringIO(), io.StringIO()
        printed = run_print(session, [(f"with {name}", ())], stdout=out, stderr=err, verbose=True)
        _, events = await events_of(session, printed)
        seen += [events, out.getvalue(), err.getvalue()]
    assert any(PLANTED in str(request["headers"]) for request in fake_llm.requests()), "it was really sent"
    assert any(HEADER in str(request["headers"]) for request in fake_llm.requests())
    totals = SessionTotals(session.log)
    for _ in totals.update():
        pass
    for kind in ("html", "md", "jsonl"):
        await export_beside(session.log, tmp_path / f"export.{kind}")
    seen.append(session_report(session, totals))
    session.close()
    seen += [written(home, "auth.json", "models.json"), written(tmp_path)]
    captured = capfd.readouterr()
    seen += [caplog.text, captured.out, captured.err]
    for text in seen:
        assert PLANTED not in text
        assert HEADER not in text
    assert "with an answer" in "".join(seen), "what was looked through has the session in it"
    assert "with an answer" in (tmp_path / "export.html").read_text("utf-8")


@pytest.mark.parametrize("provider", WIRES)
async def test_a_traceback_shows_no_key(fake_llm: FakeLLM, tmp_path: Path, home: Path, provider: str) -> None:
    """Also of a failure that nobody expected: the program's own fault, with the key in its words."""
    options = sources(fake_llm, Path(os.environ["PI_CODING_AGENT_DIR"]), provider, "auth.json")
    session = open_session(Launch(cwd=tmp_path, model=f"{provider}/scripted", offline=True, **options))
    model = session.model
    assert model is not None
    stream_options = await session.services.stream_options(model, "off", "s")
    fake_llm.push({"error": "auth", "message": PLANTED})
    from pi_tui.llm.complete import complete

    with pytest.raises(Exception, match="401") as caught:
        await complete(session.services.stream, model, "", "hello", stream_options)
    session.close()
    shown = (
        "".join(traceback.format_exception(caught.value))
        + report_crash(caught.value)
        + written(home, "auth.json", "models.json")
    )
    assert PLANTED not in shown
    assert HEADER not in shown
    assert "401" in shown
