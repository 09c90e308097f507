"""What a session costs is the sum of everything that was paid for in it."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from msgspec import structs

from pi_tui.llm.model import CostTier, ModelCost
from pi_tui.runtime.branch_summary import summarise_branch
from pi_tui.runtime.navigation import destination, move_to
from pi_tui.runtime.session import Session
from pi_tui.session.log import SessionLog
from pi_tui.session.totals import SessionTotals
from pi_tui.tui.footer import cost_text
from tests.support.compacted import SUMMARY
from tests.support.fakellm import FakeLLM
from tests.support.live_session import open_live, retry_at_once, use

PRICES = ModelCost(3, 15, 0.3, 3.75, [CostTier(200_000, 6, 22.5, 0.6, 7.5)])
KINDS = ("input", "output", "cache_read", "cache_write")


def paid(**usage: int) -> Decimal:
    """Dollars by the list above, without floating point."""
    long = usage.get("input", 0) + usage.get("cache_read", 0) + usage.get("cache_write", 0) > 200_000
    rates = ("6", "22.5", "0.6", "7.5") if long else ("3", "15", "0.3", "3.75")
    parts = (usage.get(kind, 0) * Decimal(rate) for kind, rate in zip(KINDS, rates, strict=True))
    return sum(parts, Decimal(0)) / 1_000_000


def totals(log: SessionLog) -> SessionTotals:
    counted = SessionTotals(log)
    for _ in counted.update():
        pass
    return counted


async def ask(session: Session, provider: str, prompt: str) -> None:
    use(session, provider)
    assert session.model is not None
    session.model = structs.replace(session.model, cost=PRICES, context_window=1_000_000)
    await session.prompt(prompt)


async def test_summaries_branches_retries_and_tiers_add_up(fake_llm: FakeLLM, tmp_path: Path) -> None:
    by_provider: dict[str, list[dict[str, int]]] = {
        "openai": [
            {"input": 1_001, "output": 77, "cache_read": 4_321},
            {"input": 250_000, "output": 3},
            {"input": 1_234, "output": 555},
        ],
        "anthropic": [
            {"input": 12, "output": 3_456, "cache_read": 40_001, "cache_write": 789},
            # Of an answer that broke off: the provider counts what it read, and a first token.
            {"input": 4_444, "output": 1},
            {"input": 7, "output": 31},
        ],
        "responses": [{"input": 98, "output": 76, "cache_read": 54, "cache_write": 32}],
    }
    openai, anthropic, responses = by_provider.values()
    session = open_live(fake_llm, tmp_path)
    retry_at_once(session)
    answers: list[dict[str, Any]] = [
        {"error": "overloaded"},
        {"text": "one", "usage": openai[0]},
        {"text": "long", "usage": openai[1]},
        {"text": "two", "usage": anthropic[0]},
        {"text": "cut off", "usage": anthropic[1], "sse_error_after": 0},
        {"text": "three", "usage": anthropic[2]},
        {"text": "four", "usage": responses[0]},
        {"text": SUMMARY, "usage": openai[2]},
    ]
    fake_llm.push(*answers)
    await ask(session, "openai", "first")
    await ask(session, "openai", "a long one")
    await ask(session, "anthropic", "second")
    await ask(session, "anthropic", "third")
    await ask(session, "responses", "fourth")
    use(session, "openai")
    assert session.model is not None
    session.model = structs.replace(session.model, cost=PRICES)
    target = next(one for one in session.log.entry_ids if session.log.role(one) == "user")
    move_to(session, target, await summarise_branch(session, destination(session.log, target).leaf_id, ""))
    again = SessionLog.open(session.log.path, read_only=True)  # type: ignore[arg-type]
    for counted in (totals(session.log), totals(again)):
        for provider, usages in by_provider.items():
            expected = sum((paid(**usage) for usage in usages), Decimal(0))
            found = counted.per_model[f"{provider}/scripted"]
            assert found.cost.total == pytest.approx(float(expected), abs=1e-9), provider
            assert [getattr(found, kind) for kind in KINDS] == [
                sum(usage.get(kind, 0) for usage in usages) for kind in KINDS
            ]
        everything = sum((paid(**usage) for usages in by_provider.values() for usage in usages), Decimal(0))
        assert counted.usage.cost.total == pytest.approx(float(everything), abs=1e-9)
        assert cost_text(counted.usage.cost.total) == f"${everything:.2f}"
    again.close()
    session.close()


async def test_a_compaction_is_paid_for_once(fake_llm: FakeLLM, tmp_path: Path) -> None:
    usage = {"input": 2_000, "output": 100}
    summary = {"input": 60_000, "output": 900, "cache_read": 1_000}
    fake_llm.script(
        {
            "rules": [
                {
                    "when": {"system_contains": "write summaries of conversations"},
                    "text": SUMMARY,
                    "usage": summary,
                }
            ],
            "default": {"text": "word " * 300, "usage": usage},
        }
    )
    session = open_live(fake_llm, tmp_path, compaction={"keepRecentTokens": 50})
    for number in range(4):
        await ask(session, "openai", f"prompt {number} " + "word " * 300)
    await session.compact("")
    requests = fake_llm.requests()
    summaries = [one for one in requests if "summaries of conversations" in str(one["body"]["messages"][0])]
    assert (len(requests) - len(summaries), len(summaries) > 0) == (4, True)
    expected = 4 * paid(**usage) + len(summaries) * paid(**summary)
    assert totals(session.log).usage.cost.total == pytest.approx(float(expected), abs=1e-9)
    session.close()
