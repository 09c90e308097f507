"""The official SDKs' clients, one for each server, key and proxy; kept with their connections between requests."""

import asyncio
import importlib
import threading
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager, suppress
from typing import Any, TypeAlias
from urllib.parse import urlsplit
from weakref import WeakKeyDictionary, WeakSet

from pi_tui.llm.model import Model
from pi_tui.llm.stream import StreamOptions
from pi_tui.llm.wires.importing import considerate, for_good

SDKS = {"anthropic-messages": "anthropic", "openai-completions": "openai", "openai-responses": "openai"}
MAX_CLIENTS = 8
KEEPALIVE_SECONDS = 30.0
FIRST_REQUEST_MODULES = (
    "anyio._backends._asyncio",
    "anyio.streams.tls",
    "httpcore2._async.connection",
    "httpcore2._async.http11",
    "httpcore2._backends.anyio",
)
NO_KEY = "none"
"""What servers that need no key are sent: the SDKs insist on one."""

ANTHROPIC_HOST = "api.anthropic.com"
"""Takes the key as the SDK sends it, as a bearer token; compatible servers know `x-api-key` more often."""
OAUTH_PREFIX = "sk-ant-oat"

_Key: TypeAlias = tuple[Any, ...]
_clients: WeakKeyDictionary[asyncio.AbstractEventLoop, dict[_Key, Any]] = WeakKeyDictionary()
_answering: WeakKeyDictionary[Any, int] = WeakKeyDictionary()
"""How many requests each client is at."""
_retired: WeakSet[Any] = WeakSet()
"""Clients that are no longer kept, and are closed after their last request."""
_importing = threading.Lock()
_loaded: set[str] = set()
"""What was loaded to the end: a module that is still being imported is in `sys.modules` already."""


def secrets_in(model: Model, options: StreamOptions) -> list[str | None]:
    """What no message may show: the key, the headers and addresses, which may hold others."""
    passwords = [urlsplit(address).password for address in (model.base_url, options.proxy or "")]
    return [options.api_key, *model.headers.values(), *options.headers.values(), *passwords]


def load_sdk(api: str) -> None:
    """Imports the SDK of a wire format, and what it leaves for its first request. To be called in a thread."""
    if api in _loaded:
        return
    with _importing, considerate(), for_good():
        importlib.import_module(SDKS[api])
        for module in FIRST_REQUEST_MODULES:
            with suppress(ImportError):
                importlib.import_module(module)
        _new_client(Model(id="", provider="", api=api, base_url="http://127.0.0.1"), StreamOptions(), {})
        _loaded.add(api)


async def client_for(model: Model, options: StreamOptions) -> Any:
    """The SDK client for this model, key and proxy; kept, with its connections, for the next request."""
    await asyncio.to_thread(load_sdk, model.api)
    headers = {**model.headers, **options.headers}
    key = (
        *(model.api, model.base_url, model.auth_header, options.api_key, options.proxy, options.max_retries),
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
async def in_use(client: Any) -> AsyncIterator[None]:
    """A client is not closed while it answers, whoever has taken its place."""
    _answering[client] = _answering.get(client, 0) + 1
    try:
        yield
    finally:
        _answering[client] -= 1
        if client in _retired:
            await _retire(client)


def stream_class(client: Any) -> Any:
    """The SDK's own class for a stream of events, which it insists on being told."""
    return importlib.import_module(type(client).__module__.partition(".")[0]).AsyncStream[Any]


async def _retire(client: Any) -> None:
    if _answering.get(client):
        _retired.add(client)
        return
    _retired.discard(client)
    await client.close()


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
    # An event stream gains nothing from compression, and proxies that compress it hold it back.
    sent: dict[str, Any] = {"Accept-Encoding": "identity", **headers}
    make = _anthropic_client if model.api == "anthropic-messages" else _openai_client
    return make(model, options.api_key or NO_KEY, sent, transport, max_retries=options.max_retries)


def _anthropic_client(
    model: Model, key: str, headers: dict[str, Any], transport: dict[str, Any], **more: Any
) -> Any:
    import anthropic

    bearer = model.auth_header or ANTHROPIC_HOST in model.base_url or key.startswith(OAUTH_PREFIX)
    if not bearer:
        headers = {"X-Api-Key": key, "Authorization": anthropic.Omit(), **headers}
    return anthropic.AsyncAnthropic(
        auth_token=key,
        base_url=model.base_url.rstrip("/").removesuffix("/v1") or None,
        default_headers=headers,
        http_client=anthropic.DefaultAsyncHttpxClient(**transport),
        timeout=transport["timeout"],
        **more,
    )


def _openai_client(
    model: Model, key: str, headers: dict[str, Any], transport: dict[str, Any], **more: Any
) -> Any:
    import openai

    return openai.AsyncOpenAI(
        api_key=key,
        base_url=model.base_url or None,
        default_headers=headers,
        http_client=openai.DefaultAsyncHttpxClient(**transport),
        timeout=transport["timeout"],
        **more,
    )
