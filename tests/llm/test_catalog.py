"""The models that are known without configuration."""

import json
import re
from pathlib import Path

import pytest

from pi_tui.llm.catalog import load_catalog
from pi_tui.llm.compat_check import check
from pi_tui.llm.messages import UserMessage
from pi_tui.llm.model import Model
from pi_tui.llm.providers import PROVIDERS
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires.openai_request import request_body

CATALOG = load_catalog()
MODELS = {model.ref: model for model in CATALOG.models}
OVERRIDES = Path(__file__).parents[2] / "scripts" / "catalog_overrides.json"


def test_it_is_dated_and_names_its_sources() -> None:
    assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", CATALOG.made)
    assert {"genai-prices", "litellm"} == set(CATALOG.sources)


def test_every_provider_has_models_and_each_of_them_makes_sense() -> None:
    assert {model.provider for model in CATALOG.models} == set(PROVIDERS)
    for model in CATALOG.models:
        assert 0 < model.max_tokens <= model.context_window, model.ref
        assert model.levels, model.ref
        assert model.api == PROVIDERS[model.provider].api
        assert check(model.compat, model.api)[1] == {}, model.ref
        cost = model.cost
        assert min(cost.input, cost.output, cost.cache_read, cost.cache_write) >= 0
        assert cost.cache_read <= cost.input or not cost.input, model.ref


@pytest.mark.parametrize(
    ("ref", "levels", "asked", "sent"),
    [
        ("groq/openai/gpt-oss-120b", ("low", "medium", "high"), "minimal", "low"),
        ("groq/qwen/qwen3.8-27b", ("off", "medium"), "high", "default"),
        ("groq/qwen/qwen3.8-27b", ("off", "medium"), "off", "none"),
        ("cerebras/gpt-oss-120b", ("low", "medium", "high"), "off", "low"),
        ("mistral/mistral-medium-3-5", ("off", "high"), "xhigh", "high"),
        ("mistral/mistral-medium-3-5", ("off", "high"), "off", "none"),
        ("google/gemini-2.5-flash", ("off", "minimal", "low", "medium", "high"), "off", "none"),
        ("google/gemini-2.5-pro", ("minimal", "low", "medium", "high"), "off", "minimal"),
        ("moonshotai/kimi-k3", ("low", "high", "max"), "medium", "low"),
    ],
)
def test_a_model_is_asked_for_levels_it_knows_only(
    ref: str, levels: tuple[str, ...], asked: str, sent: str
) -> None:
    model = MODELS[ref]
    assert model.levels == levels
    body = request_body(model, Context("", [UserMessage("a")]), StreamOptions(thinking_level=asked))  # type: ignore[arg-type]
    assert body["reasoning_effort"] == sent


def test_where_thinking_is_on_or_off_there_are_two_levels() -> None:
    model = MODELS["zai/glm-5.3"]
    assert model.levels == ("off", "medium")
    body = request_body(model, Context("", [UserMessage("a")]), StreamOptions(thinking_level="high"))
    assert (body["thinking"], "reasoning_effort" in body) == ({"type": "enabled"}, False)


def test_every_override_says_where_it_is_from_and_is_in_the_catalog() -> None:
    for override in json.loads(OVERRIDES.read_text("utf-8")):
        assert override["source"].startswith("https://")
        meant = [model for model in CATALOG.models if _meant(override, model)]
        assert meant, f"{override['models']} means no model any more"


def _meant(override: dict, model: Model) -> bool:
    if model.provider not in override["providers"] or not re.search(override["models"], model.id):
        return False
    return all(
        model.thinking_level_map.get(level, "") in (name, None)
        for level, name in override["set"].get("thinkingLevelMap", {}).items()
    ) and all(model.compat.get(name) == value for name, value in override["set"].get("compat", {}).items())


def test_prices_in_steps_are_tiers() -> None:
    cost = MODELS["alibaba/qwen3-coder-plus"].cost
    assert (cost.input, cost.output) == (1, 5)
    assert [(tier.input_tokens_above, tier.input, tier.output) for tier in cost.tiers] == [
        (32_000, 1.8, 9),
        (128_000, 3, 15),
        (256_000, 6, 60),
    ]
