"""Model servers on this machine that need no key: Ollama, llama.cpp and LM Studio."""

import asyncio
import threading
from collections.abc import Awaitable, Callable, Mapping
from typing import Any, TypeAlias
from urllib.parse import quote

import msgspec
from msgspec import structs

from pi_tui.llm.model import DEFAULT_CONTEXT_WINDOW, DEFAULT_MAX_TOKENS, Model

PORTS = {"ollama": 11434, "llama.cpp": 8080, "lmstudio": 1234}
MAX_ANSWER = 4 * 1024 * 1024
MAX_ASKED = 64
"""Ollama models that are asked for their details."""

Json: TypeAlias = dict[str, Any]


async def find_local_models(timeout: float = 0.3, ports: Mapping[str, int] = PORTS) -> list[Model]:
    """The models that servers on the loopback offer, of those that answer within `timeout` seconds."""
    asking: dict[str, Callable[[int], Awaitable[list[Model]]]] = {
        "ollama": _ollama,
        "llama.cpp": _llama_cpp,
        "lmstudio": _lm_studio,
    }
    async with asyncio.TaskGroup() as group:
        tasks = [
            group.create_task(_within(timeout, ask(ports[name])))
            for name, ask in asking.items()
            if name in ports
        ]
    return [model for task in tasks for model in task.result()]


def find_local_models_now(timeout: float = 0.3) -> list[Model]:
    """The same for those who cannot wait in an event loop of their own: blocks for `timeout` seconds at most."""
    found: list[Model] = []
    thread = threading.Thread(target=lambda: found.extend(asyncio.run(find_local_models(timeout))))
    thread.start()
    thread.join()
    return found


async def _within(timeout: float, asked: Awaitable[list[Model]]) -> list[Model]:
    try:
        async with asyncio.timeout(timeout):
            return await asked
    except (TimeoutError, OSError, EOFError, ValueError, msgspec.MsgspecError):
        return []


async def _ollama(port: int) -> list[Model]:
    listed, running = await asyncio.gather(_ask(port, "/api/tags"), _ask(port, "/api/ps"))
    names = [row["name"] for row in _rows(listed, "models")[:MAX_ASKED] if isinstance(row.get("name"), str)]
    details = await asyncio.gather(*(_ask(port, "/api/show", {"model": name}) for name in names))
    loaded = {row.get("name"): row.get("context_length") for row in _rows(running, "models")}
    models = []
    for name, shown in zip(names, details, strict=True):
        abilities = shown.get("capabilities") or ["completion"]
        if "completion" in abilities:
            window = loaded.get(name) or _ollama_window(shown)
            sees, thinks = "vision" in abilities, "thinking" in abilities
            models.append(_model("ollama", port, name, window, sees=sees, thinks=thinks))
    return models


def _ollama_window(shown: Json) -> int | None:
    """`num_ctx` where the model sets one, else what it was trained for: what it is run with shows when it runs."""
    for line in str(shown.get("parameters") or "").splitlines():
        words = line.split()
        if len(words) == 2 and words[0] == "num_ctx" and words[1].isdigit():
            return int(words[1])
    info = shown.get("model_info") or {}
    return next((value for key, value in info.items() if key.endswith(".context_length")), None)


async def _llama_cpp(port: int) -> list[Model]:
    rows = [row for row in _rows(await _ask(port, "/v1/models"), "data") if isinstance(row.get("id"), str)]
    routed = any("status" in row for row in rows)
    ready = [row for row in rows[:MAX_ASKED] if not routed or _inside(row, "status", "value") == "loaded"]
    # A router has properties for each of its models; a server of one model has its own.
    asked = (_ask(port, f"/props?model={quote(row['id'], safe='')}" if routed else "/props") for row in ready)
    return [
        _llama_cpp_model(port, row, props)
        for row, props in zip(ready, await asyncio.gather(*asked), strict=True)
        if "decisions" not in (_inside(row, "architecture", "output_modalities") or ())
    ]


