"""A context that fills up, in the real program: what is told, sent, stored and shown."""

from __future__ import annotations

import re

import pytest

from pi_tui.tui.footer import cost_text
from tests.e2e.after_compaction import COST, SUMMARISES, CompactedSession, joined, role_of, texts_of, usage_of
from tests.e2e.conftest import StartPi
from tests.e2e.workspace import PROVIDERS, Workspace
from tests.support.fakellm import FakeLLM
from tests.support.fakellm.markdown import markdown

pytestmark = pytest.mark.pi_terminal

LONG = markdown(1_500)
ESTIMATED = re.compile(r"~\d+\.\d%/\d")
READ = {"tool_calls": [{"name": "read", "arguments": {"path": "notes.md"}}]}


def start(
    workspace: Workspace, server: FakeLLM, pi_terminal: StartPi, window: int, wire: str = "openai"
) -> CompactedSession:
    workspace.use(server, provider=wire, contextWindow=window, maxTokens=1_000, cost=COST)
    return CompactedSession(workspace, server, pi_terminal(), window)


@pytest.mark.parametrize("wire", sorted(PROVIDERS))
def test_a_full_context_is_compacted_when_a_run_has_ended(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi, wire: str
) -> None:
    session = start(workspace, fake_llm, pi_terminal, 5_000, wire)
    long_answers = [{"text": f"{LONG}\n\nanswer {number}"} for number in ("one", "two")]
    fake_llm.script({"rules": [SUMMARISES], "responses": [*long_answers, {"text": "answer three"}]})
    session.ask("question one", "answer one")
    assert session.compactions == []
    before = session.bytes()
    session.terminal.submit("question two")
    screen = session.terminal.wait_for("Compacted from", 30)
    assert "question two" in screen or "answer two" in screen, "what came before stays readable"
    session.terminal.wait_for(ESTIMATED)
    session.check_file(before)
    session.check_footer()
    session.ask("question three", "answer three")
    session.terminal.wait_for(lambda screen: not ESTIMATED.search(screen))
    (entry,) = session.check(before)
    assert entry["tokensBefore"] > 3_750
    assert "question one" not in texts_of(fake_llm.bodies()[-1])
    session.leave()


