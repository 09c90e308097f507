"""The SDK clients that are kept between requests."""

import pytest

from pi_tui.llm.errors import ProviderError
from pi_tui.llm.stream import StreamOptions
from pi_tui.llm.wires.clients import MAX_CLIENTS, client_for
from pi_tui.llm.wires.connection import event_batches
from tests.support.fakellm import FakeLLM
from tests.support.responses import APIS, model_at, respond


async def test_a_client_that_is_no_longer_kept_is_closed(fake_llm: FakeLLM) -> None:
    model = model_at(fake_llm.base_url, "openai-completions")
    clients = [await client_for(model, StreamOptions(api_key=f"key {n}")) for n in range(MAX_CLIENTS + 1)]
    assert clients[0].is_closed()
    assert not any(client.is_closed() for client in clients[1:])


async def test_a_client_that_answers_is_closed_when_it_has_done_so(fake_llm: FakeLLM) -> None:
    model = model_at(fake_llm.base_url, "openai-completions")
    answering = await client_for(model, StreamOptions(api_key="first"))
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}], "stream": True}
    async with event_batches(answering, "/chat/completions", lambda: body, {}) as batches:
        for number in range(MAX_CLIENTS):
            await client_for(model, StreamOptions(api_key=f"key {number}"))
        assert not answering.is_closed()
        received = [data async for batch in batches for data in batch]
    assert received[-1] == b"[DONE]"
    assert answering.is_closed()


async def test_the_sdk_tries_again_by_itself_where_the_settings_say_so(fake_llm: FakeLLM) -> None:
    """`retry.provider.maxRetries`: nobody above hears of the first failure."""
    for api in APIS:
        fake_llm.reset()
        fake_llm.push({"error": "overloaded", "headers": {"retry-after-ms": "1"}}, {"text": "there"})
        received = await respond(model_at(fake_llm.base_url, api), max_retries=1)
        assert received.message.text == "there"
        assert [request["end"] for request in fake_llm.requests()] == ["error", "ok"]
        fake_llm.push({"error": "overloaded", "headers": {"retry-after-ms": "1"}}, {"text": "not asked for"})
        with pytest.raises(ProviderError):
            await respond(model_at(fake_llm.base_url, api))


async def test_the_proxy_of_the_environment_is_used_where_the_settings_name_none(
    fake_llm: FakeLLM, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HTTP_PROXY", fake_llm.url)
    model = model_at("http://models.example/v1", "openai-completions")
    await respond(model)
    assert fake_llm.requests()[-1]["path"].startswith("http://models.example/v1/")
    # The one in the settings goes before it.
    with pytest.raises(ProviderError, match="connection"):
        await respond(model, proxy="http://127.0.0.1:9")
    assert len(fake_llm.requests()) == 1