def _llama_cpp_model(port: int, row: Json, props: Json) -> Model:
    window = _inside(props, "default_generation_settings", "n_ctx")
    sees = _inside(props, "modalities", "vision") or "image" in (
        _inside(row, "architecture", "input_modalities") or ()
    )
    graded = bool(_inside(props, "chat_template_caps", "supports_reasoning_effort"))
    thinks = graded or "enable_thinking" in str(props.get("chat_template"))
    model = _model(
        "llama.cpp",
        port,
        row["id"],
        window or _inside(row, "meta", "n_ctx_train"),
        sees=bool(sees),
        thinks=thinks,
    )
    if not thinks:
        return model
    # Most templates know on and off only.
    unknown: dict[str, str | None] = {} if graded else dict.fromkeys(("minimal", "low", "high"))
    return structs.replace(model, thinking_level_map={"off": "none", **unknown})


async def _lm_studio(port: int) -> list[Model]:
    models = []
    for row in _rows(await _ask(port, "/api/v0/models"), "data"):
        if isinstance(row.get("id"), str) and row.get("type") in ("llm", "vlm"):
            window = row.get("loaded_context_length") or row.get("max_context_length")
            models.append(_model("lmstudio", port, row["id"], window, sees=row["type"] == "vlm"))
    return models


def _model(
    provider: str, port: int, model_id: str, window: Any, *, sees: bool = False, thinks: bool = False
) -> Model:
    size = window if isinstance(window, int) and window > 0 else DEFAULT_CONTEXT_WINDOW
    return Model(
        id=model_id,
        provider=provider,
        api="openai-completions",
        name=model_id.rsplit("/", 1)[-1].removesuffix(".gguf"),
        base_url=f"http://127.0.0.1:{port}/v1",
        reasoning=thinks,
        input=("text", "image") if sees else ("text",),
        context_window=size,
        max_tokens=min(DEFAULT_MAX_TOKENS, size // 2),
    )


def _inside(row: Json, *keys: str) -> Any:
    """What stands under nested keys; None where something is missing or of another form."""
    found: Any = row
    for key in keys:
        found = found.get(key) if isinstance(found, dict) else None
    return found


def _rows(answer: Json, key: str) -> list[Json]:
    rows = answer.get(key)
    return [row for row in rows if isinstance(row, dict)] if isinstance(rows, list) else []


async def _ask(port: int, path: str, body: Json | None = None) -> Json:
    """One request over HTTP/1.0, whose answer ends where the connection does; {} for all but JSON objects."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port, limit=MAX_ANSWER)
    try:
        content = msgspec.json.encode(body) if body is not None else b""
        method = "POST" if content else "GET"
        head = f"{method} {path} HTTP/1.0\r\nHost: 127.0.0.1:{port}\r\nContent-Length: {len(content)}\r\n\r\n"
        writer.write(head.encode() + content)
        received = bytearray()
        while chunk := await reader.read(65_536):
            received += chunk
            if len(received) > MAX_ANSWER:
                return {}
    finally:
        writer.close()
    told, _, answer = bytes(received).partition(b"\r\n\r\n")
    if told.split()[1:2] != [b"200"]:
        return {}
    if b"transfer-encoding: chunked" in told.lower():
        answer = _joined(answer)
    decoded = msgspec.json.decode(answer)
    return decoded if isinstance(decoded, dict) else {}


def _joined(chunked: bytes) -> bytes:
    """A body that came in chunks, as a llama.cpp router sends it whatever it is asked for.

    Raises:
        ValueError: A chunk does not begin with its size.
    """
    body = b""
    while chunked:
        size, _, rest = chunked.partition(b"\r\n")
        length = int(size.partition(b";")[0], 16)
        body += rest[:length]
        chunked = rest[length + 2 :] if length else b""
    return body
