import json
import subprocess
import sys
from pathlib import Path

import pytest

from pi_tui.llm.choosing import UnknownModel
from pi_tui.llm.model import Model
from pi_tui.llm.registry import ModelRegistry

MINE = {
    "mine": {
        "baseUrl": "https://models.example/v1",
        "api": "openai-completions",
        "apiKey": "$MINE_KEY",
        "models": [{"id": "qwen3:8b", "name": "Qwen"}, {"id": "high:low"}],
    }
}


def load(path: Path, environ: dict[str, str] | None = None, **options: object) -> ModelRegistry:
    (path / "models.json").write_text(json.dumps({"providers": options.pop("providers", MINE)}))
    return ModelRegistry.load(path, environ or {}, **options)  # type: ignore[arg-type]


def test_the_catalog_knows_the_usual_providers(tmp_path: Path) -> None:
    providers = {model.provider for model in load(tmp_path).models}
    assert providers >= {
        "anthropic",
        "openai",
        "google",
        "deepseek",
        "xai",
        "groq",
        "mistral",
        "openrouter",
        "demo",
    }


def test_catalog_models_are_complete(tmp_path: Path) -> None:
    for model in load(tmp_path, providers={}).models:
        assert model.name
        assert model.api in ("anthropic-messages", "openai-completions", "openai-responses", "demo")
        assert model.api == "demo" or model.base_url.startswith("https://")
        assert 0 < model.max_tokens <= model.context_window
        assert model.clamp("high") in model.levels


def test_without_a_key_only_the_demo_can_be_reached(tmp_path: Path) -> None:
    registry = load(tmp_path)
    assert [model.ref for model in registry.available()] == ["demo/tour", "demo/endless"]
    assert registry.default(None, None) is None


def test_keys_come_from_option_then_file_then_models_json_then_environment(tmp_path: Path) -> None:
    environ = {"MINE_KEY": "models.json", "ANTHROPIC_AUTH_TOKEN": "late", "ANTHROPIC_API_KEY": "environment"}
    registry = load(tmp_path, environ)
    mine, claude = registry.resolve("mine/qwen3:8b")[0], registry.resolve("anthropic/opus")[0]
    assert (registry.key_for(mine), registry.key_for(claude)) == ("models.json", "environment")
    registry.credentials.store("mine", "auth.json")
    assert registry.key_for(mine) == "auth.json"
    override = load(tmp_path, environ, api_key="option")
    assert override.key_for(override.resolve("mine/qwen3:8b")[0]) == "option"


def test_the_key_of_the_option_goes_to_the_chosen_provider_alone(tmp_path: Path) -> None:
    registry = load(tmp_path, {"OPENAI_API_KEY": "environment"}, api_key="option")
    claude = registry.resolve("anthropic/opus")[0]
    gpt = registry.resolve("openai/gpt")[0]
    assert (registry.key_for(claude), registry.key_for(gpt)) == ("option", "environment")
    assert registry.key_for(registry.resolve("mine/qwen3:8b")[0]) is None


def test_the_default_is_the_settings_model_if_it_can_be_reached(tmp_path: Path) -> None:
    registry = load(tmp_path, {"OPENAI_API_KEY": "k", "MINE_KEY": "k"})
    chosen = registry.default("mine", "qwen3:8b")
    assert chosen is not None
    assert chosen.ref == "mine/qwen3:8b"
    other = registry.default("anthropic", "claude-x")
    assert other is not None
    assert other.provider == "openai"


def test_the_default_of_a_provider_is_one_of_its_newest(tmp_path: Path) -> None:
    for variable, start in (
        ("ANTHROPIC_API_KEY", "claude-"),
        ("OPENAI_API_KEY", "gpt-"),
        ("GEMINI_API_KEY", "gemini-"),
    ):
        model = load(tmp_path, {variable: "k"}).default(None, None)
        assert model is not None
        assert model.id.startswith(start)
        assert model.reasoning


def test_ids_with_colons_and_levels(tmp_path: Path) -> None:
    registry = load(tmp_path, {"MINE_KEY": "k"})
    assert [(model.id, level) for model, level in map(registry.resolve, (
        "qwen3:8b", "qwen3:8b:high", "mine/qwen3:8b", "QWEN", "high:low", "high:low:max", "qwen:off",
    ))] == [
        ("qwen3:8b", None), ("qwen3:8b", "high"), ("qwen3:8b", None), ("qwen3:8b", None),
        ("high:low", None), ("high:low", "max"), ("qwen3:8b", "off"),
    ]  # fmt: skip


