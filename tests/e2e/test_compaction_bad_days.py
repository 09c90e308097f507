"""Compactions that must repair something, or that go wrong, in the real program."""

from __future__ import annotations

from typing import Any

import pytest

from tests.e2e.after_compaction import COST, SUMMARISES, CompactedSession, joined, texts_of
from tests.e2e.conftest import StartPi
from tests.e2e.workspace import PROVIDERS, Workspace
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown

pytestmark = pytest.mark.pi_terminal

WINDOW = 20_000
OVERFLOW = {"error": "overflow"}


@pytest.fixture
def session(
    request: pytest.FixtureRequest, workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> CompactedSession:
    """A session of two short turns, over the wire that the test names, if it names one."""
    wire = getattr(request, "param", "openai")
    workspace.use(fake_llm, provider=wire, contextWindow=WINDOW, maxTokens=1_000, cost=COST)
    fake_llm.script([{"text": "answer one"}, {"text": "answer two"}])
    session = CompactedSession(workspace, fake_llm, pi_terminal(), WINDOW)
    session.ask("question one", "answer one")
    session.ask("question two", "answer two")
    return session


@pytest.mark.parametrize("session", sorted(PROVIDERS), indirect=True)
def test_a_request_that_is_too_long_is_repaired_before_the_user_sees_an_end(
    session: CompactedSession, fake_llm: FakeLLM
) -> None:
    fake_llm.script({"rules": [SUMMARISES], "responses": [OVERFLOW, {"text": "answer three"}]})
    before = session.bytes()
    session.ask("question three", "answer three")
    (edit,) = [entry for entry in session.entries if entry["type"] == "context_edit"]
    failed = next(entry for entry in session.entries if entry["id"] == edit["targetId"])
    assert edit["replacement"] is None and failed["message"]["stopReason"] == "error"
    session.check(before)
    session.leave()


def test_a_second_overflow_ends_with_advice_and_the_session_goes_on(
    session: CompactedSession, fake_llm: FakeLLM
) -> None:
    before = session.bytes()
    fake_llm.script(
        {"rules": [SUMMARISES], "responses": [OVERFLOW, OVERFLOW], "default": {"text": "at last"}}
    )
    session.terminal.submit("question three")
    screen = session.terminal.wait_for("compaction does not make it fit", 30)
    assert "/tree" in screen and "/new" in screen and "/model" in screen
    session.settled()
    assert len(fake_llm.requests()) == 5, "it does not loop"
    session.check_file(before)
    session.ask("question four", "at last")
    session.check(before)
    session.leave()


def test_a_summary_request_that_is_too_long_is_cut_down(session: CompactedSession, fake_llm: FakeLLM) -> None:
    fake_llm.script(
        [{"text": f"{markdown(1_500)}\n\nanswer three"}, {"text": f"{markdown(1_900)}\n\nanswer four"}]
    )
    session.ask("question three", "answer three")
    session.ask("question four", "answer four")
    before = session.bytes()
    too_long = {"when": {"contains": "<conversation>"}, "error": "overflow", "times": 1}
    fake_llm.script({"rules": [too_long, SUMMARISES], "default": {"text": "answer five"}})
    session.terminal.submit("/compact")
    session.terminal.wait_for("Compacted from", 30)
    session.settled()
    asked = [len(texts_of(body)[0]) for body in fake_llm.bodies()[4:]]
    assert len(asked) > 2 and asked[0] > asked[1], "and then the rest, window by window"
    session.ask("question five", "answer five")
    session.check(before)
    session.leave()


def test_switched_off_nothing_is_compacted_and_the_user_is_told(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    workspace.use(fake_llm, contextWindow=5_000, maxTokens=1_000, cost=COST)
    workspace.settings(compaction={"enabled": False})
    long = markdown(1_500)
    told = [
        {"text": f"{long}\n\nanswer one"},
        {"text": f"{long}\n\nanswer two"},
        OVERFLOW,
        {"text": "answer four"},
    ]
    fake_llm.script({"rules": [SUMMARISES], "responses": told})
    session = CompactedSession(workspace, fake_llm, pi_terminal(), 5_000)
    session.ask("question one", "answer one")
    session.ask("question two", "answer two")
    assert "(auto)" not in session.terminal.screen_text()
    session.terminal.submit("question three")
    screen = session.terminal.wait_for("compaction.enabled", 30)
    assert "/compact" in screen
    session.settled()
    assert session.compactions == [] and len(fake_llm.requests()) == 3
    before = session.bytes()
    session.terminal.submit("/compact")
    session.terminal.wait_for("Compacted from", 30)
    session.settled()
    session.ask("question four", "answer four")
    session.check(before)
    session.leave()


BAD_SUMMARIES: dict[str, tuple[dict[str, Any], str]] = {
    "a tool call": ({"tool_calls": [{"name": "read", "arguments": {"path": "x"}}]}, "called a tool"),
    "nothing": ({"text": " "}, "empty"),
    "an error": ({"error": "auth"}, "API key"),
}


@pytest.mark.parametrize("bad", BAD_SUMMARIES)
def test_a_summariser_that_answers_with(bad: str, session: CompactedSession, fake_llm: FakeLLM) -> None:
    """… changes nothing; the user is told why, and can go on."""
    response, why = BAD_SUMMARIES[bad]
    before = session.bytes()
    fake_llm.script(
        {"rules": [{**SUMMARISES, **response, "times": 1}, SUMMARISES], "default": {"text": "go on"}}
    )
    session.terminal.submit("/compact")
    screen = session.terminal.wait_for("Not compacted, nothing has changed", 30)
    assert why in " ".join(screen.split())
    session.settled()
    assert session.bytes() == before
    session.check_footer()
    session.ask("question three", "go on")
    assert "question one" in texts_of(fake_llm.bodies()[-1])
    session.leave()


def test_a_summary_that_comes_too_late_after_esc_finds_nobody(
    session: CompactedSession, fake_llm: FakeLLM
) -> None:
    before = session.bytes()
    # Once it has begun it is written slowly: Esc falls into the middle of it.
    slow = {**SUMMARISES, "text": "## Goal " + "word " * 200, "rate": 20}
    fake_llm.script({"rules": [{**slow, "times": 1}, SUMMARISES], "default": {"text": "answer three"}})
    session.terminal.submit("/compact everything")
    session.terminal.wait_for("Compacting")
    session.terminal.wait_until(lambda: fake_llm.state()["active"] == 1, 10, "request for a summary")
    session.terminal.submit("typed meanwhile")
    session.terminal.wait_for("next: typed meanwhile")
    session.terminal.press("escape")
    session.terminal.wait_for(
        lambda screen: (
            "nothing has changed" in screen and "typed meanwhile" in screen and "next:" not in screen
        )
    )
    session.terminal.wait_until(lambda: fake_llm.state()["active"] == 0, 20, "end of the request")
    assert session.bytes() == before
    session.check_footer()
    session.terminal.press("enter")
    session.terminal.wait_for("answer three", 30)
    session.settled()
    assert session.compactions == []
    assert "typed meanwhile" in joined(texts_of(fake_llm.bodies()[-1])), "it is the user who sends it"
    session.leave()
