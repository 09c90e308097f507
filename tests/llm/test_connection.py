"""The SDK clients that are kept between requests."""

from pi_tui.llm.stream import StreamOptions
from pi_tui.llm.wires.clients import MAX_CLIENTS, client_for
from pi_tui.llm.wires.connection import event_batches
from tests.support.fakellm import FakeLLM
from tests.support.responses import model_at


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