def test_a_model_that_can_be_reached_wins(tmp_path: Path) -> None:
    keyless = load(tmp_path, {"OPENROUTER_API_KEY": "k"})
    assert keyless.resolve("sonnet")[0].provider == "openrouter"
    both = load(tmp_path, {"OPENROUTER_API_KEY": "k", "ANTHROPIC_API_KEY": "k"})
    assert both.resolve("sonnet")[0].provider == "anthropic"
    assert both.resolve("sonnet", "openrouter")[0].provider == "openrouter"


def test_several_providers_without_a_key_are_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match=r"several providers.*anthropic/claude-sonnet"):
        load(tmp_path).resolve("sonnet")


@pytest.mark.parametrize(
    ("pattern", "hint"),
    [
        ("qwen3:9b", "mine/qwen3:8b"),
        ("qwen:hihg", "off, minimal"),
        ("", "No model matches ''"),
        ("zzz", "--list-models"),
    ],
)
def test_a_pattern_without_match_gets_a_hint(tmp_path: Path, pattern: str, hint: str) -> None:
    with pytest.raises(UnknownModel) as caught:
        load(tmp_path).resolve(pattern)
    assert hint in str(caught.value)


def test_an_unknown_provider_is_named(tmp_path: Path) -> None:
    with pytest.raises(UnknownModel, match="'nobody'"):
        load(tmp_path).resolve("x", "nobody")


def test_servers_on_this_machine_need_no_key(tmp_path: Path) -> None:
    registry = load(tmp_path)
    local = Model(id="q", provider="ollama", api="openai-completions", base_url="http://127.0.0.1:11434/v1")
    registry.local([local, local])
    assert local in registry.available()
    assert registry.default(None, None) == local
    assert registry.find("ollama", "q") == local


def test_a_server_that_is_gone_offers_nothing_any_more(tmp_path: Path) -> None:
    registry = load(tmp_path)
    before = len(registry.models)
    one, other = (
        Model(id=name, provider="ollama", api="openai-completions", base_url="http://127.0.0.1:11434/v1")
        for name in ("one", "other")
    )
    registry.local([one])
    registry.local([other])
    assert (registry.find("ollama", "one"), registry.find("ollama", "other")) == (None, other)
    registry.local([])
    assert len(registry.models) == before


def test_what_the_user_wrote_about_a_local_model_stays(tmp_path: Path) -> None:
    own = {
        "ollama": {
            "baseUrl": "http://localhost:11434/v1",
            "api": "openai-completions",
            "models": [{"id": "q"}],
        }
    }
    registry = load(tmp_path, providers=own)
    registry.local([Model(id="q", provider="ollama", api="openai-completions", name="found")])
    found = registry.find("ollama", "q")
    assert found is not None
    assert found.name == "q"


def test_a_header_can_do_the_work_of_a_key(tmp_path: Path) -> None:
    headers = {"X-Api-Key": "!echo from-command"}
    entry = {**MINE["mine"], "headers": headers}
    registry = load(tmp_path, providers={"mine": {**entry, "apiKey": None}})
    model = registry.resolve("mine/qwen3:8b")[0]
    assert not registry.needs_key(model)
    assert registry.headers_for(model) == {"X-Api-Key": "from-command"}


def test_problems_of_both_files_are_gathered(tmp_path: Path) -> None:
    (tmp_path / "auth.json").write_text("{")
    (tmp_path / "models.json").write_text("{")
    registry = ModelRegistry.load(tmp_path, {})
    assert {Path(problem.file).name for problem in registry.problems} == {"auth.json", "models.json"}
    assert len(registry.models) > 100


def test_loading_imports_nothing_heavy() -> None:
    code = (
        "import sys; from pathlib import Path; from pi_tui.llm.registry import ModelRegistry;"
        "ModelRegistry.load(Path('/nonexistent'), {});"
        "heavy = {'openai', 'anthropic', 'pydantic', 'httpx2', 'genai_prices', 'json5', 'subprocess'};"
        "print(sorted(heavy & set(sys.modules)))"
    )
    root = Path(__file__).parents[2]
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
