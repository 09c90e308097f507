import json
from datetime import UTC, datetime
from importlib.metadata import version
from typing import Any

import pytest

from pi_tui.llm.catalog import Catalog, load_catalog
from pi_tui.llm.messages import AssistantMessage, Usage
from pi_tui.llm.model import CostTier, Model, ModelCost
from pi_tui.llm.pricing import cost_of
from tests.support.fakellm import FakeLLM
from tests.support.responses import model_at, respond

PRICES = ModelCost(3, 15, 0.3, 3.75, [CostTier(200_000, 6, 22.5, 0.6, 7.5)])


def test_each_kind_of_token_has_its_price() -> None:
    cost = cost_of(Usage(input=1_000_000, output=1_000_000), ModelCost(3, 15, 0.3, 3.75))
    assert (cost.input, cost.output, cost.total) == (3, 15, 18)
    cost = cost_of(Usage(cache_read=1_000_000, cache_write=1_000_000), ModelCost(3, 15, 0.3, 3.75))
    assert (cost.cache_read, cost.cache_write) == (0.3, 3.75)


def test_a_tier_prices_the_whole_request_by_all_of_its_input() -> None:
    assert cost_of(Usage(input=200_000, output=1000), PRICES).input == pytest.approx(0.6)
    above = cost_of(Usage(input=100_000, cache_read=100_001, output=1_000_000), PRICES)
    assert (above.input, above.output) == (pytest.approx(0.6), 22.5)


def test_a_write_that_lasts_an_hour_costs_twice_the_input() -> None:
    usage = Usage(cache_write=1_000_000, cache_write1h=400_000)
    assert cost_of(usage, ModelCost(3, 15, 0.3, 3.75)).cache_write == pytest.approx(0.6 * 3.75 + 0.4 * 6)


@pytest.mark.parametrize("index", range(10))
def test_prices_are_those_of_the_source(index: int) -> None:
    """By the source's own arithmetic, below and above the tiers; of six providers, at their busy hours."""
    genai_prices = pytest.importorskip("genai_prices")
    catalog = load_catalog()
    if version("genai-prices") != catalog.sources["genai-prices"]:
        pytest.skip("another version of the source is installed")
    model = chosen_models(catalog)[index]
    theirs = SOURCE_NAMES.get(model.provider, model.provider)
    for prompt in (10_000, 600_000):
        usage = Usage(input=prompt * 7 // 10, cache_read=prompt * 3 // 10, output=2_000)
        given = genai_prices.Usage(
            input_tokens=prompt, cache_read_tokens=usage.cache_read, output_tokens=usage.output
        )
        expected = genai_prices.calc_price(
            given, model_ref=model.id, provider_id=theirs, genai_request_timestamp=BUSY_HOUR
        )
        assert cost_of(usage, model.cost).total == pytest.approx(float(expected.total_price), abs=0.0001)


SOURCE_NAMES = {"xai": "x-ai"}
BUSY_HOUR = datetime(2026, 11, 2, 12, tzinfo=UTC)
"""Some providers ask less at night, which we do not know of: what is shown is at most too much."""

BY_HAND = [
    ("anthropic/claude-opus-5-5", 4, 20, 0.2, 5),
    ("anthropic/claude-haiku-5-5", 0.1, 0.5, 0.01, 0.125),
    ("anthropic/claude-haiku-4-5", 1, 5, 0.1, 1.25),
    ("openai/gpt-5.5", 5, 30, 0.5, 5),
    ("openai/gpt-5-mini", 0.25, 2, 0.025, 0.25),
    ("openai/gpt-4.1", 2, 8, 0.5, 2),
    ("google/gemini-2.5-pro", 1.25, 10, 0.125, 1.25),
    ("deepseek/deepseek-v4-pro", 0.66, 1.98, 0.022, 0.66),
    ("xai/grok-4.5", 2, 6, 0.3, 2),
    ("groq/qwen/qwen3.8-27b", 0.8, 4, 0.8, 0.8),
]
"""As read in genai-prices 0.2.3: dollars a million of input, output, cache reads and writes.

Where it names no price for the cache, its tokens are input like any other.
"""


@pytest.mark.parametrize(("ref", "given", "got", "read", "write"), BY_HAND)
def test_prices_that_were_read_by_hand(ref: str, given: float, got: float, read: float, write: float) -> None:
    catalog = load_catalog()
    if catalog.sources["genai-prices"] != "0.2.3":
        pytest.skip("the catalog was made from another version of the source: read the prices anew")
    cost = next(model.cost for model in catalog.models if model.ref == ref)
    assert (cost.input, cost.output, cost.cache_read, cost.cache_write) == (given, got, read, write)


def test_a_long_context_costs_what_the_source_says() -> None:
    cost = next(model.cost for model in load_catalog().models if model.ref == "openai/gpt-5.5")
    assert cost.tiers == [CostTier(272_000, 10, 45, 1, 10)]


def chosen_models(catalog: Catalog) -> list[Model]:
    """The first models of each maker that has prices."""
    wanted = {"anthropic": 3, "openai": 3, "google": 1, "deepseek": 1, "xai": 1, "groq": 1}
    chosen: list[Model] = []
    for provider, count in wanted.items():
        priced = [model for model in catalog.models if model.provider == provider and model.cost.output]
        chosen += priced[:count]
    return chosen


def test_a_service_tier_has_prices_of_its_own_and_tiers_of_its_own() -> None:
    flex = ModelCost(1.5, 7.5, 0.15, 0, [CostTier(200_000, 3, 11.25, 0.3, 0)])
    prices = ModelCost(3, 15, 0.3, 3.75, PRICES.tiers, {"flex": flex})
    short, long = Usage(input=100_000, output=1_000_000), Usage(input=300_000, output=1_000_000)
    assert (cost_of(short, prices, "flex").output, cost_of(long, prices, "flex").output) == (7.5, 11.25)
    assert cost_of(short, prices, "default").output == 15
    assert cost_of(short, prices, None).output == 15


async def answered(fake_llm: FakeLLM, api: str, tier: str | None, **fields: Any) -> AssistantMessage:
    """What a million input tokens cost, served as the provider says."""
    if api == "openai-responses":
        response = {"status": "completed", "usage": {"input_tokens": 1_000_000, "output_tokens": 0}}
        events = [
            {"type": "response.output_text.delta", "output_index": 0, "delta": "a"},
            {"type": "response.completed", "response": {**response, "service_tier": tier}},
        ]
    else:
        delta = {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}], "service_tier": tier}
        events = [delta, {"choices": [], "usage": {"prompt_tokens": 1_000_000, "completion_tokens": 0}}]
    fake_llm.push(
        {"raw": "".join(f"data: {json.dumps(event)}\n\n" for event in [*events]) + "data: [DONE]\n\n"}
    )
    prices = ModelCost(4, 8, service_tiers={"flex": ModelCost(2, 4), "priority": ModelCost(8, 16)})
    return (await respond(model_at(fake_llm.base_url, api, cost=prices, **fields))).message


