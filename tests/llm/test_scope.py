import pytest

from pi_tui.llm.model import Model
from pi_tui.llm.scope import scope_of

MODELS = [
    Model(id=model_id, provider=provider, api="openai-completions", name=model_id)
    for provider, model_id in (
        ("anthropic", "claude-opus"),
        ("anthropic", "claude-haiku"),
        ("openrouter", "anthropic/claude-opus"),
        ("one", "shared"),
        ("two", "shared"),
        ("ollama", "qwen3:8b"),
    )
]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (
            "anthropic/*",
            ["anthropic/claude-opus", "anthropic/claude-haiku", "openrouter/anthropic/claude-opus"],
        ),
        ("ANTHROPIC/*haiku", ["anthropic/claude-haiku"]),
        ("haiku", ["anthropic/claude-haiku"]),
        ("shared", ["one/shared", "two/shared"]),
        ("two/shared", ["two/shared"]),
        ("qwen3:8b", ["ollama/qwen3:8b"]),
        ("qwen*", ["ollama/qwen3:8b"]),
    ],
)
def test_a_pattern_means_models(pattern: str, expected: list[str]) -> None:
    scope, problems = scope_of([pattern], MODELS)
    assert [one.model.ref for one in scope] == expected
    assert problems == []


def test_patterns_give_the_order_and_each_model_comes_once() -> None:
    scope, _ = scope_of(["haiku", "anthropic/claude-*"], MODELS)
    assert [one.model.ref for one in scope][:2] == ["anthropic/claude-haiku", "anthropic/claude-opus"]
    assert len({one.model.ref for one in scope}) == len(scope)


@pytest.mark.parametrize("pattern", ["haiku:high", "*haiku:HIGH"])
def test_a_pattern_may_carry_a_level(pattern: str) -> None:
    scope, _ = scope_of([pattern], MODELS)
    assert [(one.model.id, one.level) for one in scope] == [("claude-haiku", "high")]


def test_what_means_nothing_is_told_and_the_rest_counts() -> None:
    scope, problems = scope_of(["nobody*", "haiku", "xyzzy"], MODELS)
    assert [one.model.id for one in scope] == ["claude-haiku"]
    assert len(problems) == 2
    assert "nobody*" in problems[0]
