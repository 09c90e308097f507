"""`pi --list-models`."""

import json
from pathlib import Path

import pytest

from pi_tui.cli.list_models import list_models
from pi_tui.llm.catalog import load_catalog
from pi_tui.llm.model import Model

EXAMPLE = Path(__file__).parents[2] / "examples" / "models.json"


def test_without_a_key_only_the_demo_is_listed_with_advice(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_models("", offline=True) == 0
    out, err = capsys.readouterr()
    assert [line.split()[0] for line in out.splitlines()] == ["model", "demo/tour", "demo/endless"]
    assert "ANTHROPIC_API_KEY" in err


def test_a_key_brings_the_models_of_its_provider_and_the_day_of_their_prices(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "sk-never-shown")
    assert list_models("", offline=True) == 0
    out, err = capsys.readouterr()
    providers = {line.partition("/")[0] for line in out.splitlines()[1:]}
    assert providers == {"openai", "demo"}
    assert load_catalog().made in err
    assert "sk-never-shown" not in out + err


def test_every_word_of_a_search_must_fit(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "x")
    monkeypatch.setenv("ANTHROPIC_API_KEY", "x")
    assert list_models("anthropic OPUS", offline=True) == 0
    rows = capsys.readouterr().out.splitlines()[1:]
    assert rows
    assert all("anthropic/" in row and "opus" in row for row in rows)


def test_models_of_a_server_on_this_machine_are_listed_unless_offline(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    async def found() -> list[Model]:
        return [
            Model(id="tiny", provider="ollama", api="openai-completions", base_url="http://127.0.0.1:11434")
        ]

    monkeypatch.setattr("pi_tui.cli.list_models.find_local_models", found)
    assert list_models("tiny", offline=False) == 0
    assert "ollama/tiny" in capsys.readouterr().out
    assert list_models("tiny", offline=True) == 1


def test_a_search_without_a_hit_is_said_and_is_code_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_models("nothing-like-that", offline=True) == 1
    out, err = capsys.readouterr()
    assert out == ""
    assert "nothing-like-that" in err


def test_a_search_that_only_a_key_would_help_names_the_provider(capsys: pytest.CaptureFixture[str]) -> None:
    assert list_models("deepseek-v4-pro", offline=True) == 1
    err = capsys.readouterr().err
    assert "with a key for " in err and "deepseek" in err


def test_the_example_for_a_server_of_ones_own_works_as_it_stands(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True)
    (agent / "models.json").write_bytes(EXAMPLE.read_bytes())
    assert list_models("local", offline=True) == 0
    out, err = capsys.readouterr()
    assert "models.json" not in err
    [row] = out.splitlines()[1:]
    assert row.split()[:3] == ["local/qwen3-coder", "66k", "8k"]


def test_a_broken_models_file_is_reported_and_the_rest_is_listed(
    home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    agent = home / ".pi" / "agent"
    agent.mkdir(parents=True)
    (agent / "models.json").write_text(json.dumps({"providers": {"x": {"models": [{"id": "m"}]}}}))
    assert list_models("", offline=True) == 0
    out, err = capsys.readouterr()
    assert "demo/tour" in out
    assert str(agent / "models.json") in err
