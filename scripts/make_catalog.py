"""Makes `pi_tui/llm/data/catalog.json` from two public, maintained tables (facts only, both MIT).

    python scripts/make_catalog.py path/to/model_prices_and_context_window_backup.json VERSION

The file is in the litellm wheel of that VERSION: `pip download --no-deps litellm`, then unzip it. It says
what models can do; names and prices come from the installed `genai-prices`. A model is listed if it can
call tools, is served over chat completions or Anthropic messages, and is not past its end. What neither table
knows is in `catalog_overrides.json` beside this script, with where it is written.
"""

import json
import re
import sys
from datetime import UTC, date, datetime, time
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec
from genai_prices.data import providers as price_providers
from genai_prices.types import ModelInfo, ModelPrice, TieredPrices
from msgspec import structs

from pi_tui.llm.catalog import CATALOG_FILE, Catalog
from pi_tui.llm.model import THINKING_LEVELS, CostTier, Model, ModelCost
from pi_tui.llm.providers import PROVIDERS, Provider

Facts = dict[str, Any]

BUSY_HOUR = time(12)
"""Some providers ask less at night; a price that is shown is not to be too low."""

# our provider: litellm's, prefix of its ids there, genai-prices'
TABLES = {
    "anthropic": ("anthropic", "", "anthropic"),
    "openai": ("openai", "", "openai"),
    "google": ("gemini", "gemini/", "google"),
    "deepseek": ("deepseek", "deepseek/", "deepseek"),
    "xai": ("xai", "xai/", "x-ai"),
    "groq": ("groq", "groq/", "groq"),
    "mistral": ("mistral", "mistral/", "mistral"),
    "moonshotai": ("moonshot", "moonshot/", "moonshotai"),
    "zai": ("zai", "zai/", "zai"),
    "cerebras": ("cerebras", "cerebras/", "cerebras"),
    "together": ("together_ai", "together_ai/", "together"),
    "fireworks": ("fireworks_ai", "fireworks_ai/", "fireworks"),
    "baseten": ("baseten", "baseten/", "baseten"),
    "alibaba": ("dashscope", "dashscope/", None),
    "xiaomi": ("xiaomi_mimo", "xiaomi_mimo/", None),
    "minimax": ("minimax", "minimax/", "minimax"),
    "vercel-ai-gateway": ("vercel_ai_gateway", "vercel_ai_gateway/", None),
}
DATED = re.compile(r"-(20\d{2}-?\d{2}-?\d{2}|\d{4}|latest)$")
TIER = re.compile(r"input_cost_per_token_above_(\d+)k_tokens")
SERVICE_TIERS = ("flex", "priority")
NOT_FOR_AGENTS = re.compile(
    r"audio|realtime|image|tts|search|deep-research|robotics|voxtral|guard|embed|^ft:|moderation|:batch$"
)
FOREIGN = re.compile(r"zai-|glm-|deepseek-v|gemma-|accounts/")
"""Names of what Mistral and Google host beside their own flagships."""
MAKERS = ("anthropic/", "openai/", "google/")
"""Whose models OpenRouter is mostly used for."""
MILLION = 1_000_000
OVERRIDES = Path(__file__).with_name("catalog_overrides.json")


def main() -> None:
    table: dict[str, Facts] = json.loads(Path(sys.argv[1]).read_text("utf-8"))
    priced = {provider.id: provider.models for provider in price_providers}
    models: list[Model] = []
    for provider_id, (source, prefix, price_id) in TABLES.items():
        models += provider_models(
            PROVIDERS[provider_id], table, source, prefix, priced.get(price_id or "", [])
        )
    models += openrouter_models(PROVIDERS["openrouter"], table, priced["openrouter"])
    models = [overridden(model) for model in models]
    order = list(PROVIDERS)
    models.sort(key=lambda model: order.index(model.provider))
    made = date.today().isoformat()
    sources = {"genai-prices": version("genai-prices"), "litellm": sys.argv[2]}
    data = msgspec.to_builtins(Catalog(made, sources, models))
    data["models"] = [compact(model) for model in data["models"]]
    rows = ",\n".join(
        json.dumps(model, ensure_ascii=False, separators=(",", ":")) for model in data["models"]
    )
    head = json.dumps({"made": made, "sources": sources})[:-1]
    CATALOG_FILE.parent.mkdir(exist_ok=True)
    CATALOG_FILE.write_text(f'{head}, "models": [\n{rows}\n]}}\n', "utf-8")
    print(f"{len(models)} models of {len({model.provider for model in models})} providers")


def provider_models(
    provider: Provider, table: dict[str, Facts], source: str, prefix: str, prices: list[ModelInfo]
) -> list[Model]:
    found: dict[str, Facts] = {}
    for key, facts in table.items():
        if facts.get("litellm_provider") != source or (prefix and not key.startswith(prefix)):
            continue
        model_id = key.removeprefix(prefix)
        if usable(model_id, facts):
            found[model_id] = facts
    # A dated name beside the plain one is the same model twice.
    kept = {
        one: facts
        for one, facts in found.items()
        if DATED.sub("", one) == one or DATED.sub("", one) not in found
    }
    return [
        model_of(provider, model_id, facts, next((row for row in prices if row.is_match(model_id)), None))
        for model_id, facts in sorted(kept.items(), key=lambda item: rank(*item), reverse=True)
    ]


