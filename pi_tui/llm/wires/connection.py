"""HTTP for the wire formats, through the official SDKs: clients that are kept, and responses read as events.

The SDKs build the request, carry the key and raise their typed errors. The body of a response is read here,
because the SDKs make a pydantic model of every delta, which costs more than all the rest of a response.
"""

import asyncio
import importlib
from collections.abc import AsyncGenerator, AsyncIterator, Callable, Mapping
from contextlib import aclosing, asynccontextmanager, suppress
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakSet

import msgspec

from pi_tui.llm.failures import failure_of_body
from pi_tui.llm.model import Model
from pi_tui.llm.sse import SseDecoder
from pi_tui.llm.stream import StreamOptions
from pi_tui.llm.unicode import valid_json
from pi_tui.llm.wires.registry import preload

MAX_CLIENTS = 8
KEEPALIVE_SECONDS = 30.0
DRAIN_SECONDS = 0.1
"""How long a finished stream may take to close before its connection is given up."""
FIRST_REQUEST_MODULES = (
    "anyio._backends._asyncio",
    "anyio.streams.tls",
    "httpcore2._async.connection",
    "httpcore2._async.http11",
    "httpcore2._backends.anyio",
)
MAX_ERROR_BYTES = 256 * 1024
NO_KEY = "none"
"""What servers that need no key are sent: the SDKs insist on one."""

ANTHROPIC_HOST = "api.anthropic.com"
"""Takes the key as the SDK sends it, as a bearer token; compatible servers know `x-api-key` more often."""
OAUTH_PREFIX = "sk-ant-oat"

MakeBody: TypeAlias = Callable[[], dict[str, Any]]
_Key: TypeAlias = tuple[Any, ...]
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Key, Any]] = WeakKeyDictionary()
_answering: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""How many requests each client is at."""
_retired: WeakSet[Any] = WeakSet()
"""Clients that are no longer kept, and are closed after their last request."""


def secrets_in(model: Model, options: StreamOptions) -> list[str | None]:
    """What no message may show: the key, the headers and addresses, which may hold others."""
    passwords = [urlsplit(address).password for address in (model.base_url, options.proxy or "")]
    return [options.api_key, *model.headers.values(), *options.headers.values(), *passwords]


async def client_for(model: Model, options: StreamOptions) -> Any:
    """The SDK client for this model, key and proxy; kept, with its connections, for the next request."""
    await asyncio.to_thread(preload, model.api)
    headers = {**model.headers, **options.headers}
    key = (
        *(model.api, model.base_url, model.auth_header, options.api_key, options.proxy),
        *(options.connect_timeout, options.idle_timeout, tuple(sorted(headers.items()))),
    )
    kept = _clients.setdefault(asyncio.get_running_loop(), {})
    client = kept.pop(key, None)
    if client is None:
        # Reading the machine's certificates takes long enough to be felt in typing.
        client = await asyncio.to_thread(_new_client, model, options, headers)
    kept[key] = client
    if len(kept) > MAX_CLIENTS:
        await _retire(kept.pop(next(iter(kept))))
    return client


@asynccontextmanager
async def _in_use(client: Any) -> AsyncIterator[None]:
    """A client is not closed while it answers, whoever has taken its place."""
    _answering[client] = _answering.get(client, 0) + 1
    try:
        yield
    finally:
        _answering[client] -= 1
        if client in _retired:
            await _retire(client)


async def _retire(client: Any) -> None:
    if _answering.get(client):
        _retired.add(client)
        return
    _retired.discard(client)
    await client.close()


def rehearse(api: str) -> None:
    """Imports, in the thread of the caller, what an SDK leaves for its first request."""
    for module in FIRST_REQUEST_MODULES:
        with suppress(ImportError):
            importlib.import_module(module)
    _new_client(Model(id="", provider="", api=api, base_url="http://127.0.0.1"), StreamOptions(), {})


def _new_client(model: Model, options: StreamOptions, headers: Mapping[str, str]) -> Any:
    import httpx2

    timeout = httpx2.Timeout(
        options.idle_timeout, connect=options.connect_timeout, pool=options.connect_timeout
    )
    transport: dict[str, Any] = {
        "timeout": timeout,
        "limits": httpx2.Limits(keepalive_expiry=KEEPALIVE_SECONDS),
        "proxy": None if model.is_local else options.proxy,
        # The environment's proxies; none of them reaches this machine.
        "trust_env": not model.is_local,
    }
    shared: dict[str, Any] = {"max_retries": 0, "timeout": timeout}
    # An event stream gains nothing from compression, and proxies that compress it hold it back.
    sent: dict[str, Any] = {"Accept-Encoding": "identity", **headers}
    if model.api == "anthropic-messages":
        import anthropic

        http = anthropic.DefaultAsyncHttpxClient(**transport)
        key = options.api_key or NO_KEY
        bearer = model.auth_header or ANTHROPIC_HOST in model.base_url or key.startswith(OAUTH_PREFIX)
        if not bearer:
            sent = {"X-Api-Key": key, "Authorization": anthropic.Omit(), **sent}
        base = model.base_url.rstrip("/").removesuffix("/v1") or None
        return anthropic.AsyncAnthropic(
            auth_token=key, base_url=base, default_headers=sent, http_client=http, **shared
        )
    import openai

    http = openai.DefaultAsyncHttpxClient(**transport)
    return openai.AsyncOpenAI(
        api_key=options.api_key or NO_KEY,
        base_url=model.base_url or None,
        default_headers=sent,
        http_client=http,
        **shared,
    )


@asynccontextmanager
async def event_batches(
    client: Any, path: str, body: MakeBody, headers: Mapping[str, str], stream_class: Any
) -> AsyncIterator[AsyncIterator[list[bytes]]]:
    """Posts what `body` makes and gives the data of the events that come back, in batches as they come.

    Leaving early closes the connection; leaving after the last event keeps it.
    """
    async with _in_use(client), _response(client, path, body, headers, stream_class) as batches:
        yield batches


@asynccontextmanager
async def _response(
    client: Any, path: str, body: MakeBody, headers: Mapping[str, str], stream_class: Any
) -> AsyncIterator[AsyncIterator[list[bytes]]]:
    import httpx2

    content = await asyncio.to_thread(_encoded, body)
    response = await client.post(
        path,
        cast_to=httpx2.Response,
        content=content,
        options={"headers": dict(headers)},
        stream=True,
        stream_cls=stream_class,
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
