import json
from pathlib import Path

import pytest

from pi_tui.llm.model import Model, ModelCost
from pi_tui.llm.models_file import ModelsFile

KNOWN = [
    Model(
        id="claude",
        provider="anthropic",
        api="anthropic-messages",
        base_url="https://api.anthropic.com",
        cost=ModelCost(3, 15, 0.3, 3.75),
        compat={"supportsTemperature": False},
    ),
    Model(id="gpt", provider="openai", api="openai-completions", base_url="https://api.openai.com/v1"),
]


class Loaded:
    def __init__(self, path: Path, content: object, **environ: str) -> None:
        file = path / "models.json"
        file.write_text(content if isinstance(content, str) else json.dumps(content))
        self.file = ModelsFile(file, environ)
        self.models = {model.ref: model for model in self.file.applied_to(KNOWN)}
        self.problems = [(one.line, one.field, one.message) for one in self.file.problems]


def test_no_file_changes_nothing(tmp_path: Path) -> None:
    file = ModelsFile(tmp_path / "models.json", {})
    assert file.applied_to(KNOWN) == KNOWN
    assert file.problems == []


def test_a_provider_of_ones_own(tmp_path: Path) -> None:
    loaded = Loaded(
        tmp_path,
        {
            "providers": {
                "ollama": {
                    "baseUrl": "http://localhost:11434/v1",
                    "api": "openai-completions",
                    "apiKey": "ollama",
                    "headers": {"X-A": "1"},
                    "compat": {"supportsStore": False},
                    "authHeader": True,
                    "models": [
                        {"id": "qwen3:8b"},
                        {
                            "id": "big",
                            "name": "Big",
                            "api": "anthropic-messages",
                            "baseUrl": "http://localhost:1/v1",
                            "reasoning": True,
                            "thinkingLevelMap": {"off": None, "high": "HIGH"},
                            "input": ["text", "image"],
                            "contextWindow": 200000,
                            "maxTokens": 64000,
                            "cost": {"input": 1, "output": 2, "cacheRead": 0.1, "cacheWrite": 0.2},
                            "headers": {"X-B": "2"},
                            "compat": {"supportsTemperature": True},
                            "samplingParams": {"top_k": 3},
                        },
                    ],
                }
            }
        },
    )
    assert loaded.problems == []
    assert loaded.file.keys == {"ollama": "ollama"}
    small = loaded.models["ollama/qwen3:8b"]
    assert (small.name, small.context_window, small.max_tokens, small.input) == (
        "qwen3:8b",
        128_000,
        16_384,
        ("text",),
    )
    assert (small.auth_header, small.headers, small.compat) == (True, {"X-A": "1"}, {"supportsStore": False})
    big = loaded.models["ollama/big"]
    assert (big.api, big.base_url, big.reasoning, big.takes_images) == (
        "anthropic-messages", "http://localhost:1/v1", True, True,
    )  # fmt: skip
    assert (big.context_window, big.max_tokens, big.cost) == (200_000, 64_000, ModelCost(1, 2, 0.1, 0.2))
    assert (big.headers, big.compat) == (
        {"X-A": "1", "X-B": "2"},
        {"supportsStore": False, "supportsTemperature": True},
    )
    assert (big.thinking_level_map, big.sampling_params) == ({"off": None, "high": "HIGH"}, {"top_k": 3})


def test_a_known_provider_can_be_sent_elsewhere(tmp_path: Path) -> None:
    loaded = Loaded(
        tmp_path,
        {
            "providers": {
                "anthropic": {"baseUrl": "http://127.0.0.1:9/v1", "compat": {"allowEmptySignature": True}}
            }
        },
    )
    claude = loaded.models["anthropic/claude"]
    assert (claude.base_url, claude.compat, claude.cost.input) == (
        "http://127.0.0.1:9/v1",
        {"supportsTemperature": False, "allowEmptySignature": True},
        3,
    )
    assert loaded.models["openai/gpt"] == KNOWN[1]


def test_a_known_provider_can_have_more_models(tmp_path: Path) -> None:
    loaded = Loaded(
        tmp_path, {"providers": {"openai": {"models": [{"id": "gpt-new"}, {"id": "gpt", "name": "Mine"}]}}}
    )
    assert loaded.models["openai/gpt-new"].base_url == "https://api.openai.com/v1"
    assert loaded.models["openai/gpt"].name == "Mine"
    assert len(loaded.models) == 3


def test_overrides_merge_objects_and_replace_the_rest(tmp_path: Path) -> None:
    override = {"cost": {"input": 9}, "contextWindow": 5, "compat": {"allowEmptySignature": True}}
    loaded = Loaded(
        tmp_path,
        {"providers": {"anthropic": {"modelOverrides": {"claude": override, "nobody": {"name": "x"}}}}},
    )
    claude = loaded.models["anthropic/claude"]
    assert (claude.cost, claude.context_window) == (ModelCost(9, 15, 0.3, 3.75), 5)
    assert claude.compat == {"supportsTemperature": False, "allowEmptySignature": True}
    assert loaded.problems == []


