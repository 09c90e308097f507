"""Starting the server, and steering it."""

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.request import Request, urlopen

from .script import Json
from .server import Server

ROOT = Path(__file__).parents[3]


class FakeLLM:
    """A running server. `base_url` is what goes into a model's `base_url`, for either wire."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.base_url = f"{url}/v1"

    def push(self, *responses: Json) -> None:
        """Appends responses to the queue."""
        self._control("push", list(responses))

    def script(self, script: list[Json] | Json) -> None:
        """Replaces queue, rules and default."""
        self._control("script", script)

    def reset(self) -> None:
        self._control("reset", None)

    def requests(self, last: int = 0) -> list[Json]:
        """The finished requests, oldest first; 0 means all."""
        return self._get(f"requests?n={last}")

    def bodies(self) -> list[Json]:
        return [request["body"] for request in self.requests()]

    def state(self) -> dict[str, int]:
        """`requests` so far, responses left in the `queue`, and `active` ones."""
        return self._get("state")

    def _get(self, path: str) -> Any:
        with urlopen(f"{self.url}/_ctl/{path}", timeout=10) as answer:
            return json.load(answer)

    def _control(self, verb: str, body: Any) -> None:
        with urlopen(Request(f"{self.url}/_ctl/{verb}", json.dumps(body).encode()), timeout=10):
            pass


@contextmanager
def in_thread(*, models: list[str] | None = None) -> Iterator[FakeLLM]:
    """A server in this process."""
    server = Server(models=models)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield FakeLLM(server.url)
    finally:
        server.shutdown()
        server.server_close()
        thread.join(timeout=5)


@contextmanager
def in_process(*options: str) -> Iterator[FakeLLM]:
    """A server of its own, so that its work does not count as ours."""
    command = [sys.executable, "-m", "tests.support.fakellm", "--port", "0", *options]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            yield FakeLLM(process.stdout.readline().split()[-1])
        finally:
            process.terminate()
