"""`PI_CACHE_RETENTION` on every wire."""

import json

import pytest

from pi_tui.llm.messages import UserMessage
from pi_tui.llm.model import Model
from pi_tui.llm.stream import Context, StreamOptions
from pi_tui.llm.wires import anthropic_request, openai_request, responses_request

CONTEXT = Context("Be brief.", [UserMessage("hello")])
OPENAI = "https://api.openai.com/v1"


def sent(api: str, *, cache: bool = True, **fields: object) -> dict:
    make = {
        "anthropic-messages": anthropic_request.request_body,
        "openai-completions": openai_request.request_body,
        "openai-responses": responses_request.request_body,
    }[api]
    model = Model(**{"id": "m", "provider": "p", "api": api, "base_url": OPENAI, **fields})  # type: ignore[arg-type]
    return make(model, CONTEXT, StreamOptions(session_id="s", cache=cache))


def test_without_it_the_beginning_is_kept_for_a_short_time() -> None:
    assert sent("anthropic-messages")["system"][0]["cache_control"] == {"type": "ephemeral"}
    for api in ("openai-completions", "openai-responses"):
        assert sent(api)["prompt_cache_key"] == "s"
        assert "prompt_cache_retention" not in sent(api)


def test_long_asks_for_an_hour_or_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PI_CACHE_RETENTION", "long")
    mark = {"type": "ephemeral", "ttl": "1h"}
    assert sent("anthropic-messages")["system"][0]["cache_control"] == mark
    for api in ("openai-completions", "openai-responses"):
        assert sent(api)["prompt_cache_retention"] == "24h"
    newer = {"supportsExplicitPromptCacheMode": True}
    assert sent("openai-responses", compat=newer)["prompt_cache_options"] == {"ttl": "30m"}
    claude = {"cacheControlFormat": "anthropic"}
    assert sent("openai-completions", compat=claude)["messages"][-1]["content"][0]["cache_control"] == mark


@pytest.mark.parametrize("api", ["anthropic-messages", "openai-completions", "openai-responses"])
@pytest.mark.parametrize("compat", [{"supportsLongCacheRetention": False}])
def test_what_a_server_does_not_know_is_not_asked(
    monkeypatch: pytest.MonkeyPatch, api: str, compat: dict
) -> None:
    monkeypatch.setenv("PI_CACHE_RETENTION", "long")
    text = json.dumps(sent(api, compat=compat))
    assert "1h" not in text
    assert "24h" not in text


@pytest.mark.parametrize("api", ["anthropic-messages", "openai-completions", "openai-responses"])
def test_none_and_summaries_write_no_cache(monkeypatch: pytest.MonkeyPatch, api: str) -> None:
    assert "cache" not in json.dumps(sent(api, cache=False))
    monkeypatch.setenv("PI_CACHE_RETENTION", "none")
    assert "cache" not in json.dumps(sent(api))