def test_a_full_context_is_compacted_before_a_prompt(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    session = start(workspace, fake_llm, pi_terminal, 5_000)
    responses = [{"text": f"{LONG}\n\nanswer one"}, {"text": "answer two"}]
    fake_llm.script({"rules": [SUMMARISES], "responses": responses})
    session.ask("question one", "answer one")
    before = session.bytes()
    # Below the threshold still, and over it with what is about to be sent.
    session.terminal.paste(f"question two: {LONG}")
    session.terminal.press("enter")
    session.terminal.wait_for("answer two", 30)
    session.settled()
    asked = [joined(texts_of(body)) for body in fake_llm.bodies()]
    assert ["<conversation>" in text for text in asked] == [False, True, False]
    session.check(before)
    session.leave()


def test_a_full_context_is_compacted_between_two_tools_of_one_run(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    (workspace.project / "notes.md").write_text(LONG)
    session = start(workspace, fake_llm, pi_terminal, 8_000)
    fake_llm.script({"rules": [SUMMARISES], "responses": [READ, READ, READ, READ, {"text": "all is read"}]})
    session.ask("read them all", "all is read")
    assert session.compactions, "it was one run"
    header = session.bytes().partition(b"\n")[0]
    new = session.check(header, added=len(session.compactions))
    assert new[-1]["details"]["readFiles"] == ["notes.md"]
    assert {request["status"] for request in fake_llm.requests()} == {200}
    assert "read them all" in texts_of(fake_llm.bodies()[-1])[0], "what was asked for is never lost"
    session.leave()


def test_a_tool_result_larger_than_what_is_kept_stays_with_its_call(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    (workspace.project / "notes.md").write_text(LONG)
    workspace.settings(compaction={"keepRecentTokens": 500})
    session = start(workspace, fake_llm, pi_terminal, 5_000)
    responses = [{"text": f"{LONG}\n\nanswer one"}, READ, {"text": "answer two"}]
    fake_llm.script({"rules": [SUMMARISES], "responses": responses})
    session.ask("question one", "answer one")
    before = session.bytes()
    session.ask("now read", "answer two")
    (entry,) = session.check(before)
    kept = next(one for one in session.entries if one["id"] == entry["firstKeptEntryId"])
    assert "toolCall" in [block["type"] for block in kept["message"]["content"]]
    roles = [message["role"] for message in fake_llm.bodies()[-1]["messages"]]
    assert roles[-2:] == ["assistant", "tool"]
    session.leave()


def test_compact_with_a_focus_while_one_goes_on_typing(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    session = start(workspace, fake_llm, pi_terminal, 200_000)
    responses = [{"text": "answer one"}, {"text": "answer two"}, {"text": "answer three"}]
    fake_llm.script({"rules": [{**SUMMARISES, "first_delay": 1.5}], "responses": responses})
    session.ask("question one", "answer one")
    session.ask("question two", "answer two")
    before = session.bytes()
    session.terminal.submit("/compact the colour of the tail")
    session.terminal.wait_for("Compacting")
    session.terminal.submit("typed meanwhile")
    session.terminal.wait_for("next: typed meanwhile")
    session.terminal.wait_for("answer three", 30)
    session.settled()
    asked, after = [texts_of(body) for body in fake_llm.bodies()[-2:]]
    assert "Additional focus: the colour of the tail" in asked[-1]
    assert "typed meanwhile" in joined(after) and "question one" not in joined(after)
    session.check(before)
    session.leave()


def test_compactions_follow_each_other(workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi) -> None:
    session = start(workspace, fake_llm, pi_terminal, 200_000)
    fake_llm.script({"rules": [SUMMARISES], "default": {"text": "answer {{n}}"}})
    session.ask("question one", "answer 1")
    session.ask("question two", "answer 2")
    for number in (4, 7, 10):
        before, known = session.bytes(), len(session.compactions)
        session.terminal.submit("/compact")
        session.terminal.wait_until(
            lambda known=known: len(session.compactions) > known, 30, "entry of a compaction"
        )
        session.settled()
        session.ask(f"question {number} a", f"answer {number}")
        session.check(before)
        session.ask(f"question {number} b", f"answer {number + 1}")
    asked = [texts_of(body)[0] for body in fake_llm.bodies() if "<conversation>" in texts_of(body)[0]]
    assert ["<previous-summary>" in one for one in asked] == [False, True, True]
    assert "question two" in asked[1] and "question one" not in asked[1], "what one kept the next summarises"
    session.leave()


def test_a_chinese_session_is_compacted_before_it_overflows(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    window = 6_000
    session = start(workspace, fake_llm, pi_terminal, window, "anthropic")
    chinese = "这个程序需要重新编译才能运行，请先检查配置文件。" * 60
    told = [{"text": f"{chinese}\n\nanswer {name}", "no_usage": True} for name in ("one", "two", "three")]
    fake_llm.script({"rules": [SUMMARISES], "responses": [*told, {"text": "answer four"}]})
    session.ask("question one", "answer one")
    session.ask("question two", "answer two")
    before = session.bytes()
    session.ask("question three", "answer three")
    session.terminal.wait_for("Compacted from", 30)
    session.settled()
    session.ask("question four", "answer four")
    session.check(before)
    sent = ["".join(texts_of(body)) for body in fake_llm.bodies()]
    assert max(len(text.encode()) - len(text) for text in sent) // 2 < window, "one token for each of them"
    assert sum(len(one["text"]) for one in told) // 4 < window // 4, "characters / 4 would not have seen it"
    session.leave()


def test_a_branch_is_left_with_a_summary(
    workspace: Workspace, fake_llm: FakeLLM, pi_terminal: StartPi
) -> None:
    session = start(workspace, fake_llm, pi_terminal, 200_000)
    responses = [{"text": "answer one"}, {"text": "answer two"}, {"text": "another answer"}]
    fake_llm.script({"rules": [SUMMARISES], "responses": responses})
    session.ask("question one", "answer one")
    session.ask("question two", "answer two")
    before, entries = session.bytes(), session.entries
    target = next(one for one in reversed(entries) if role_of(one) == "user")["parentId"]
    terminal = session.terminal
    terminal.press("escape")
    terminal.press("escape")
    terminal.wait_for("Session tree")
    terminal.press("up")
    terminal.wait_for(re.compile(r"^❯.*question two", re.MULTILINE))
    terminal.press("enter")
    terminal.wait_for("Summarize with a focus")
    terminal.press("down")
    terminal.wait_for(re.compile(r"^\W*[❯>→].*Summarize\b", re.MULTILINE))
    terminal.press("enter")
    terminal.wait_for("Branch summary of what was left behind", 30)
    terminal.wait_for("question two")
    terminal.press("ctrl+w")
    session.ask("twice", "another answer")
    (summary,) = [entry for entry in session.entries if entry["type"] == "branch_summary"]
    assert (summary["fromId"], summary["parentId"]) == (entries[-1]["id"], target)
    assert summary["usage"]["totalTokens"] > 0 and session.bytes().startswith(before)
    sent = joined(texts_of(fake_llm.bodies()[-1]))
    assert sent.startswith("question one\n\nanswer one")
    assert sent.endswith(f"<summary>\n{summary['summary']}\n</summary>\n\nquestion twice")
    session.check_footer()
    session.check_reference()
    terminal.submit("/session")
    total = sum(usage["cost"]["total"] for one in session.entries if (usage := usage_of(one)))
    terminal.wait_for(re.compile(rf"^\W*openai/scripted.*{re.escape(cost_text(total))}", re.MULTILINE))
    session.leave()


def test_the_demo_shows_a_compaction(workspace: Workspace, pi_terminal: StartPi) -> None:
    (workspace.project / "README.md").write_text(("A line to read. " * 8 + "\n") * 100)
    terminal = pi_terminal("--demo", env={"PI_DEMO_SPEED": "20"})
    for _ in range(8):
        terminal.submit("tour")
        terminal.wait_for("esc to stop")
        screen = terminal.wait_for(
            lambda screen: "esc to stop" not in screen and "esc cancels" not in screen, 30
        )
        if "Compacted from" in screen:
            break
    assert b"Compacted" in terminal.raw
    terminal.press("ctrl+d")
    assert terminal.wait_for_exit() == 0