def test_comments_and_trailing_commas(tmp_path: Path) -> None:
    content = """{ // mine
        "providers": { /* "all"
            of them */ "openai": { "baseUrl": "http://x/v1//a,}/*b*/\\"", }, },
    }"""
    loaded = Loaded(tmp_path, content)
    assert loaded.models["openai/gpt"].base_url == 'http://x/v1//a,}/*b*/"'
    assert loaded.problems == []


def test_json5(tmp_path: Path) -> None:
    loaded = Loaded(tmp_path, "{ providers: { openai: { baseUrl: 'http://x/v1' } } }")
    assert loaded.models["openai/gpt"].base_url == "http://x/v1"
    assert loaded.problems == []


def test_a_file_that_cannot_be_parsed_is_reported_with_its_line(tmp_path: Path) -> None:
    loaded = Loaded(tmp_path, '{\n  "providers": {\n    "a": oops\n  }\n}')
    assert list(loaded.models) == [model.ref for model in KNOWN]
    ((line, _, message),) = loaded.problems
    assert line == 3
    assert "not valid JSON" in message


def test_one_bad_field_costs_one_model(tmp_path: Path) -> None:
    content = """{
  "providers": {
    "mine": {
      "baseUrl": "http://x/v1",
      "api": "openai-completions",
      "models": [
        {"id": "good"},
        {
          "id": "bad",
          "contextWindow": "large"
        }
      ]
    },
    "worse": {"baseUrl": 7},
    "vague": {"models": [{"id": "m"}]}
  }
}"""
    loaded = Loaded(tmp_path, content)
    assert "mine/good" in loaded.models
    assert len(loaded.models) == 3
    assert [(line, field) for line, field, _ in loaded.problems] == [
        (14, "providers.worse.baseUrl"),
        (10, "providers.mine.models.1.contextWindow"),
        (15, "providers.vague.models.m"),
    ]
    assert "`int | float`" in loaded.problems[1][2]
    assert "`api`" in loaded.problems[2][2]


@pytest.mark.parametrize("content", ["[]", '{"providers": []}', '{"providers": {"a": 1}}', "\xff", ""])
def test_no_content_is_fatal(tmp_path: Path, content: str) -> None:
    loaded = Loaded(tmp_path, content)
    assert list(loaded.models) == [model.ref for model in KNOWN]
    assert loaded.problems


def test_header_values_come_from_the_environment_and_commands_wait(tmp_path: Path) -> None:
    headers = {"A": "$TOKEN", "B": "!touch ran", "C": "$UNSET", "D": "plain"}
    loaded = Loaded(tmp_path, {"providers": {"openai": {"headers": headers}}}, TOKEN="t")
    assert loaded.models["openai/gpt"].headers == {"A": "t", "D": "plain"}
    assert loaded.file.commands == {"openai/gpt": {"B": "!touch ran"}}


def test_a_field_that_is_not_known_is_reported_with_the_one_that_is_meant(tmp_path: Path) -> None:
    content = """{
  "$schema": "x",
  "providers": {
    "openai": {
      "_note": "mine",
      "baseURL": "http://x/v1",
      "models": [{"id": "m", "promptCache": {"short": 300}}],
      "modelOverrides": {"gpt": {"contextwindow": 5}}
    }
  }
}"""
    loaded = Loaded(tmp_path, content)
    assert [(line, field) for line, field, _ in loaded.problems] == [
        (6, "providers.openai.baseURL"),
        (7, "providers.openai.models.0.promptCache"),
        (8, "providers.openai.modelOverrides.gpt.contextwindow"),
    ]
    assert "is baseUrl meant?" in loaded.problems[0][2]
    assert "has no effect" in loaded.problems[1][2]
    assert "is contextWindow meant?" in loaded.problems[2][2]
    assert "openai/m" in loaded.models


def test_an_api_that_is_not_spoken_is_reported_and_costs_its_models(tmp_path: Path) -> None:
    models = [{"id": "a", "api": "google-generative-ai"}, {"id": "b"}]
    providers = {"mine": {"baseUrl": "http://x", "api": "openai-completions", "models": models}}
    loaded = Loaded(tmp_path, {"providers": {**providers, "openai": {"api": "telepathy"}}})
    assert [field for _, field, _ in loaded.problems] == [
        "providers.openai.api",
        "providers.mine.models.a.api",
    ]
    assert "anthropic-messages, openai-completions" in loaded.problems[0][2]
    assert loaded.models["mine/b"].api == "openai-completions"
    assert "mine/a" not in loaded.models
    assert loaded.models["openai/gpt"] == KNOWN[1]


def test_what_is_said_of_a_local_server_goes_for_what_is_found_there(tmp_path: Path) -> None:
    entry = {
        "baseUrl": "http://elsewhere:11434/v1",
        "compat": {"thinkingFormat": "qwen"},
        "modelOverrides": {"q": {"contextWindow": 32768}},
    }
    loaded = Loaded(tmp_path, {"providers": {"ollama": entry}})
    found = Model(id="q", provider="ollama", api="openai-completions", base_url="http://127.0.0.1:11434/v1")
    (changed,) = loaded.file.applied_to_found([found])
    assert (changed.base_url, changed.context_window) == ("http://127.0.0.1:11434/v1", 32_768)
    assert changed.compat == {"thinkingFormat": "qwen"}
