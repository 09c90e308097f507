"""docs/models.md says of models.json what the program does."""

import re
from pathlib import Path

import pytest

from pi_tui.llm.catalog import load_catalog
from pi_tui.llm.compat_check import SWITCHES
from pi_tui.llm.models_file import ModelsFile
from pi_tui.llm.providers import PROVIDERS

DOCUMENT = (Path(__file__).parents[2] / "docs" / "models.md").read_text("utf-8")


@pytest.mark.parametrize("api", SWITCHES)
def test_every_switch_is_described(api: str) -> None:
    heads = "|".join(SWITCHES)
    (part,) = re.findall(rf"^`{api}`:(.*?)(?=^`(?:{heads})`:|^## )", DOCUMENT, re.DOTALL | re.MULTILINE)
    assert [switch for switch in SWITCHES[api] if f"`{switch}`" not in part] == []


def test_every_provider_is_listed_with_its_variable() -> None:
    rows = re.findall(r"\| ([\w-]+) \| `(\w+)`", DOCUMENT)
    assert dict(rows) == {provider.id: provider.key_variables[0] for provider in PROVIDERS.values()}


def test_the_example_is_right_as_it_stands(tmp_path: Path) -> None:
    example = re.search(r"```json5\n(.*?)```", DOCUMENT, re.DOTALL)
    assert example is not None
    path = tmp_path / "models.json"
    path.write_text(example[1])
    file = ModelsFile(path, {"MY_KEY": "x"})
    models = {model.ref: model for model in file.applied_to(load_catalog().models)}
    assert file.problems == []
    assert models["mine/qwen3-coder"].context_window == 131_072
    assert models["openai/gpt-5.5"].asked_service_tier == "flex"
    assert {one.base_url for one in models.values() if one.provider == "anthropic"} == {
        "https://proxy.example/v1"
    }
