from importlib.metadata import version

import pytest

from pi_tui.llm.catalog import Catalog, load_catalog
from pi_tui.llm.messages import Usage
from pi_tui.llm.model import CostTier, Model, ModelCost
from pi_tui.llm.pricing import cost_of

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
    """By the source's own arithmetic, below and above the tiers; of the ten providers with most models."""
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
        expected = genai_prices.calc_price(given, model_ref=model.id, provider_id=theirs).total_price
        assert cost_of(usage, model.cost).total == pytest.approx(float(expected), abs=0.0001)


SOURCE_NAMES = {"xai": "x-ai"}


def chosen_models(catalog: Catalog) -> list[Model]:
    """The first models of each maker that has prices."""
    wanted = {"anthropic": 3, "openai": 4, "google": 1, "deepseek": 1, "xai": 1}
    chosen: list[Model] = []
    for provider, count in wanted.items():
        priced = [model for model in catalog.models if model.provider == provider and model.cost.output]
        chosen += priced[:count]
    return chosen