@pytest.mark.parametrize("api", ["openai-completions", "openai-responses"])
@pytest.mark.parametrize(("tier", "dollars"), [(None, 4), ("default", 4), ("flex", 2), ("priority", 8)])
async def test_the_tier_that_was_served_is_what_is_paid(
    fake_llm: FakeLLM, api: str, tier: str | None, dollars: int
) -> None:
    assert (await answered(fake_llm, api, tier)).usage.cost.total == dollars


@pytest.mark.parametrize("api", ["openai-completions", "openai-responses"])
async def test_a_tier_that_was_asked_for_counts_where_the_answer_names_none(
    fake_llm: FakeLLM, api: str
) -> None:
    asked = {"service_tier": "flex"}
    assert (await answered(fake_llm, api, None, sampling_params=asked)).usage.cost.total == 2
    assert fake_llm.bodies()[0]["service_tier"] == "flex"
    # Busy servers serve as usual what was to be served with priority, and say so.
    assert (await answered(fake_llm, api, "default", sampling_params=asked)).usage.cost.total == 4


@pytest.mark.parametrize(
    ("prices", "dollars"), [(ModelCost(), 0.0123), (ModelCost(10, 10), 30 / 1_000_000 * 10)]
)
async def test_what_a_gateway_charges_counts_where_no_price_is_known(
    fake_llm: FakeLLM, prices: ModelCost, dollars: float
) -> None:
    usage = {"prompt_tokens": 10, "completion_tokens": 20, "cost": 0.0123}
    events = [
        {"choices": [{"delta": {"content": "a"}, "finish_reason": "stop"}]},
        {"choices": [], "usage": usage},
    ]
    fake_llm.push({"raw": "".join(f"data: {json.dumps(event)}\n\n" for event in events) + "data: [DONE]\n\n"})
    message = (await respond(model_at(fake_llm.base_url, "openai-completions", cost=prices))).message
    assert message.usage.cost.total == pytest.approx(dollars)