def openrouter_models(provider: Provider, table: dict[str, Facts], prices: list[ModelInfo]) -> list[Model]:
    """OpenRouter's models are listed in genai-prices; what each can do is found under its maker's name."""
    makers: dict[str, Facts] = {}
    for key, facts in table.items():
        if facts.get("mode") == "chat" and facts.get("supports_function_calling"):
            makers.setdefault(plain(key), facts)
    found: list[tuple[Any, Model]] = []
    for row in prices:
        known = makers.get(plain(row.id))
        usual = not row.id.startswith("~") and row.context_window and not row.deprecated
        if known is not None and usual and usable(row.id, known):
            maker = next(
                (-place for place, prefix in enumerate(MAKERS) if row.id.startswith(prefix)), -len(MAKERS)
            )
            found.append(
                ((maker, rank(row.id.split("/")[-1], known)), model_of(provider, row.id, known, row))
            )
    return [model for _, model in sorted(found, key=lambda item: item[0], reverse=True)]


def plain(model_id: str) -> str:
    return (
        DATED.sub("", model_id.rsplit("/", maxsplit=1)[-1].split(":", maxsplit=1)[0].lower())
        .replace(".", "-")
        .replace("_", "-")
    )


def usable(model_id: str, facts: Facts) -> bool:
    chats = facts.get("mode") == "chat" and "/v1/chat/completions" in facts.get(
        "supported_endpoints", ["/v1/chat/completions"]
    )
    ended = facts.get("deprecation_date", "9999") <= date.today().isoformat()
    return bool(
        chats
        and not ended
        and facts.get("supports_function_calling")
        and not NOT_FOR_AGENTS.search(model_id.lower())
    )


def rank(model_id: str, facts: Facts) -> tuple[bool, float, float, str]:
    """Newer and larger models first: the provider's own, by the version in the name, by price."""
    own = not FOREIGN.match(model_id)
    return (own, version_of(model_id), facts.get("output_cost_per_token") or 0, model_id)


def version_of(model_id: str) -> float:
    """`claude-opus-4-5` → 4.5, `gpt-5.4-mini` → 5.4, `grok-4` → 4."""
    found = re.search(r"(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d]|[bB]\b)", model_id)
    return float(f"{found[1]}.{found[2] or 0}") if found else 0.0


def model_of(provider: Provider, model_id: str, facts: Facts, row: ModelInfo | None) -> Model:
    window = (
        facts.get("max_input_tokens") or facts.get("max_tokens") or (row and row.context_window) or 128_000
    )
    if provider.id == "openrouter" and row is not None and row.context_window:
        window = row.context_window
    cost = (price_of(row) if row is not None else None) or listed_price(facts)
    output = min(facts.get("max_output_tokens") or facts.get("max_tokens") or 16_384, window)
    return Model(
        id=model_id,
        provider=provider.id,
        api=provider.api,
        name=(row and row.name) or model_id,
        base_url=provider.base_url,
        reasoning=bool(facts.get("supports_reasoning")),
        input=("text", "image") if facts.get("supports_vision") else ("text",),
        context_window=int(window),
        max_tokens=int(output),
        # What a gateway asks for them is another matter.
        cost=cost if provider.id == "openrouter" else with_service_tiers(cost, facts),
        compat=compat_of(provider, facts),
        thinking_level_map=levels_of(provider, facts),
    )


def overridden(model: Model) -> Model:
    """A model with what the overrides say of it; only of those that think is anything said."""
    for override in json.loads(OVERRIDES.read_text("utf-8")):
        fits = model.provider in override["providers"] and re.search(override["models"], model.id)
        if model.reasoning and fits:
            given = override["set"]
            model = structs.replace(
                model,
                thinking_level_map={**model.thinking_level_map, **given.get("thinkingLevelMap", {})},
                compat={**model.compat, **given.get("compat", {})},
            )
    return model


def levels_of(provider: Provider, facts: Facts) -> dict[str, str | None]:
    """Only what differs from the rule "off to high, as they are named"."""
    if not facts.get("supports_reasoning") or provider.id == "openrouter":
        # OpenRouter itself takes the nearest level its provider knows.
        return {}
    levels: dict[str, str | None] = {}
    if efforts := facts.get("reasoning_effort_levels"):
        names = {level: "none" if level == "off" else level for level in THINKING_LEVELS}
        levels = {level: name if name in efforts else None for level, name in names.items()}
        return {level: name for level, name in levels.items() if says_more(level, name)}
    if provider.id == "openai":
        levels["off"] = "none" if facts.get("supports_none_reasoning_effort") else None
        if not facts.get("supports_minimal_reasoning_effort"):
            levels["minimal"] = None
    elif facts.get("thinking_always_on"):
        levels["off"] = None
    if facts.get("supports_adaptive_thinking") or facts.get("supports_minimal_reasoning_effort") is False:
        levels["minimal"] = None
    for level in ("xhigh", "max"):
        if facts.get(f"supports_{level}_reasoning_effort") and provider.id in ("anthropic", "openai"):
            levels[level] = level
    return {level: levels[level] for level in THINKING_LEVELS if level in levels}


