import asyncio
import json
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

from pi_tui.llm.local_servers import find_local_models

RECORDINGS = Path(__file__).parents[1] / "fixtures" / "wire"


def recorded(name: str) -> Any:
    return json.loads((RECORDINGS / f"{name}.txt").read_text("utf-8").split("\n\n", 1)[1])


@contextmanager
def serving(answers: dict[str, Any]) -> Iterator[int]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            content = self.rfile.read(int(self.headers.get("content-length") or 0))
            answer = answers.get(self.path)
            answer = answer(json.loads(content)) if callable(answer) else answer
            data = answer if isinstance(answer, bytes) else json.dumps(answer).encode()
            self.send_response(404 if answer is None else 200)
            self.send_header("content-length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        do_POST = do_GET

        def log_message(self, *args: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
    try:
        yield server.server_address[1]
    finally:
        server.shutdown()
        server.server_close()


async def test_llama_cpp_tells_its_context_size() -> None:
    answers = {"/v1/models": recorded("llama-oai-models"), "/props": recorded("llama-oai-props")}
    with serving(answers) as port:
        (model,) = await find_local_models(5, {"llama.cpp": port})
    assert model.ref == "llama.cpp/qwen25-coder-1.5b"
    assert model.base_url == f"http://127.0.0.1:{port}/v1"
    assert model.context_window == 4096
    assert model.max_tokens < 4096


async def test_a_router_offers_what_is_loaded_with_the_size_of_each() -> None:
    def row(name: str, status: str, **more: Any) -> dict[str, Any]:
        return {"id": name, "status": {"value": status}, **more}

    def props(window: int, **more: Any) -> dict[str, Any]:
        return {"default_generation_settings": {"n_ctx": window}, **more}

    sees = {"architecture": {"input_modalities": ["text", "image"], "output_modalities": ["text"]}}
    decides = {"architecture": {"input_modalities": ["text"], "output_modalities": ["decisions"]}}
    answers = {
        "/v1/models": {
            "data": [
                row("org/a:Q4", "loaded", **sees),
                row("b", "unloaded"),
                row("c", "loaded"),
                row("d", "loaded", **decides),
            ]
        },
        "/props?model=org%2Fa%3AQ4": props(8192, chat_template="{% if enable_thinking %}"),
        "/props?model=c": props(4096, chat_template_caps={"supports_reasoning_effort": True}),
    }
    with serving(answers) as port:
        a, c = await find_local_models(5, {"llama.cpp": port})
    assert (a.id, a.context_window, a.takes_images, a.levels) == (
        "org/a:Q4", 8192, True, ("off", "medium"),
    )  # fmt: skip
    assert (c.id, c.context_window, c.takes_images) == ("c", 4096, False)
    assert c.levels == ("off", "minimal", "low", "medium", "high")


async def test_an_answer_in_chunks_is_read() -> None:
    """A router passes on what its models say in chunks, also to those who speak HTTP/1.0."""
    props = b'{"default_generation_settings": {"n_ctx": 2048}}'
    body = b"".join(b"%x\r\n%s\r\n" % (len(part), part) for part in (props[:9], props[9:])) + b"0\r\n\r\n"

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        asked = await reader.readuntil(b"\r\n\r\n")
        if b"/props" in asked:
            writer.write(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n" + body)
        else:
            writer.write(b'HTTP/1.1 200 OK\r\n\r\n{"data": [{"id": "m"}]}')
        await writer.drain()
        writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    async with server:
        (model,) = await find_local_models(5, {"llama.cpp": server.sockets[0].getsockname()[1]})
    assert model.context_window == 2048


async def test_thinking_of_a_llama_cpp_model_is_switched_off_by_name() -> None:
    from pi_tui.llm.messages import UserMessage
    from pi_tui.llm.stream import Context, StreamOptions
    from pi_tui.llm.wires.openai_request import request_body

    answers = {"/v1/models": {"data": [{"id": "m"}]}, "/props": {"chat_template": "enable_thinking"}}
    with serving(answers) as port:
        (model,) = await find_local_models(5, {"llama.cpp": port})
    for level, effort in (("off", "none"), ("high", "medium")):
        body = request_body(model, Context("", [UserMessage("a")]), StreamOptions(thinking_level=level))  # type: ignore[arg-type]
        assert body["reasoning_effort"] == effort


async def test_the_size_an_ollama_model_runs_with_counts_more_than_what_it_could_have() -> None:
    shown = {"capabilities": ["completion"], "model_info": {"llama.context_length": 131_072}}
    answers = {
        "/api/tags": {"models": [{"name": "runs"}, {"name": "rests"}]},
        "/api/ps": {"models": [{"name": "runs", "context_length": 4096}]},
        "/api/show": lambda asked: shown,
    }
    with serving(answers) as port:
        runs, rests = await find_local_models(5, {"ollama": port})
    assert (runs.context_window, rests.context_window) == (4096, 131_072)


async def test_ollama_tells_what_each_model_can_do() -> None:
    details = {
        "qwen3:8b": {
            "capabilities": ["completion", "tools", "thinking"],
            "model_info": {"general.architecture": "qwen3", "qwen3.context_length": 40960},
            "parameters": 'stop "<|im_end|>"\nnum_ctx 16384',
        },
        "llava": {"capabilities": ["completion", "vision"], "model_info": {"llama.context_length": 32768}},
        "embed": {"capabilities": ["embedding"], "model_info": {"bert.context_length": 512}},
    }
    answers = {
        "/api/tags": {"models": [{"name": name} for name in details]},
        "/api/show": lambda asked: details[asked["model"]],
    }
    with serving(answers) as port:
        qwen, llava = await find_local_models(5, {"ollama": port})
    assert (qwen.id, qwen.context_window, qwen.reasoning, qwen.takes_images) == (
        "qwen3:8b",
        16_384,
        True,
        False,
    )
    assert (llava.id, llava.context_window, llava.reasoning, llava.takes_images) == (
        "llava",
        32_768,
        False,
        True,
    )


async def test_lm_studio_tells_what_is_loaded() -> None:
    rows = [
        {"id": "a", "type": "llm", "max_context_length": 131072, "loaded_context_length": 8192},
        {"id": "b", "type": "vlm", "max_context_length": 32768},
        {"id": "c", "type": "embeddings", "max_context_length": 512},
    ]
    with serving({"/api/v0/models": {"data": rows}}) as port:
        found = await find_local_models(5, {"lmstudio": port})
    assert [(model.id, model.context_window, model.takes_images) for model in found] == [
        ("a", 8192, False),
        ("b", 32_768, True),
    ]


async def test_other_servers_on_those_ports_are_no_models() -> None:
    with ExitStack() as stack:
        ports = {
            "ollama": stack.enter_context(serving({"/api/tags": b"<html>hello</html>"})),
            "llama.cpp": stack.enter_context(serving({"/v1/models": {"data": "x"}, "/props": [1]})),
            "lmstudio": 9,
        }
        assert await find_local_models(5, ports) == []


async def test_a_silent_server_is_not_waited_for() -> None:
    async def never(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await reader.read()
        writer.close()

    server = await asyncio.start_server(never, "127.0.0.1", 0)
    async with server:
        started = asyncio.get_running_loop().time()
        assert await find_local_models(0.05, {"ollama": server.sockets[0].getsockname()[1]}) == []
        assert asyncio.get_running_loop().time() - started < 2
