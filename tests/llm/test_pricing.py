import pytest

from pi_tui.llm.messages import Usage
from pi_tui.llm.model import CostTier, ModelCost
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