def says_more(level: str, name: str | None) -> bool:
    """Whether a name for a level is another than it has where nothing is said."""
    if level == "off":
        return True
    return name != (None if level in ("xhigh", "max") else level)


def compat_of(provider: Provider, facts: Facts) -> Facts:
    if provider.id != "anthropic":
        return {}
    compat: Facts = {}
    if facts.get("supports_adaptive_thinking"):
        compat["forceAdaptiveThinking"] = True
    if facts.get("supports_sampling_params") is False:
        compat["supportsTemperature"] = False
    return compat


def price_of(row: ModelInfo) -> ModelCost | None:
    prices = row.get_prices(datetime.combine(date.today(), BUSY_HOUR, UTC))
    if prices.input_mtok is None or prices.output_mtok is None:
        return None

    def rates(start: int | None = None) -> Facts:
        """Where the source has no price for the cache, its tokens cost what all input costs."""
        given = {name: getattr(prices, field) for name, field in PRICE_FIELDS.items()}
        return {
            name: at(prices.input_mtok if price is None and "cache" in name else price, start)
            for name, price in given.items()
        }

    cost = ModelCost(**rates())
    for start in sorted({tier.start for price in all_prices(prices) for tier in price.tiers}):
        cost.tiers.append(CostTier(input_tokens_above=start, **rates(start)))
    return cost


PRICE_FIELDS = {
    "input": "input_mtok",
    "output": "output_mtok",
    "cache_read": "cache_read_mtok",
    "cache_write": "cache_write_mtok",
}


def all_prices(prices: ModelPrice) -> list[TieredPrices]:
    found = [getattr(prices, field) for field in PRICE_FIELDS.values()]
    return [price for price in found if isinstance(price, TieredPrices)]


def at(price: Any, start: int | None) -> float:
    """The price of a request with that much input; the usual one for None."""
    if not isinstance(price, TieredPrices):
        return float(price or 0)
    reached = [tier.price for tier in price.tiers if start is not None and tier.start <= start]
    return float(reached[-1] if reached else price.base)


TABLE_FIELDS = {
    "input": "input_cost_per_token",
    "output": "output_cost_per_token",
    "cache_read": "cache_read_input_token_cost",
    "cache_write": "cache_creation_input_token_cost",
}


def listed_price(facts: Facts, service_tier: str = "") -> ModelCost:
    """Prices of the table itself; of a service tier where one is named."""
    facts = in_steps(facts)
    ending = f"_{service_tier}" if service_tier else ""

    def rates(suffix: str = "") -> dict[str, Any]:
        found = {
            name: next(
                (
                    price
                    for end in (suffix + ending, ending, "")
                    if (price := facts.get(field + end)) is not None
                ),
                None,
            )
            for name, field in TABLE_FIELDS.items()
        }
        return {
            name: round(((found["input"] if price is None else price) or 0) * MILLION, 6)
            for name, price in found.items()
        }

    cost = ModelCost(**rates())
    tiers = (TIER.fullmatch(key.removesuffix(ending)) for key in facts if key.endswith(ending))
    for thousands in sorted({int(found[1]) for found in tiers if found}):
        tier = rates(f"_above_{thousands}k_tokens")
        cost.tiers.append(CostTier(input_tokens_above=thousands * 1000, **tier))
    return cost


def in_steps(facts: Facts) -> Facts:
    """Facts whose prices are listed by ranges of input, in the form of the others."""
    steps = facts.get("tiered_pricing") or []
    flat = dict(facts)
    for step in steps:
        start = step.get("range", [0])[0]
        suffix = f"_above_{int(start / 1000)}k_tokens" if start else ""
        flat |= {f"{field}{suffix}": step[field] for field in TABLE_FIELDS.values() if field in step}
    return flat


def with_service_tiers(cost: ModelCost, facts: Facts) -> ModelCost:
    """The same with the prices of service tiers, where both tables agree on the usual ones."""
    usual = listed_price(facts)
    if (usual.input, usual.output) == (cost.input, cost.output):
        cost.service_tiers = {
            name: listed_price(facts, name)
            for name in SERVICE_TIERS
            if facts.get(f"input_cost_per_token_{name}") and facts.get(f"output_cost_per_token_{name}")
        }
    return cost


def compact(model: Facts) -> Facts:
    """Without what is the default anyway."""
    defaults = msgspec.to_builtins(Model(id="", provider="", api=""))
    kept = {key: value for key, value in model.items() if value != defaults[key]}
    if "cost" in kept:
        kept["cost"] = compact_cost(kept["cost"])
    return kept


def compact_cost(cost: Facts) -> Facts:
    kept = {key: value for key, value in cost.items() if value}
    if "serviceTiers" in kept:
        kept["serviceTiers"] = {name: compact_cost(prices) for name, prices in kept["serviceTiers"].items()}
    return kept


if __name__ == "__main__":
    main()
