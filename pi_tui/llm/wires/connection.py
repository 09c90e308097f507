"""One streamed response over HTTP, read as events.

The SDKs build the request, carry the key and raise their typed errors. The body of a response is read here,
because the SDKs make a pydantic model of every delta, which costs more than all the rest of a response.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, Protocol, TypeAlias

import msgspec

from pi_tui.llm.failures import failure_of_body, provider_errors
from pi_tui.llm.model import Model
from pi_tui.llm.sse import SseDecoder
from pi_tui.llm.stream import AssistantEvent, StreamOptions
from pi_tui.llm.unicode import valid_json
from pi_tui.llm.wires.clients import client_for, in_use, secrets_in, stream_class

DRAIN_SECONDS = 0.1
"""How long a finished stream may take to close before its connection is given up."""
MAX_ERROR_BYTES = 256 * 1024

MakeBody: TypeAlias = Callable[[], dict[str, Any]]


class ResponseReader(Protocol):
    """Tells an assembler what the events of a wire format say."""

    done: bool
    """Whether nothing more is to come."""

    def read(self, data: bytes) -> list[AssistantEvent]:
        """What the data of one event becomes."""
        ...

    def finish(self) -> list[AssistantEvent]:
        """Ends the message.

        Raises:
            ProviderError: The stream was cut, or what came is no answer.
        """
        ...


async def stream_response(
    model: Model,
    options: StreamOptions,
    path: str,
    body: MakeBody,
    headers: Callable[[], Mapping[str, str]],
    *,
    reader: ResponseReader,
) -> AsyncGenerator[AssistantEvent, None]:
    """Posts a request and gives what the reader makes of each event. All that goes wrong is a `ProviderError`."""
    with provider_errors(secrets_in(model, options)):
        client = await client_for(model, options)
        async with event_batches(client, path, body, headers()) as batches:
            async for batch in batches:
                for data in batch:
                    for event in reader.read(data):
                        yield event
                if reader.done:
                    break
        for event in reader.finish():
            yield event


@asynccontextmanager
async def event_batches(
    client: Any, path: str, body: MakeBody, headers: Mapping[str, str]
) -> AsyncIterator[AsyncIterator[list[bytes]]]:
    """Posts what `body` makes and gives the data of the events that come back, in batches as they come.

    Leaving early closes the connection; leaving after the last event keeps it.
    """
    async with in_use(client), _response(client, path, body, headers) as batches:
        yield batches


@asynccontextmanager
async def _response(
    client: Any, path: str, body: MakeBody, headers: Mapping[str, str]
) -> AsyncIterator[AsyncIterator[list[bytes]]]:
    import httpx2

    content = await asyncio.to_thread(_encoded, body)
    response = await client.post(
        path,
        cast_to=httpx2.Response,
        content=content,
        options={"headers": dict(headers)},
        stream=True,
        stream_cls=stream_class(client),
    )
    try:
        await _require_events(response)
        async with aclosing(response.aiter_bytes()) as received, aclosing(_batches(received)) as batches:
            yield batches
            with suppress(TimeoutError, httpx2.HTTPError):
                async with asyncio.timeout(DRAIN_SECONDS):
                    async for _ in received:
                        pass
    finally:
        await response.aclose()


def _encoded(make: MakeBody) -> bytes:
    """A body as JSON. In a thread, since that of a long conversation takes a while."""
    body = make()
    try:
        return msgspec.json.encode(body)
    except UnicodeEncodeError:
        return msgspec.json.encode(valid_json(body))


async def _batches(received: AsyncIterator[bytes]) -> AsyncGenerator[list[bytes], None]:
    decoder = SseDecoder()
    async for chunk in received:
        if batch := decoder.feed(chunk):
            yield batch
    if batch := decoder.close():
        yield batch


async def _require_events(response: Any) -> None:
    """Raises for a success that is no event stream: an error in JSON, a login page."""
    kind = response.headers.get("content-type", "")
    if "json" not in kind and "html" not in kind:
        return
    body = bytearray()
    async for chunk in response.aiter_bytes():
        body += chunk
        if len(body) > MAX_ERROR_BYTES:
            break
    raise failure_of_body(bytes(body))
