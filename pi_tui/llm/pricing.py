"""What a response costs, from the provider's token counts and the catalog's prices."""

from msgspec import UNSET

from pi_tui.llm.messages import Cost, Usage
from pi_tui.llm.model import CostTier, ModelCost

PER_MILLION = 1_000_000
ONE_HOUR_WRITE = 2.0
"""A cache write that lasts an hour, as a multiple of the input price (Anthropic)."""


def cost_of(usage: Usage, prices: ModelCost, service_tier: str | None = None) -> Cost:
    """US dollars for one response; the highest matching tier prices the whole of it.

    Args:
        usage: What the provider counted.
        prices: Those of the model.
        service_tier: How the provider says it served the request; without prices of its own it costs the usual.
    """
    prices = prices.service_tiers.get(service_tier or "", prices)
    prompt = usage.input + usage.cache_read + usage.cache_write
    matching = [tier for tier in prices.tiers if prompt > tier.input_tokens_above]
    rates: ModelCost | CostTier = (
        max(matching, key=lambda tier: tier.input_tokens_above) if matching else prices
    )
    long_writes = 0 if usage.cache_write1h is UNSET else usage.cache_write1h
    write = (usage.cache_write - long_writes) * rates.cache_write + long_writes * rates.input * ONE_HOUR_WRITE
    cost = Cost(
        input=usage.input * rates.input / PER_MILLION,
        output=usage.output * rates.output / PER_MILLION,
        cache_read=usage.cache_read * rates.cache_read / PER_MILLION,
        cache_write=write / PER_MILLION,
    )
    cost.total = cost.input + cost.output + cost.cache_read + cost.cache_write
    return cost


def settle(usage: Usage, prices: ModelCost, service_tier: str | None = None) -> None:
    """Fills in the total and the cost of `usage` from its counts."""
    usage.total_tokens = usage.input + usage.output + usage.cache_read + usage.cache_write
    usage.cost = cost_of(usage, prices, service_tier)
